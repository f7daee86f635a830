/**
 * One table as it is followed: the view that the server sends, the orders under way, and whether
 * the line to the server holds. Nothing here knows a rule of the game.
 */
import { Refused, api, key } from './api'
import { L } from './texts'
import type { Done, EventView, Problem, SocketMessage, TableMessage, TableView } from './types'

/** `signed-out`: the session is nobody's any more, and nothing is tried again. */
export type Status = 'connecting' | 'live' | 'lost' | 'over' | 'unknown' | 'signed-out'

/** An order that the server has not answered, or whose effect is not in the view yet. */
export type Sent = {
  key: string
  line: string
  spot: string | null
  cents: number
  /** The version that has its effect, once it is answered. */
  version: number | null
}

type Waiting = { done: (done: Done) => void; refused: (why: Refused) => void }

type Message = TableMessage | SocketMessage

/** How many events are kept for the margin. */
const KEPT = 400
const PING_MS = 8000
const SILENT_MS = 20_000
/** How long a server may take to answer when the network is said to be gone. */
const DOUBT_MS = 3000

export class TableClient {
  view = $state.raw<TableView | null>(null)
  status = $state<Status>('connecting')
  events = $state.raw<EventView[]>([])
  sent = $state.raw<Sent[]>([])
  /** Until when the table waits, in milliseconds of the server's clock. */
  until = $state<number | null>(null)
  /** How far this machine's clock is from the server's, in milliseconds. */
  clockOff = $state(0)
  /** Coups that were missed while the line was broken; nothing if it never was. */
  missed = $state<number | null>(null)
  /** An order was under way when the line broke. */
  unsure = $state(false)
  /** When the server was heard last, by the page's own count: no clock that is set moves it. */
  private heard = $state(performance.now())

  private socket: WebSocket | null = null
  private waiting = new Map<string, Waiting>()
  /** Those who wait until the view has come as far as a version. */
  private awaited: { version: number; done: (there: boolean) => void }[] = []
  /** The version of the newest view or update. */
  private come = 0
  private tries = 0
  private timers: ReturnType<typeof setTimeout>[] = []
  private heart: ReturnType<typeof setInterval> | null = null
  private closed = false
  private beat = 0
  private server = 0
  private opened = 0
  private lasted: number | null = null

  constructor(
    readonly table: string,
    readonly as: string,
    private readonly told: (events: EventView[], before: TableView, after: TableView) => void,
    /** How long bets are open, where the server does not say until when. */
    private bettingMs: number | null = null,
  ) {}

  start(): void {
    this.connect()
    document.addEventListener('visibilitychange', this.wake)
    window.addEventListener('online', this.wake)
    window.addEventListener('offline', this.doubt)
    this.heart = setInterval(() => this.pulse(), 1000)
    this.beat = Date.now()
  }

  stop(): void {
    this.closed = true
    document.removeEventListener('visibilitychange', this.wake)
    window.removeEventListener('online', this.wake)
    window.removeEventListener('offline', this.doubt)
    if (this.heart) clearInterval(this.heart)
    this.timers.forEach(clearTimeout)
    this.socket?.close()
    this.fail()
  }

  /** The server's time, in milliseconds. */
  now(): number {
    return this.server + performance.now()
  }

  /** When the server was heard last, in milliseconds of its own clock. */
  get lastHeard(): number {
    // Of a server that never said its time this machine's clock is all there is.
    const server = this.server || Date.now() - performance.now()
    return server + this.heard
  }

  /** Milliseconds until the table goes on; nothing if it waits for no clock. */
  left(): number | null {
    return this.until === null ? null : this.until - this.now()
  }

