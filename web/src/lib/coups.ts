/** Coups taken out of a table's log, to be stepped through and listed. */
import type { EventView } from './types'

export type Settled = { event: EventView; net: number }

export type Past = {
  number: number
  /** The bets before it, then everything from its first card to its end. */
  bets: EventView[]
  events: EventView[]
  /** What was said of it afterwards: disputes, errors that were found, voids. */
  after: EventView[]
  outcome: string | null
  /** It is void: at once, or by an error that was found later. */
  void: boolean
}

function fact(event: EventView, kind: string): Record<string, unknown> | null {
  const value = event.fact
  if (typeof value !== 'object' || value === null) return null
  const inner = (value as Record<string, unknown>)[kind]
  return typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : null
}

/** The hand that won, or `tie`: an outcome in the form of the log. */
function outcomeOf(value: unknown): string | null {
  if (value === 'tie') return 'tie'
  if (typeof value !== 'object' || value === null) return null
  const won = (value as Record<string, unknown>)['won']
  return typeof won === 'string' ? won : null
}

/** Kinds that say something of a coup by its number, whenever they are said. */
const ABOUT = new Set([
  'error-found',
  'reopened',
  'voided',
  'reversed',
  'disputed',
  'dispute-decided',
  'dispute-reviewed',
])

/** The number of the coup that an event speaks of; nothing if it names none. */
function about(event: EventView): number | null {
  if (!ABOUT.has(event.kind)) return null
  const value = fact(event, event.kind)
  // A dispute is a pair: who, and the number.
  const number = Array.isArray(value) ? (value[1] as unknown) : value?.['number']
  if (typeof number === 'number') return number
  // Not everybody may see the fact; the words have the number too.
  const said = /coup (\d+)/.exec(event.what)?.[1]
  return said === undefined ? null : Number(said)
}

/** All coups of a log, in order. */
export function coupsOf(events: EventView[]): Past[] {
  const coups: Past[] = []
  const known = new Map<number, Past>()
  let bets: EventView[] = []
  let current: Past | null = null
  for (const event of events) {
    const number = about(event)
    const named = number === null ? undefined : known.get(number)
    if (named && event.kind === 'voided') named.void = true
    if (event.kind === 'coup-began') {
      const number = Number(fact(event, 'coup-began')?.['number'] ?? 0)
      current = { number, bets, events: [event], after: [], outcome: null, void: false }
      bets = []
      coups.push(current)
      known.set(number, current)
    } else if (named && named !== current) {
      named.after.push(event)
    } else if (current) {
      current.events.push(event)
      if (event.kind === 'coup-ended') {
        const outcome = fact(event, 'coup-ended')?.['outcome']
        current.outcome = outcomeOf(outcome)
        current.void = current.void || outcome === null
        current = null
      }
    } else if (event.spot) {
      bets.push(event)
    }
  }
  return coups
}

export type Felt = {
  player: (string | null)[]
  banker: (string | null)[]
  totals: [number | null, number | null]
  outcome: string | null
}

type Lying = { side: string; card: string | null }

/** Moves the cards as an event says; the fold of a table does the same. */
function lay(cards: Lying[], event: EventView): Lying[] {
  const card = event.cards[0] ?? null
  const value = event.fact as Record<string, unknown> | null
  switch (event.kind) {
    case 'dealt':
      return event.hand ? [...cards, { side: event.hand, card }] : cards
    case 'turned':
    case 'card-corrected': {
      const index = fact(event, event.kind)?.['index']
      return cards.map((one, i) => (i === index ? { ...one, card } : one))
    }
    case 'reconstructed':
      return cards.map((one, i) =>
        i < 4 ? { ...one, side: i % 2 === 0 ? 'player' : 'banker' } : one,
      )
    case 'third-moved':
      return cards.map((one, i) => (i === 4 ? { ...one, side: event.hand ?? one.side } : one))
    case 'rearranged': {
      const order = value?.['rearranged'] as [number, string][] | undefined
      return (order ?? []).flatMap(([index, side]) => {
        const one = cards[index]
        return one ? [{ ...one, side }] : []
      })
    }
    default:
      return cards
  }
}

/** What lies on the felt after the first events of a coup. */
export function feltAfter(events: EventView[]): Felt {
  const felt: Felt = { player: [], banker: [], totals: [null, null], outcome: null }
  let cards: Lying[] = []
  for (const event of events) {
    cards = lay(cards, event)
    if (event.kind === 'totals') {
      const totals = fact(event, 'totals')
      felt.totals = [Number(totals?.['player']), Number(totals?.['banker'])]
    } else if (event.kind === 'result') {
      const value = event.fact as Record<string, unknown> | null
      felt.outcome = outcomeOf(value?.['result'])
    } else if (event.kind === 'voided') felt.outcome = null
  }
  const at = (side: string) => cards.filter((one) => one.side === side).map((one) => one.card)
  return { ...felt, player: at('player'), banker: at('banker') }
}

/** Whether wagers of mine lay in a coup. Those that were taken back before it did not. */
export function betIn(coup: Past): boolean {
  const lay = coup.bets
    .filter((event) => event.mine)
    .reduce((sum, { kind, amount_cents }) => {
      const cents = amount_cents ?? 0
      return sum + (kind === 'placed' ? cents : kind === 'returned' ? -cents : 0)
    }, 0)
  return lay > 0 || coup.events.some((event) => event.mine && DONE.has(event.kind))
}

/** What is done with a wager that was in a coup. */
const DONE = new Set(['settled', 'lies', 'returned'])

/** What a settled wager brought its player: what came to the stack, less the stake. */
export function netOf(event: EventView): number {
  const settled = fact(event, 'settled')
  const stake = Number(settled?.['stake'] ?? event.amount_cents ?? 0)
  const back = event.postings
    .filter((posting) => posting.account === 'stack')
    .reduce((sum, posting) => sum + posting.gained_cents, 0)
  // A wager that lies on the layout for the next coup is neither won nor lost.
  if (settled?.['verdict'] === 'kept') return 0
  return back - stake
}

/** What my wagers of a coup brought me, less what a void took back later, in cents. */
export function netOfCoup(coup: Past): number {
  const mine = (events: EventView[], kind: string) =>
    events.filter((event) => event.kind === kind && event.mine)
  const settled = mine(coup.events, 'settled').reduce((sum, event) => sum + netOf(event), 0)
  const reversed = mine([...coup.events, ...coup.after], 'reversed')
    .flatMap((event) => event.postings)
    .filter((posting) => posting.account === 'stack')
    .reduce((sum, posting) => sum + posting.gained_cents, 0)
  return settled + reversed
}
