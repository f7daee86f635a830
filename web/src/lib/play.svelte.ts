/** Betting with a client: what lies where, and the few things that people do with their bets. */
import { problemOf } from './api'
import { clock } from './clock.svelte'
import { plain } from './money'
import { session } from './session.svelte'
import { toMe } from './speech'
import type { TableClient } from './table.svelte'
import { L } from './texts'
import type { Done, Problem, TableView } from './types'

/** A bet that the page itself does not send. */
const CLOSED = { type: '', status: 0, code: 'closed', clauses: [] }
/** The code of what is no refusal: the bet stands, with advice. */
export const ADVICE = 'advised'

type Laid = { spot: string; cents: number }
/** A bet with the act that made it: one act may lay several. */
type Made = Laid & { act: number }

/** The least bet that any limit here allows; nothing where there are no limits. */
export function leastBet(view: TableView): number | null {
  const spots = view.spots.flatMap((spot) => (spot.limits ? [spot.limits.least_cents] : []))
  const own = view.mine?.limits.map((limits) => limits.least_cents) ?? []
  return spots.length + own.length > 0 ? Math.min(...spots, ...own) : null
}

/** Whether my chips are too few for any bet, and none of mine lie on the table. */
export function isBroke(view: TableView): boolean {
  const { mine } = view
  return !!mine && mine.wagers.length === 0 && mine.stack_cents < (leastBet(view) ?? 1)
}

/** A refusal because of a pause: the table counts hours, whoever reads it looks at a clock. */
export function untilPause(problem: Problem): Problem {
  const until = (session.me?.paused_until ?? 0) / 1000
  if (problem.code !== 'own-limit' || until < Date.now()) return problem
  const instead = L.t.problem.pauseOver(`${clock.day(until)}${L.t.comma}${clock.time(until)}`)
  return { ...problem, instead }
}

/** My stakes of the coup on the felt, by spot. */
function stakesOf(view: TableView): Laid[] {
  const stakes = new Map<string, number>()
  for (const one of view.felt.paid.filter((paid) => paid.mine))
    stakes.set(one.spot, (stakes.get(one.spot) ?? 0) + one.stake_cents)
  return [...stakes].map(([spot, cents]) => ({ spot, cents }))
}

export class Play {
  /** The last refusal, at the spot that it is about. */
  refused = $state.raw<{ spot: string; problem: Problem } | null>(null)
  /** Bets of this round, in the order in which they were made. */
  private made = $state.raw<Made[]>([])
  private acts = 0
  /** What lay in the last coup in which I bet. */
  private stakes = $state.raw<Laid[]>([])
  private round = -1
  /** The spot of the latest bet. */
  private latest: string | null = null
  /** Bets whose effect is not in the view yet. */
  private under = new Set<Promise<unknown>>()
  /** The end of what is done one thing after the other. */
  private turn: Promise<void> = Promise.resolve()

  constructor(
    private readonly client: TableClient,
    private readonly say: (problem: Problem) => void,
  ) {}

  private get view(): TableView | null {
    return this.client.view
  }

  get open(): boolean {
    const { view, status } = this.client
    return status === 'live' && view?.phase === 'betting' && !view.no_bet
  }

  accepted(spot: string): number {
    const mine = this.view?.mine?.wagers ?? []
    return mine
      .filter((laid) => laid.spot === spot)
      .reduce((sum, laid) => sum + laid.stake_cents, 0)
  }

  sending(spot: string): number {
    return this.client.sent
      .filter((sent) => sent.spot === spot)
      .reduce((sum, sent) => sum + sent.cents, 0)
  }

  get staked(): number {
    return (this.view?.mine?.wagers ?? []).reduce((sum, laid) => sum + laid.stake_cents, 0)
  }

  private get stack(): number {
    return this.view?.mine?.stack_cents ?? 0
  }

  /** Nothing is laid until somebody of staff is back or has decided; taking back is lawful. */
  private get waits(): boolean {
    return !!this.view?.inspector_away || !!this.view?.suspended
  }

  get canUndo(): boolean {
    return this.last.length > 0 && !this.waits
  }

  get canDouble(): boolean {
    return this.staked > 0 && this.staked <= this.stack && !this.waits
  }