  /** Says a line at the table. Refused at once while the line is broken: nothing waits to be sent. */
  order(line: string, about: { spot?: string; cents?: number; as?: string } = {}): Promise<Done> {
    if (this.status !== 'live' || this.socket?.readyState !== WebSocket.OPEN) {
      const problem: Problem = {
        type: '',
        status: 0,
        code: 'offline',
        title: L.t.problem.away,
        clauses: [],
        instead: L.t.problem.awayInstead,
      }
      return Promise.reject(new Refused(problem))
    }
    const order = key()
    const sent: Sent = {
      key: order,
      line,
      spot: about.spot ?? null,
      cents: about.cents ?? 0,
      version: null,
    }
    this.sent = [...this.sent, sent]
    const ask = { do: 'order', table: this.table, key: order, line }
    this.socket.send(JSON.stringify(about.as ? { ...ask, as: about.as } : ask))
    return new Promise((done, refused) => this.waiting.set(order, { done, refused }))
  }

  /** Waits until the view has the effect of an order; false if the line breaks before. */
  reached(version: number): Promise<boolean> {
    if (this.status !== 'live') return Promise.resolve(false)
    if (this.come >= version) return Promise.resolve(true)
    return new Promise((done) => this.awaited.push({ version, done }))
  }

  private arrive(version: number): void {
    this.come = version
    const there = this.awaited.filter((one) => one.version <= version)
    this.awaited = this.awaited.filter((one) => one.version > version)
    there.forEach((one) => one.done(true))
  }

  private wake = (): void => {
    if (document.visibilityState !== 'visible' || this.closed) return
    if (this.status === 'lost') this.connect()
    else this.ping()
  }

  /** The network is said to be gone. A server on this machine still answers; another does not. */
  private doubt = (): void => {
    if (this.status !== 'live') return
    const asked = performance.now()
    this.ping()
    this.timers.push(
      setTimeout(() => {
        if (this.status === 'live' && this.heard < asked) this.lose()
      }, DOUBT_MS),
    )
  }

  /** Looks whether the line is silent or the machine slept. */
  private pulse(): void {
    // The page's own count may stand still while a machine sleeps; its clock does not.
    const now = Date.now()
    const slept = now - this.beat > 10_000
    this.beat = now
    if (this.status !== 'live') return
    const silent = performance.now() - this.heard
    if (slept || silent > SILENT_MS) this.lose()
    else if (silent > PING_MS) this.ping()
  }

