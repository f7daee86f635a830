/**
 * A visit to a table: who comes, by which line, with which bets and proofs; and what of it is
 * told, heard and kept. The view draws what it finds here.
 */
import { api, problemOf } from './api'
import { chipsFor, plain } from './money'
import { Play, untilPause } from './play.svelte'
import { Purse, type Result } from './purse'
import { router } from './router.svelte'
import { session } from './session.svelte'
import { Witness } from './shoe/witness.svelte'
import { sounds } from './sounds.svelte'
import { cutOf, net, tell, toMe, turnOf } from './speech'
import { TableClient } from './table.svelte'
import { L } from './texts'
import type { EventView, Me, Problem, TableView } from './types'

/** What lies over the table: one thing at a time. */
export type Open =
  | { kind: 'none' }
  | { kind: 'why' | 'sign' | 'settings' | 'leave' | 'menu' | 'keys' }
  /** A seat to be chosen, with why the one that was tried was not to be had. */
  | { kind: 'seat'; refused?: Problem }
  | ({ kind: 'left' } & Result)
  | { kind: 'road'; road: string; mark: string | null }
  | { kind: 'refused'; problem: Problem }
  | { kind: 'spot'; spot: string }

/** How often it is asked whether there is something to be reminded of. */
const REMIND_MS = 60_000

/** How long a message of the page stays. */
const NOTICE_MS = 10_000

/** Keeps a number for every tab of this browser, and for the next visit of the page. */
function remember(key: string, value: number): void {
  try {
    localStorage.setItem(key, String(value))
  } catch {
    // A browser that keeps nothing does not say the result.
  }
}

function remembered(key: string): number | null {
  try {
    const kept = localStorage.getItem(key)
    return kept === null ? null : Number(kept)
  } catch {
    return null
  }
}

/** The event by which I left the table. */
function leavingOf(events: EventView[]): EventView | undefined {
  return events.find(({ mine, kind }) => mine && (kind === 'left' || kind === 'seat-required'))
}

/** What went from the table with whoever left, in cents. */
function takenAway(left: EventView): number {
  const out = left.postings.filter((posting) => posting.account === 'outside')
  return out.reduce((sum, leg) => sum + leg.gained_cents, 0)
}

export class Visit {
  open = $state.raw<Open>({ kind: 'none' })
  /** The table is open in another tab too. */
  second = $state(false)
  /** What is told for a while: words of the page, or a refusal with its clauses. */
  notice = $state.raw<Problem | null>(null)
  /** What I wanted to be reminded of, until I have read it. */
  reminder = $state.raw<Me['reminder']>(null)
  /** Who deals: `system`, `staff` or `keyed`. */
  deals = $state('system')
  client = $state.raw<TableClient | null>(null)
  play = $state.raw<Play | null>(null)
  readonly witness: Witness

  private bettingMs: number | null = null
  /** What whoever only looked saw last: it stays until the table answers to whoever sits down. */
  private seen = $state.raw<TableView | null>(null)
  /** Whoever leaves without chips sits down again with new ones. */
  private anew = false
  /** What the visit came to so far, between leaving and sitting down with new chips. */
  private between: Result | null = null

  constructor(
    readonly id: string,
    private readonly voice: (...sentences: string[]) => void,
  ) {
    this.witness = new Witness(
      id,
      () => session.me?.account ?? null,
      () => !!this.client?.view?.mine,
    )
  }

  get view(): TableView | null {
    return this.client?.view ?? this.seen
  }

  get sitting(): boolean {
    return !!this.view?.mine
  }

  /** The limits of Banker and Player, which stand for the table. */
  get limits() {
    return this.view?.spots.find((spot) => spot.spot === 'banker')?.limits ?? null
  }

  get chips(): number[] {
    const [least, most] = [this.limits?.least_cents ?? 500, this.limits?.most_cents ?? 50_000]
    return chipsFor(this.view?.chips_cents ?? [], least, most)
  }

  /** The table has stopped: nothing can be done at it until the operator reopens it. */
  get stopped(): boolean {
    return this.client?.status === 'over'
  }

  /** Whether a line with these words could be said now. */
  may(words: string): boolean {
    if (this.stopped) return false
    return this.view?.lawful.some((one) => one.line.includes(words)) ?? false
  }

