/** Betting with a client: what lies where, and the few things that people do with their bets. */
import { problemOf } from './api'
import { plain } from './money'
import type { TableClient } from './table.svelte'
import { L } from './texts'
import type { Problem, TableView } from './types'

/** A bet that the page itself does not send. */
const CLOSED = { type: '', status: 0, code: 'closed', clauses: [] }
/** The code of what is no refusal: the bet stands, with advice. */
export const ADVICE = 'advised'
/** How long a refusal stays at its spot. */
const REFUSED_MS = 7000

type Laid = { spot: string; cents: number }

export class Play {
  /** The last refusal, at the spot that it is about. */
  refused = $state.raw<{ spot: string; problem: Problem } | null>(null)
  /** Bets of this round, in the order in which they were made. */
  private made = $state.raw<Laid[]>([])
  private round = -1
  /** The spot of the latest bet. */
  private latest: string | null = null

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

  get canUndo(): boolean {
    return this.made.length > 0 && this.staked > 0
  }

  /** What would be laid again: the stakes of the coup on the felt, less what lies there already. */
  get again(): Laid[] {
    const paid = this.view?.felt.paid.filter((one) => one.mine) ?? []
    const stakes = new Map<string, number>()
    for (const one of paid) stakes.set(one.spot, (stakes.get(one.spot) ?? 0) + one.stake_cents)
    return [...stakes]
      .map(([spot, cents]) => ({ spot, cents: cents - this.accepted(spot) - this.sending(spot) }))
      .filter((laid) => laid.cents > 0)
  }

  /** Forgets the bets of a round that is over. */
  follow(): void {
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

  async bet(spot: string, cents: number): Promise<boolean> {
    if (cents <= 0) return false
    if (!this.open) {
      this.tooLate(spot)
      return false
    }
    this.refused = null
    this.latest = spot
    try {
      await this.client.order(`bets ${plain(cents)} on ${spot}`, { spot, cents })
      this.made = [...this.made, { spot, cents }]
      return true
    } catch (thrown) {
      this.refuse(spot, problemOf(thrown))
      return false
    }
  }

  /** Says at the spot that bets are closed; nothing is sent, so nothing can be misread. */
  private tooLate(spot: string): void {
    const { view, status } = this.client
    if (status !== 'live' || (view?.phase !== 'called' && view?.phase !== 'dealing')) return
    this.refuse(spot, { ...CLOSED, title: L.t.ask.noMore, instead: L.t.felt.nextCoup })
  }

  private refuse(spot: string, problem: Problem): void {
    this.show(spot, problem)
    this.say(problem)
  }

  private show(spot: string, problem: Problem): void {
    this.refused = { spot, problem }
    setTimeout(() => {
      if (this.refused?.problem === problem) this.refused = null
    }, REFUSED_MS)
  }

  private async takeBack(spot: string): Promise<boolean> {
    try {
      await this.client.order(`takes back ${spot}`)
      return true
    } catch (thrown) {
      this.refuse(spot, problemOf(thrown))
      return false
    }
  }

  /**
   * Takes the latest bet back. The language takes back a whole spot and has no line that makes a
   * bet smaller (`moves` needs another spot), so what was there before is laid again. If betting
   * closes between the two, the rest stays in the stack: the refusal says so at the spot. Both are
   * not sent at once, for then a refused first line would leave a larger bet.
   */
  async undo(): Promise<void> {
    const last = this.made[this.made.length - 1]
    if (!last || !this.open) return
    const left = this.accepted(last.spot) - last.cents
    this.made = this.made.slice(0, -1)
    if ((await this.takeBack(last.spot)) && left > 0) {
      const kept = this.made
      await this.bet(last.spot, left)
      this.made = kept
    }
  }

  async clear(): Promise<void> {
    if (!this.open) return
    const spots = new Set((this.view?.mine?.wagers ?? []).map((laid) => laid.spot))
    this.made = []
    await Promise.all([...spots].map((spot) => this.takeBack(spot)))
  }

  async double(): Promise<void> {
    const spots = new Set((this.view?.mine?.wagers ?? []).map((laid) => laid.spot))
    for (const spot of spots) await this.bet(spot, this.accepted(spot))
  }

  async rebet(): Promise<void> {
    for (const laid of this.again) await this.bet(laid.spot, laid.cents)
  }
}
