/** Betting with a client: what lies where, and the few things that people do with their bets. */
import { problemOf } from './api'
import { plain } from './money'
import type { TableClient } from './table.svelte'
import { L } from './texts'
import type { Done, Problem, TableView } from './types'

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

  get canUndo(): boolean {
    return this.last !== undefined
  }

  /** The latest bet that still lies: somebody else may have taken a bet away. */
  private get last(): Laid | undefined {
    return this.made.filter((laid) => this.accepted(laid.spot) > 0).pop()
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
    const order = this.client.order(`bets ${plain(cents)} on ${spot}`, { spot, cents })
    const settled = order.then((done) => this.client.reached(done.version)).catch(() => false)
    this.under.add(settled)
    void settled.then(() => this.under.delete(settled))
    try {
      await order
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

  private refuse(spot: string, told: Problem): void {
    // The table knows me by my name; to me it says “you”.
    const me = this.client.view?.players.find((player) => player.me)?.player
    const title = me ? told.title.replaceAll(me, L.t.seat.you) : told.title
    const problem = { ...told, title }
    this.show(spot, problem)
    this.say(problem)
  }

  /** Shows a problem at its spot: for a while, or until somebody closes it or the coup is over. */
  private show(spot: string, problem: Problem, stays = false): void {
    this.refused = { spot, problem }
    if (stays) return
    setTimeout(() => {
      if (this.refused?.problem === problem) this.refused = null
    }, REFUSED_MS)
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
    const { last, view } = this
    if (!last || !this.open) return
    const { spot } = last
    const whole = this.accepted(spot)
    const left = Math.max(0, whole - last.cents)
    const done = await this.takeBack(spot)
    if (!done) return
    this.made = this.made.filter((laid) => laid !== last)
    // Laid again only when the view shows the empty spot: never does more seem to lie there.
    const there = await this.client.reached(done.version)
    if (left === 0) return
    // Not in another coup than the one in which it lay.
    const same = this.view?.coup === view?.coup
    let why: Problem | null = null
    if (there && same && this.open) {
      try {
        const again = await this.client.order(`bets ${plain(left)} on ${spot}`, {
          spot,
          cents: left,
        })
        await this.client.reached(again.version)
        return
      } catch (thrown) {
        why = problemOf(thrown)
      }
    }
    this.half(spot, whole, left, why)
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
    this.show(spot, problem, true)
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
      for (const spot of spots) await this.bet(spot, this.accepted(spot))
    })

  rebet = (): Promise<void> =>
    this.inTurn(async () => {
      for (const laid of this.again) await this.bet(laid.spot, laid.cents)
    })
}
