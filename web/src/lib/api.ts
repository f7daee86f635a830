/** Requests to the server. A refusal is thrown as a [`Refused`]. */
import { L } from './texts'
import type {
  BookDocument,
  BookRow,
  Entered,
  TableEvents,
  HeadView,
  HouseView,
  Invited,
  LinkView,
  Me,
  NewTable,
  Opened,
  Problem,
  ShoeDocument,
  TableRow,
  TableView,
  WouldDo,
} from './types'

/** Something that the server did not do, and why. */
export class Refused extends Error {
  constructor(readonly problem: Problem) {
    super(problem.title)
  }
}

function offline(): Problem {
  return {
    type: '',
    status: 0,
    code: 'offline',
    title: L.t.problem.offline,
    clauses: [],
    instead: L.t.problem.offlineInstead,
  }
}

async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const init: RequestInit = { method, credentials: 'same-origin' }
  if (body !== undefined) {
    init.headers = { 'content-type': 'application/json' }
    init.body = JSON.stringify(body)
  }
  let answer: Response
  try {
    answer = await fetch(`/api/v1${path}`, init)
  } catch {
    throw new Refused(offline())
  }
  let value: unknown
  try {
    value = await answer.json()
  } catch {
    throw new Refused({ ...offline(), status: answer.status })
  }
  if (!answer.ok) throw new Refused(value as Problem)
  return value as T
}

const id = encodeURIComponent

/** A key of an order: the same key is carried out once. */
export function key(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** What happened behind a version, page by page. */
async function events(table: string, as: string, after: number): Promise<TableEvents> {
  const all: TableEvents['events'] = []
  for (let version = after; ;) {
    const path = `/tables/${id(table)}/events?as=${as}&after=${version}`
    const page = await ask<TableEvents>('GET', path)
    all.push(...page.events)
    if (!page.more || page.version <= version) return { ...page, events: all }
    version = page.version
  }
}

export const api = {
  me: () => ask<Me>('GET', '/me'),
  guest: (name?: string) => ask<Entered>('POST', '/guests', name ? { name } : {}),
  signIn: (name: string, password: string) => ask<Entered>('POST', '/session', { name, password }),
  signOut: () => ask<unknown>('DELETE', '/session'),
  signOutEverywhere: () => ask<unknown>('DELETE', '/sessions'),
  changePassword: (old: string, word: string) =>
    ask<Entered>('POST', '/password', { old, new: word }),
  limit: (limits: { loss_cents?: number; minutes?: number; remind?: number }) =>
    ask<{ holds_from: number }>('POST', '/limits', { key: key(), ...limits }),
  pause: (hours: number) => ask<{ paused_until: number }>('POST', '/pause', { key: key(), hours }),
  register: (password: string) => ask<Entered>('POST', '/register', { password }),
  chips: () => ask<Me>('POST', '/chips', { key: key() }),
  tables: () => ask<TableRow[]>('GET', '/tables'),
  house: () => ask<HouseView>('GET', '/house'),
  table: (table: string, as: string) => ask<TableView>('GET', `/tables/${id(table)}?as=${as}`),
  open: (table: NewTable) => ask<Opened>('POST', '/tables', table),
  /** What a line would do, without doing it. */
  try: (table: string, as: string, line: string) =>
    ask<WouldDo>('POST', `/tables/${id(table)}/try`, { as, line }),
  events,
  shoe: (table: string) => ask<ShoeDocument>('GET', `/tables/${id(table)}/shoe`),
  lastShoe: (table: string) => ask<ShoeDocument>('GET', `/tables/${id(table)}/shoe/last`),
  promise: (table: string, first: string, second: string) =>
    ask<{ account: string }>('POST', `/tables/${id(table)}/shoe/promise`, { first, second }),
  word: (table: string, which: 'first' | 'second', word: string) =>
    ask<unknown>('POST', `/tables/${id(table)}/shoe/word`, { which, word }),
  books: () => ask<BookRow[]>('GET', '/books'),
  book: (book: string) => ask<BookDocument>('GET', `/books/${id(book)}`),
  head: () => ask<HeadView>('GET', '/head'),
  alarms: () =>
    ask<{
      log: string | null
      streams: { stream: string; why: string }[]
      not_resumed: [string, string][]
    }>('GET', '/alarms'),
  link: (token: string) => ask<LinkView>('GET', `/links/${id(token)}`),
  follow: (token: string, name: string | null, password: string) =>
    ask<Entered>('POST', `/links/${id(token)}`, name ? { name, password } : { password }),
  invite: (role: string) => ask<Invited>('POST', '/invitations', { role }),
}

/** The problem of whatever was thrown, in the page's language. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof Refused) return L.t.refusal(thrown.problem)
  return { ...offline(), code: 'page', title: String(thrown), instead: L.t.problem.pageInstead }
}
