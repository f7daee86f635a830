/** What the live region says: the coup as a good dealer tells it, and no more. */
import type { EventView, FeltView, PaidView, TableView } from './types'
import { tongue, type Texts } from './texts'

function shown(cards: FeltView['player']['cards']): string[] {
  return cards.map((card) => card.card).filter((card) => card !== null && card !== undefined)
}

function spotName(spots: TableView['spots'], spot: string, t: Texts): string {
  if (spot === 'player' || spot === 'banker' || spot === 'tie') return t.side(spot)
  return t.spot(spot, spots.find((known) => known.spot === spot)?.name ?? spot)
}

/** Irregularities and decisions: said in the words of the ruling. */
export const RULED = new Set([
  'given-to-banker',
  'out-of-sequence',
  'reconstructed',
  'third-moved',
  'suspended',
  'resumed',
  'excess',
  'excess-not-used',
  'found-face-up',
  'reopened',
  'decided',
  'dispute-decided',
  'dispute-reviewed',
  'advised',
  'notice-given',
  'closed',
])

/** What a void took back or gave back to the player who listens, in cents. */
function takenBack(events: EventView[]): number {
  return events
    .filter((event) => event.kind === 'reversed' && event.mine)
    .flatMap((event) => event.postings)
    .filter((posting) => posting.account === 'stack')
    .reduce((sum, posting) => sum + posting.gained_cents, 0)
}

/** The number of the coup that an event makes void; nothing if it makes none. */
function voided(event: EventView): number | null {
  if (event.kind !== 'voided') return null
  const number = /"number":(\d+)/.exec(JSON.stringify(event.fact))?.[1]
  return number === undefined ? null : Number(number)
}

/** Whether an answer to a request for a coup without bets is a yes. */
function agrees(event: EventView): boolean {
  return /true/.test(JSON.stringify(event.fact))
}

/** What I said to a request for a coup without bets that is still open; nothing if I did not. */
export function myAnswer(events: EventView[]): 'asked' | 'answered' | null {
  const over = ['coup-began', 'coup-ended', 'no-bet-directed', 'bets-opened', 'checked-by']
  for (let i = events.length - 1; i >= 0; i -= 1) {
    const event = events[i]
    if (!event || over.includes(event.kind)) return null
    if (event.mine && event.kind === 'no-bet-asked') return 'asked'
    if (event.mine && event.kind === 'no-bet-answered') return 'answered'
  }
  return null
}

/** Said aloud, but no irregularity: the question of the moment shows them. */
const PLAIN = new Set(['notice-given', 'closed', 'resumed', 'suspended', 'advised'])

/** What was ruled last in this coup, where something went wrong. */
export function lastRuling(events: EventView[]): EventView | null {
  for (let i = events.length - 1; i >= 0; i -= 1) {
    const event = events[i]
    if (!event || event.kind === 'coup-began' || event.kind === 'checked-by') return null
    if (RULED.has(event.kind) && !PLAIN.has(event.kind)) return event
  }
  return null
}

/** Whether cards are mine to turn. */
export function turnOf(view: TableView): TableView['lawful'][number] | null {
  const turns = /turns the (player|banker) (cards|third card)/
  return view.lawful.find((one) => turns.test(one.line)) ?? null
}

/** Whether the cut is mine. Where any player may cut, no event offers it: only the view does. */
export function cutOf(view: TableView): TableView['asked'][number] | null {
  return view.asked.find((one) => one.mine && one.line?.includes('cuts at')) ?? null
}

/** What became of a wager of mine. */
export function paidWords(spots: TableView['spots'], paid: PaidView, t: Texts): string {
  const name = spotName(spots, paid.spot, t)
  if (paid.verdict === 'won') return t.live.won(paid.won_cents, name, paid.commission_cents)
  if (paid.verdict === 'lost') return t.live.lost(paid.lost_cents, name)
  return paid.lies ? t.live.lies(paid.stake_cents, name) : t.live.kept(paid.stake_cents, name)
}

/** Who asks for a coup without bets: nothing if that is me, or nobody knows. */
export function askerOf(events: EventView[]): string | null {
  const asked = events.findLast((event) => event.kind === 'no-bet-asked')
  return asked && !asked.mine ? (asked.player ?? null) : null
}

/** Verbs whose form after “you” is not that after a name without its s. */
const VERBS: Record<string, string> = { is: 'are', has: 'have', was: 'were', does: 'do' }
/** After these words a name is no subject, and the verb that follows is another's. */
const BEFORE = /(?:^|\s)(?:to|from|of|by|with|between|behind|for)$/