  close = (): void => {
    // Whoever left to buy chips and buys none has left, and hears what came of the visit.
    const result = this.open.kind === 'seat' && !this.sitting ? this.between : null
    this.between = null
    if (result) new Purse(session.me?.account ?? '', this.id).end()
    this.open = result ? { kind: 'left', ...result } : { kind: 'none' }
  }

  /** A seat was taken; the table's own news of it may come later. */
  seated = (): void => {
    this.between = null
    this.close()
  }

  /** For parts that come later: by themselves they would cut the page into more files. */
  readonly toldOf = untilPause

  /** What was to lie over the table could not be fetched. */
  part = (): void => {
    this.close()
    this.note({ type: '', status: 0, code: 'page', title: L.t.link.part, instead: '', clauses: [] })
  }

  say = async (line: string): Promise<void> => {
    try {
      await this.client?.order(line)
    } catch (thrown) {
      this.tell(problemOf(thrown))
    }
  }

  /** Comes to the table, and goes when what it gives is called. */
  enter(): () => void {
    let gone = false
    const channel = 'BroadcastChannel' in window ? new BroadcastChannel(`sabot.${this.id}`) : null
    if (channel) {
      channel.onmessage = (event) => {
        this.second = true
        if (event.data === 'here') channel.postMessage('too')
      }
      channel.postMessage('here')
    }
    const begin = async () => {
      await session.look()
      if (gone) return
      this.remind()
      this.start(session.me ? 'player' : 'spectator')
      if (router.query.includes('sit')) void this.sitAtOnce()
      let there = true
      try {
        const row = (await api.tables()).find((table) => table.id === this.id)
        this.bettingMs = row?.betting_ms ?? null
        this.deals = row?.deals ?? 'system'
        there = row !== undefined
        this.client?.setBetting(this.bettingMs)
      } catch {
        // The page says by itself that the server cannot be reached.
      }
      if (!there) return
      void this.witness.look()
      void this.witness.checkHead()
    }
    void begin()
    // The list of promises closes by the clock, without an event of the table.
    const looking = setInterval(() => {
      const { view, status } = this.client ?? {}
      if (view?.phase === 'preparing' && status === 'live') void this.witness.look()
    }, 700)
    const reminding = setInterval(() => {
      if (session.me?.remind) void session.look().then(() => this.remind())
    }, REMIND_MS)
    return () => {
      gone = true
      clearInterval(looking)
      clearInterval(reminding)
      channel?.close()
      this.client?.stop()
    }
  }

  /** Shows what I wanted to be reminded of, once. */
  private remind(): void {
    const { reminder, account } = session.me ?? {}
    if (!reminder || reminder.at <= (remembered(`sabot.reminded.${account}`) ?? 0)) return
    if (reminder.at === this.reminder?.at) return
    this.reminder = reminder
    this.voice(L.t.link.reminder(reminder.minutes, reminder.lost_cents))
  }

  /** The reminder was read: no tab shows it again. */
  reminded = (): void => {
    remember(`sabot.reminded.${session.me?.account ?? ''}`, this.reminder?.at ?? 0)
    this.reminder = null
  }

  /** Makes whoever looks somebody who can sit down. */
  somebody = async (): Promise<void> => {
    if (session.me && this.client?.as === 'player') return
    await session.somebody()
    this.start('player')
    await this.ready()
  }

  /** Leaves a table at which no chips are left, to sit down again with others. */
  buy = (): void => {
    this.anew = true
    void this.say('leaves')
  }

  /** Comes back as a new guest after the session ended. */
  begin = async (): Promise<void> => {
    try {
      session.forget()
      await this.somebody()
    } catch (thrown) {
      this.tell(problemOf(thrown))
    }
  }

  private start(as: string): void {
    this.seen = this.client?.as === 'spectator' ? this.client.view : null
    this.client?.stop()
    this.client = new TableClient(this.id, as, this.told, this.bettingMs)
    this.play = new Play(this.client, (problem) =>
      this.voice(L.t.live.refused(problem.title, problem.instead)),
    )
    this.client.start()
  }