  private ping(): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send('{"do":"ping"}')
  }

  private connect(): void {
    if (this.closed || this.ended) return
    this.timers.forEach(clearTimeout)
    this.timers = []
    this.socket?.close()
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
    const socket = new WebSocket(`${scheme}://${location.host}/api/v1/socket`)
    this.socket = socket
    socket.onopen = () => {
      if (socket !== this.socket) return
      socket.send('{"do":"ping"}')
      const ask = { do: 'subscribe', table: this.table, as: this.as }
      const after = this.view ? { after: this.view.version } : {}
      socket.send(JSON.stringify({ ...ask, ...after }))
    }
    socket.onmessage = (event) => {
      if (socket === this.socket) this.take(JSON.parse(String(event.data)) as Message)
    }
    socket.onclose = () => {
      if (socket === this.socket) this.lose()
    }
    // A socket that never opens is given up.
    this.timers.push(
      setTimeout(() => {
        if (socket === this.socket && socket.readyState !== WebSocket.OPEN) this.lose()
      }, 8000),
    )
  }

  /** Nothing is to be had here any more: the line is closed and not tried again. */
  private get ended(): boolean {
    return ['over', 'unknown', 'signed-out'].includes(this.status)
  }

  private end(status: Status): void {
    this.status = status
    const socket = this.socket
    this.socket = null
    socket?.close()
    this.fail()
  }

  /** What was missed has been told; it is not told again at the next break. */
  forgetBreak(): void {
    this.missed = null
    this.unsure = false
  }

  private lose(): void {
    if (this.closed || this.ended) return
    const socket = this.socket
    this.socket = null
    socket?.close()
    if (this.status === 'live') this.unsure = this.sent.some((sent) => sent.version === null)
    this.status = this.view ? 'lost' : 'connecting'
    this.fail()
    const wait = Math.min(4000, 250 * 2 ** this.tries) * (0.8 + 0.4 * Math.random())
    this.tries += 1
    this.timers.push(setTimeout(() => this.connect(), wait))
  }

  private fail(): void {
    const problem: Problem = {
      type: '',
      status: 0,
      code: 'lost',
      title: L.t.problem.broke,
      clauses: [],
      instead: L.t.problem.brokeInstead,
    }
    const [waiting, awaited] = [[...this.waiting.values()], this.awaited]
    this.waiting.clear()
    this.awaited = []
    waiting.forEach((one) => one.refused(new Refused(problem)))
    awaited.forEach((one) => one.done(false))
  }

  private take(message: Message): void {
    this.heard = performance.now()
    switch (message.kind) {
      case 'pong':
        this.server = message.now / 1000 - performance.now()
        this.clockOff = Date.now() - message.now / 1000
        return
      case 'gap':
        this.keep(message.events)
        return
      case 'view': {
        // Coups have numbers: what was missed is known however long the line was broken.
        const before = this.status === 'lost' ? this.view : null
        this.missed = before ? Math.max(0, message.view.coup - before.coup) : null
        this.tries = 0
        this.status = 'live'
        // What was under way is not taken for granted: the view says what lies on the table.
        this.sent = []
        this.view = message.view
        this.setUntil(message.until, message.view, [])
        this.arrive(message.version)
        if (this.events.length === 0) void this.recall(message.version)
        return
      }
      case 'update': {
        const before = this.view
        if (!before) return
        const after = { ...before, ...message.changed }
        this.view = after
        this.sent = this.sent.filter((s) => s.version === null || s.version > message.version)
        this.setUntil(message.until, after, message.events)
        this.keep(message.events)
        this.told(message.events, before, after)
        this.arrive(message.version)
        return
      }
      case 'answer': {
        const { key: order, answer } = message
        const shown = (this.view?.version ?? 0) >= answer.version
        this.sent = shown
          ? this.sent.filter((sent) => sent.key !== order)
          : this.sent.map((s) => (s.key === order ? { ...s, version: answer.version } : s))
        this.waiting.get(order)?.done(answer)
        this.waiting.delete(order)
        return
      }
      case 'problem': {
        const order = message.key
        if (order) {
          this.sent = this.sent.filter((sent) => sent.key !== order)
          this.waiting.get(order)?.refused(new Refused(message.problem))
          this.waiting.delete(order)
        }
        if (message.problem.code === 'signed-out') this.end('signed-out')
        else if (!order && message.problem.code === 'unknown') this.end('unknown')
        return
      }
      case 'over':
        this.status = 'over'
        return
      case 'unsubscribed':
    }
  }

  private keep(events: EventView[]): void {
    if (events.length > 0) this.events = [...this.events, ...events].slice(-KEPT)
  }

  /** Fetches what happened just before this page came. */
  private async recall(version: number): Promise<void> {
    try {
      const past = await api.events(this.table, this.as, Math.max(0, version - 160))
      const known = new Set(this.events.map((event) => event.version))
      this.events = [...past.events.filter((e) => !known.has(e.version)), ...this.events]
    } catch {
      // Without the past the margin begins now.
    }
  }

  private setUntil(until: number | null | undefined, view: TableView, events: EventView[]): void {
    if (until !== undefined) {
      this.until = until === null ? null : until / 1000
      return
    }
    // A server that does not say until when: how long bets were open the last time.
    for (const event of events) {
      if (event.kind === 'bets-opened') this.opened = event.at / 1000
      if (event.kind === 'bets-closed' && this.opened > 0)
        this.lasted = event.at / 1000 - this.opened
    }
    const lasts = this.lasted ?? this.bettingMs
    const known = view.phase === 'betting' && this.opened > 0 && lasts !== null
    this.until = known ? this.opened + lasts : null
  }

  setBetting(ms: number | null): void {
    this.bettingMs = ms
  }
}