/** A sentence of the table's language, which has my name, as it is said to me. */
export function toMe(what: string, name: string | null | undefined): string {
  if (!name) return what
  const literal = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const mine = new RegExp(
    `(?<![\\p{L}\\p{N}_-])${literal}(?![\\p{L}\\p{N}_-])('s\\b)?( [a-z]+)?`,
    'gu',
  )
  return what.replace(
    mine,
    (_, own: string | undefined, next: string | undefined, at: number): string => {
      const word = next ?? ''
      if (own) return `your${word}`
      if (BEFORE.test(what.slice(0, at).trimEnd())) return `you${word}`
      const verb = VERBS[word.trim()]
      return `you${verb ? ` ${verb}` : word.replace(/(?<=ss|sh|ch)es$|s$/, '')}`
    },
  )
}

/** A ruling as it is told to the person who looks; only the table's own language names me. */
export function rulingTo(event: EventView, me: string | null | undefined, t: Texts): string {
  const said = t.ruling(event)
  return event.mine && tongue(said) === 'en' ? toMe(said, me) : said
}

/** The sentences for what happened between two views. */
export function tell(events: EventView[], after: TableView, t: Texts): string[] {
  const said: string[] = []
  const { felt } = after
  const me = after.players.find((player) => player.me)?.player
  // A card that was dealt face down is told when it is turned.
  const dealt = events.filter(
    (event) => (event.kind === 'dealt' || event.kind === 'turned') && event.hand,
  )
  if (events.some((event) => event.kind === 'bets-closed')) said.push(t.live.noMore)
  const [player, banker] = [shown(felt.player.cards), shown(felt.banker.cards)]
  const first = events.some((event) => event.kind === 'totals')
  if (first && player.length >= 2 && banker.length >= 2) {
    const third = player.length > 2 || banker.length > 2
    const [p, b] = [player.slice(0, 2), banker.slice(0, 2)]
    if (!third) said.push(t.live.hands(p, felt.player.total ?? 0, b, felt.banker.total ?? 0))
    else if (dealt.filter((event) => event.cards[0]).length >= 4) said.push(t.live.cards(p, b))
  }
  for (const event of events) {
    if (event.kind === 'natural') said.push(t.live.natural)
    if (event.kind === 'advised' && !event.mine) continue
    if (RULED.has(event.kind)) said.push(t.live.ruled(rulingTo(event, me, t)))
  }
  for (const event of dealt) {
    const card = event.cards[0]
    if (!event.hand || !card) continue
    const hand = event.hand === 'player' ? player : banker
    if (hand.length === 3 && hand[2] === card) said.push(t.live.third(event.hand, card))
  }
  if (events.some((event) => event.kind === 'result') && felt.outcome)
    said.push(t.live.result(felt.outcome, felt.player.total ?? null, felt.banker.total ?? null))
  if (felt.void && events.some((event) => event.kind === 'coup-ended')) said.push(t.live.void)
  for (const event of events) {
    const number = voided(event)
    if (number !== null && number !== felt.coup) said.push(t.live.voided(number))
  }
  const back = takenBack(events)
  if (back !== 0) said.push(t.live.reversed(back))
  if (events.some((event) => event.kind === 'settled' || event.kind === 'lies')) {
    for (const paid of felt.paid.filter((one) => one.mine))
      said.push(paidWords(after.spots, paid, t))
  }
  for (const event of events) {
    if (event.kind === 'placed' && event.mine && event.spot)
      said.push(t.live.placed(event.amount_cents ?? 0, spotName(after.spots, event.spot, t)))
  }
  for (const event of events) {
    const who = event.mine ? null : (event.player ?? t.live.nobody)
    if (event.kind === 'no-bet-asked') said.push(t.live.noBetAsked(who))
    if (event.kind === 'no-bet-answered')
      said.push(agrees(event) ? t.live.noBetAgreed(who) : t.live.noBetObjected(who))
    if (event.kind === 'no-bet-directed') said.push(t.live.noBet)
  }
  const last = ['bets-opened', 'cutting-card-out', 'cutting-card-seen', 'coups-left']
  if (after.last && events.some((event) => last.includes(event.kind))) said.push(t.live.last)
  if (after.mine && events.some((event) => event.kind === 'bets-opened')) said.push(t.live.open)
  return said
}

/** The name of a spot in the page's language, where the page knows it. */
export { spotName }

/** What my wagers of the coup on the felt did together, in cents; nothing if there were none. */
export function net(felt: FeltView): number | null {
  const mine = felt.paid.filter((paid) => paid.mine)
  if (mine.length === 0) return null
  return mine.reduce((sum, paid) => sum + paid.won_cents - paid.lost_cents, 0)
}
