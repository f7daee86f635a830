/**
 * The head of the log, as docs/LOG.md says: the newest checkpoint, signed by the house. A browser
 * that kept an older one sees whether the house went back behind it.
 */
import { api } from '../api'
import { hex, join, sha256, text, u64, unhex, utf8 } from './sha256'
import { isSignature } from './signature'

/** The record of a checkpoint, as it stands in the log. */
export type HeadRecord = {
  /** The hash of the checkpoint before; 64 zeros for the first. */
  previous: string
  at: number
  actor: string
  key: string
  schema: string
  body: string
}

export type Head = { version: number; hash: string; key: string | null; record: HeadRecord | null }

export type HeadCheck = {
  name: 'hash' | 'signature' | 'kept'
  /** `left` is a check that cannot be made: the server did not give what it needs. */
  verdict: 'good' | 'bad' | 'left'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function readRecord(value: unknown): HeadRecord | null {
  if (!isObject(value)) return null
  const { previous, at, actor, key, schema, body } = value
  if (typeof previous !== 'string' || typeof at !== 'number') return null
  if (typeof actor !== 'string' || typeof key !== 'string') return null
  if (typeof schema !== 'string' || typeof body !== 'string') return null
  return { previous, at, actor, key, schema, body }
}

/** The head that a server's answer is; nothing if it is none. */
export function readHead(value: unknown): Head | null {
  if (!isObject(value)) return null
  const { version, hash, public_key: key, record } = value
  if (typeof version !== 'number' || typeof hash !== 'string') return null
  return {
    version,
    hash,
    key: typeof key === 'string' ? key : null,
    record: readRecord(record),
  }
}

const bytes = (value: string) => unhex(value) ?? new Uint8Array()

/** The hash of a checkpoint's record. */
export function hashOf(head: Head, record: HeadRecord): string {
  const parts = [
    bytes(record.previous),
    u64(head.version),
    u64(record.at),
    text('checkpoint'),
    text(record.actor),
    text(record.key),
    text(record.schema),
    text(record.body),
  ]
  return hex(sha256(join(...parts)))
}

/** Whether the house signed a checkpoint with the key that it names. */
async function isSigned(head: Head, record: HeadRecord): Promise<boolean> {
  const end = record.body.lastIndexOf(',"signature":')
  const signature = /,"signature":"([0-9a-f]{128})"\}$/.exec(record.body)?.[1]
  const key = /,"key":"([0-9a-f]{64})"$/.exec(record.body.slice(0, end))?.[1]
  if (end < 0 || !signature || !key || (head.key !== null && head.key !== key)) return false
  const signed = [
    utf8('sabot-checkpoint-2'),
    bytes(record.previous),
    u64(head.version),
    u64(record.at),
    utf8(record.body.slice(0, end)),
  ]
  return isSignature(bytes(key), bytes(signature), join(...signed))
}

/** Whether a head can follow the one that was kept: never fewer, and never another of a number. */
function follows(head: Head, kept: Head): boolean {
  if (head.version < kept.version) return false
  if (head.version === kept.version) return head.hash === kept.hash
  // The next one names the one before it; of later ones the record does not say.
  const next = head.version === kept.version + 1
  return !next || head.record === null || head.record.previous === kept.hash
}

/** Checks a head, against the one that this browser kept if it kept one. */
export async function checkHead(head: Head, kept: Head | null): Promise<HeadCheck[]> {
  const { record } = head
  const verdict = (good: boolean) => (good ? 'good' : 'bad')
  const checks: HeadCheck[] = [
    { name: 'hash', verdict: record ? verdict(hashOf(head, record) === head.hash) : 'left' },
    { name: 'signature', verdict: record ? verdict(await isSigned(head, record)) : 'left' },
  ]
  if (kept) checks.push({ name: 'kept', verdict: verdict(follows(head, kept)) })
  return checks
}

const NAME = 'sabot.head'

/** The head that this browser kept of a house, by its key. */
export function keptHead(key: string | null): Head | null {
  try {
    return readHead(JSON.parse(localStorage.getItem(`${NAME}.${key ?? ''}`) ?? 'null'))
  } catch {
    return null
  }
}

/** All heads that this browser kept, by the key of their house. */
function keptHeads(): Map<string, Head> {
  const all = new Map<string, Head>()
  try {
    for (const name of Object.keys(localStorage)) {
      const key = name.startsWith(`${NAME}.`) ? name.slice(NAME.length + 1) : null
      const kept = key === null ? null : keptHead(key)
      if (key !== null && kept) all.set(key, kept)
    }
  } catch {
    // A browser that keeps nothing compares nothing.
  }
  return all
}

/** Keeps a head, so that the house is held to it from now on. */
export function keepHead(head: Head): void {
  const { version, hash, key } = head
  // Another tab may have kept a later one meanwhile.
  if ((keptHead(key)?.version ?? 0) > version) return
  try {
    const value = JSON.stringify({ version, hash, public_key: key })
    localStorage.setItem(`${NAME}.${key ?? ''}`, value)
  } catch {
    // A browser that keeps nothing compares nothing.
  }
}

export type HeadFound = { head: Head; kept: Head | null; checks: HeadCheck[] }

/**
 * Asks for the newest head, checks it, holds the house to the one that was kept, and keeps the new
 * one if it holds. Nothing if the house cannot be asked or has signed nothing yet.
 */
export async function lookAtHead(): Promise<HeadFound | null> {
  // What was kept before the question: a tab that asks at the same time may keep a later head.
  const before = keptHeads()
  const head = readHead(await api.head().catch(() => null))
  if (!head) return null
  const kept = before.get(head.key ?? '') ?? null
  const checks = await checkHead(head, kept)
  if (checks.every((one) => one.verdict !== 'bad')) keepHead(head)
  return { head, kept, checks }
}