  private async ready(): Promise<void> {
    for (let i = 0; i < 100; i += 1) {
      if (this.client?.status === 'live') return
      await new Promise((done) => setTimeout(done, 50))
    }
  }

  /** Takes the free seat that is nearest to the middle. */
  private async sitAtOnce(): Promise<void> {
    router.go(`/table/${this.id}`, true)
    await this.somebody()
    await this.ready()
    const now = this.view
    if (!now || now.mine) return
    const taken = new Set(
      now.players.filter((p) => p.present && !p.standing).map((player) => player.seat),
    )
    const seats = Array.from({ length: now.seats }, (_, i) => i + 1).filter((s) => !taken.has(s))
    const middle = (now.seats + 1) / 2
    const [seat] = seats.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle))
    const chips = Math.min(session.me?.balance_cents ?? 0, 50_000)
    try {
      await this.client?.order(`sits at ${seat ?? 1} with ${plain(chips)}`)
      await session.look()
    } catch (thrown) {
      this.open = { kind: 'seat', refused: untilPause(problemOf(thrown)) }
    }
  }

  private tell(problem: Problem): void {
    this.anew = false
    const me = this.view?.players.find((player) => player.me)?.player
    this.note({ ...problem, title: toMe(problem.title, me) })
  }

  /** Shows a message: for a while, or until it is closed where it has reasons to be read. */
  private note(notice: Problem): void {
    this.notice = notice
    if (notice.clauses.length > 0) return
    setTimeout(() => {
      if (this.notice === notice) this.notice = null
    }, NOTICE_MS)
  }

  private told = (events: EventView[], before: TableView, after: TableView): void => {
    this.play?.follow(before)
    const turn = !turnOf(before) && turnOf(after) ? L.t.live.turn : ''
    const shuffled = before.phase !== 'preparing' && after.phase === 'preparing'
    const cut = !cutOf(before) && cutOf(after) ? L.t.live.cut : ''
    this.voice(...tell(events, after, L.t), shuffled ? L.t.live.shuffling : '', cut, turn)
    // Advice about a bet stands at its spot; advice about a seat or the closing is only said.
    for (const event of events)
      if (event.kind === 'advised' && event.mine && /imum/.test(JSON.stringify(event.fact)))
        this.play?.advise(L.t.ruling(event), event.clauses)
    const happened = (kind: string) => events.some((event) => event.kind === kind)
    if (happened('dealt')) sounds.play('card')
    if (happened('bets-closed')) sounds.play('close')
    if (happened('settled') && (net(after.felt) ?? 0) > 0) sounds.play('win')
    if (events.some((event) => event.kind === 'placed' && event.mine)) sounds.play('chip')
    this.count(events, before, after)
    if (happened('coup-ended') && after.shoe.protocol) {
      const shown = [...after.felt.player.cards, ...after.felt.banker.cards]
      const cards = shown.map((card) => card.card).filter((card) => typeof card === 'string')
      const lying = { coup: after.felt.coup, cards: shown.length }
      void this.witness.confirm(after.shoe.root ?? null, lying, cards)
    }
    // What was published of the shoe is looked at when there is something new.
    if (after.shoe !== before.shoe || after.phase === 'preparing') void this.witness.look()
  }

  /** Counts what was brought and taken away, so that leaving can say what became of it. */
  private count(events: EventView[], before: TableView, after: TableView): void {
    const purse = new Purse(session.me?.account ?? '', this.id)
    const moment = (event: EventView | undefined) => ({
      version: event?.version ?? after.version,
      at: event?.at ?? 1000 * Date.now(),
    })
    if (!before.mine && after.mine) {
      const came = events.find((event) => event.kind === 'arrived' && event.mine)
      purse.brought(came?.amount_cents ?? after.mine.stack_cents, moment(came))
      this.between = null
    }
    if (before.mine && !after.mine) {
      // Bets that were open came back before the chips were taken away: the event has it all.
      const left = leavingOf(events)
      const took = left ? takenAway(left) : before.mine.stack_cents
      const result = purse.took(took, moment(left), this.anew)
      this.between = this.anew ? result : null
      this.open = this.anew ? { kind: 'seat' } : { kind: 'left', ...result }
      this.anew = false
      void session.look()
    }
  }
}