  get canRebet(): boolean {
    const sum = this.again.reduce((all, laid) => all + laid.cents, 0)
    return sum > 0 && sum <= this.stack && !this.waits
  }

  /**
   * The bets of the latest act that still lie: somebody else may have taken a bet away. Of bets
   * that were made before this page came, what lies on one spot counts as one.
   */
  private get last(): Laid[] {
    const lying = this.made.filter((laid) => this.accepted(laid.spot) > 0)
    const act = lying.at(-1)?.act
    if (act !== undefined) return lying.filter((laid) => laid.act === act)
    const lines = this.view?.lawful.map((one) => one.line) ?? []
    const spot = this.view?.mine?.wagers.findLast((laid) =>
      lines.some((line) => line.endsWith(` takes back ${laid.spot}`)),
    )?.spot
    return spot === undefined ? [] : [{ spot, cents: this.accepted(spot) }]
  }

  /** What would be laid again: the stakes of my last coup, less what lies there already. */
  get again(): Laid[] {
    const lay = this.view ? stakesOf(this.view) : []
    return (lay.length > 0 ? lay : this.stakes)
      .map(({ spot, cents }) => ({
        spot,
        cents: cents - this.accepted(spot) - this.sending(spot),
      }))
      .filter((laid) => laid.cents > 0)
  }

  /** Forgets the bets of a round that is over; what they were is kept for coups that I sit out. */
  follow(before: TableView | null = null): void {
    for (const view of [before, this.view]) {
      const stakes = view ? stakesOf(view) : []
      if (stakes.length > 0) this.stakes = stakes
    }
    const coup = this.view?.coup ?? 0
    if (coup === this.round) return
    this.round = coup
    this.made = []
    this.refused = null
  }

  /** Closes the refusal that stands at a spot. */
  dismiss = (): void => {
    this.refused = null
  }

  /** Says at the spot of the latest bet what the house advises about it; the bet stands. */
  advise(what: string, clauses: string[]): void {
    const spot = this.made[this.made.length - 1]?.spot ?? this.latest
    if (!spot) return
    const problem = { type: '', status: 0, code: ADVICE, title: what, instead: '', clauses }
    this.show(spot, problem)
  }

  async bet(spot: string, cents: number, act = (this.acts += 1)): Promise<boolean> {
    if (cents <= 0) return false
    if (!this.open) {
      this.tooLate(spot)
      return false
    }
    this.refused = null
    this.latest = spot
    const order = this.client.order(`bets ${plain(cents)} on ${spot}`, { spot, cents })
    const settled = order.then((done) => this.client.reached(done.version)).catch(() => false)
    this.under.add(settled)
    void settled.then(() => this.under.delete(settled))
    try {
      await order
      this.made = [...this.made, { spot, cents, act }]
      return true
    } catch (thrown) {
      this.refuse(spot, this.inMyWords(problemOf(thrown), cents))
      return false
    }
  }

  /** What is about my chips is said to me: the table says it of me by my name. */
  private inMyWords(problem: Problem, cents: number): Problem {
    const { stack, view } = this
    if (problem.code !== 'not-enough-chips' || !view) return untilPause(problem)
    const t = L.t.felt
    const enough = stack >= (leastBet(view) ?? 1)
    const instead = enough ? t.upTo(stack) : t.noneLeft
    return { ...problem, title: t.notEnough(stack, cents), instead }
  }

  /** Says at the spot that bets are closed; nothing is sent, so nothing can be misread. */
  private tooLate(spot: string): void {
    const { view, status } = this.client
    if (status !== 'live' || !view) return
    const { phase, no_bet: noBet } = view
    if (!noBet && phase !== 'called' && phase !== 'dealing') return
    const title = noBet ? L.t.ask.noBetCoup : L.t.ask.noMore
    this.refuse(spot, { ...CLOSED, title, instead: L.t.felt.nextCoup })
  }

  private refuse(spot: string, told: Problem): void {
    const me = this.client.view?.players.find((player) => player.me)?.player
    const problem = { ...told, title: toMe(told.title, me) }
    this.show(spot, problem)
    this.say(problem)
  }

  /** Shows a problem at its spot, until somebody closes it or the coup is over. */
  private show(spot: string, problem: Problem): void {
    this.refused = { spot, problem }
  }

  /** Takes everything back from a spot; nothing if that was refused. */
  private async takeBack(spot: string): Promise<Done | null> {
    try {
      return await this.client.order(`takes back ${spot}`)
    } catch (thrown) {
      this.refuse(spot, problemOf(thrown))
      return null
    }
  }

  /** Does one thing after the other, each once the bets under way are in the view. */
  private inTurn(act: () => Promise<void>): Promise<void> {
    const settled = async () => {
      await Promise.all(this.under)
      await act()
    }
    this.turn = this.turn.then(settled, settled)
    return this.turn
  }

  /**
   * Takes the latest bet back. The language takes back a whole spot and has no line that makes a
   * bet smaller (`moves` needs another spot), so what was there before is laid again. Both are not
   * sent at once, for then a refused first line would leave a larger bet. If only the first is
   * done, the spot is empty: the view shows that, and a message at the spot says it.
   */
  undo = (): Promise<void> => this.inTurn(() => this.undoLast())

  private async undoLast(): Promise<void> {
    const { last } = this
    const sums = new Map<string, number>()
    for (const { spot, cents } of last) sums.set(spot, (sums.get(spot) ?? 0) + cents)
    for (const [spot, cents] of [...sums].reverse()) {
      // While play waits, what was on the spot before could not be laid again.
      if (!this.open || this.waits) return
      const ofSpot = last.filter((laid) => laid.spot === spot)
      if (!(await this.undoAt(spot, cents, ofSpot))) return
    }
  }

  /** Takes so much back from a spot; whether that was done. */
  private async undoAt(spot: string, cents: number, bets: Laid[]): Promise<boolean> {
    const { view } = this
    const whole = this.accepted(spot)
    const left = Math.max(0, whole - cents)
    const done = await this.takeBack(spot)
    if (!done) return false
    this.made = this.made.filter((laid) => !bets.includes(laid))
    // Laid again only when the view shows the empty spot: never does more seem to lie there.
    const there = await this.client.reached(done.version)
    if (left === 0) return there
    // Not in another coup than the one in which it lay.
    const same = this.view?.coup === view?.coup
    let why: Problem | null = null
    if (there && same && this.open) {
      try {
        const again = await this.client.order(`bets ${plain(left)} on ${spot}`, {
          spot,
          cents: left,
        })
        return await this.client.reached(again.version)
      } catch (thrown) {
        why = problemOf(thrown)
      }
    }
    this.half(spot, whole, left, why)
    return false
  }

  /** Says that a bet was taken back and what lay there before was not laid again. */
  private half(spot: string, whole: number, left: number, why: Problem | null): void {
    const unsure = why?.code === 'lost'
    const reason = why?.title ?? (this.client.status === 'live' ? L.t.ask.noMore : L.t.link.lost)
    const problem: Problem = {
      ...CLOSED,
      code: 'half',
      title: unsure ? L.t.felt.halfUnsure(whole, left) : L.t.felt.half(whole, left),
      instead: unsure ? L.t.problem.brokeInstead : reason,
      clauses: why?.clauses ?? [],
    }
    this.show(spot, problem)
    this.say(problem)
  }

  clear = (): Promise<void> =>
    this.inTurn(async () => {
      if (!this.open) return
      const spots = new Set((this.view?.mine?.wagers ?? []).map((laid) => laid.spot))
      const back = async (spot: string) => {
        const done = await this.takeBack(spot)
        if (!done) return
        this.made = this.made.filter((laid) => laid.spot !== spot)
        await this.client.reached(done.version)
      }
      await Promise.all([...spots].map(back))
    })

  double = (): Promise<void> =>
    this.inTurn(async () => {
      const spots = new Set((this.view?.mine?.wagers ?? []).map((laid) => laid.spot))
      const act = (this.acts += 1)
      if (!this.canDouble) return
      for (const spot of spots) await this.bet(spot, this.accepted(spot), act)
    })

  rebet = (): Promise<void> =>
    this.inTurn(async () => {
      const act = (this.acts += 1)
      if (!this.canRebet) return
      for (const laid of this.again) await this.bet(laid.spot, laid.cents, act)
    })
}
