/** Checks the record of a shoe, as docs/VERIFY.md says, step by step. */
import { L } from '../texts'
import type { Opening, ShoeRecord } from './record'
import { isSignature } from './signature'
import { hex, hmac, join, same, sha256, text, u32, unhex, utf8 } from './sha256'

const TAG = 'sabot-shoe-2'

/** How one check came out, and why where it did not hold. */
export type Check = {
  name: CheckName
  verdict: 'good' | 'bad'
  why?: string
  count?: number
}

export type CheckName =
  'form' | 'signature' | 'words' | 'cut' | 'cards' | 'commitment' | 'order' | 'revealed'

export type Verified = {
  checks: Check[]
  holds: boolean
  /** How many outsiders opened a first word. */
  witnesses: number
  /** How many promised and did not open. */
  declined: number
  cards: number
}

function bytes(value: string): Uint8Array {
  return unhex(value) ?? new Uint8Array()
}

/** The hash that promises a word. */
export function promiseOf(
  which: 'first' | 'second',
  commitment: string,
  account: string,
  word: Uint8Array,
): string {
  return hex(sha256(join(utf8(`${TAG} ${which}`), bytes(commitment), text(account), word)))
}

/** What the house signs: the list of promises. */
export function listMessage(record: ShoeRecord): Uint8Array {
  const parts = record.promises.flatMap((promise) => [
    text(promise.account),
    bytes(promise.first),
    bytes(promise.second),
  ])
  const head = [utf8(`${TAG} list`), bytes(record.commitment), u32(record.promises.length)]
  return join(...head, ...parts)
}

/** Whether a card's path leads to the root. */
export function isProved(opening: Opening, size: number, cut: number, root: string): boolean {
  const position = (cut + opening.index) % size
  const salt = bytes(opening.salt)
  const start = [new Uint8Array([0]), u32(size), u32(position), utf8(opening.card), salt]
  let ours = sha256(join(...start))
  let [place, level, used] = [position, size, 0]
  while (level > 1) {
    if (place % 2 === 1 || place < level - 1) {
      const next = opening.path[used]
      if (next === undefined) return false
      used += 1
      const other = bytes(next)
      const pair = place % 2 === 1 ? [other, ours] : [ours, other]
      ours = sha256(join(new Uint8Array([1]), ...pair))
    }
    place = Math.floor(place / 2)
    level = Math.ceil(level / 2)
  }
  return used === opening.path.length && hex(ours) === root
}

/** The words that were opened, in the order of their first promises. */
function inOrder(record: ShoeRecord, words: (string | null)[]): [string, string][] {
  const opened: [string, string][] = []
  record.promises.forEach((promise, i) => {
    const word = words[i]
    if (word) opened.push([promise.first, word])
  })
  return opened.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
}

/** Numbers below a bound, without bias, from words of four bytes. */
class Stream {
  private next = 0
  constructor(private readonly word: (i: number) => number | null) {}

  below(n: number): number | null {
    const limit = 2 ** 32 - (2 ** 32 % n)
    for (;;) {
      const word = this.word(this.next)
      if (word === null) return null
      this.next += 1
      if (word < limit) return word % n
    }
  }
}

/** The depth of a cut that nobody chose. */
export function cutOf(record: ShoeRecord): number | null {
  if (record.root === null || record.seconds === null) return null
  const parts = inOrder(record, record.seconds).flatMap(([p, w]) => [bytes(p), bytes(w)])
  const seed = sha256(
    join(utf8(`${TAG} cut`), bytes(record.commitment), bytes(record.root), ...parts),
  )
  const stream = new Stream((i) => {
    const part = sha256(join(seed, u32(Math.floor(i / 8))))
    return new DataView(part.buffer).getUint32(4 * (i % 8))
  })
  const size = 52 * record.decks
  const number = stream.below(size - 2 * record.binds.least + 1)
  return number === null ? null : record.binds.least + number
}

const RANKS = 'A23456789TJQK'
const SUITS = 'hdcs'

/** The order of the cards before the cut; nothing if the stream is used up. */
export function orderOf(record: ShoeRecord, entropy: Uint8Array): string[] | null {
  const parts = inOrder(record, record.firsts ?? []).flatMap(([p, w]) => [bytes(p), bytes(w)])
  const all = sha256(join(utf8(`${TAG} words`), ...parts))
  const blocks: DataView[] = []
  for (let i = 0; i < 128; i += 1) {
    const key = entropy.slice(32 * i, 32 * i + 32)
    const message = join(utf8(`${TAG} stream`), bytes(record.commitment), all, u32(i))
    blocks.push(new DataView(hmac(key, message).buffer))
  }
  const stream = new Stream((i) => blocks[i >> 3]?.getUint32(4 * (i & 7)) ?? null)
  const cards: string[] = []
  for (let deck = 0; deck < record.decks; deck += 1)
    for (const rank of RANKS) for (const suit of SUITS) cards.push(rank + suit)
  for (let i = cards.length - 1; i >= 1; i -= 1) {
    const j = stream.below(i + 1)
    if (j === null) return null
    const [one = '', two = ''] = [cards[i], cards[j]]
    cards[i] = two
    cards[j] = one
  }
  return cards
}

/** The salts of all positions. */
function saltsOf(entropy: Uint8Array, size: number): Uint8Array[] {
  const key = sha256(join(utf8(`${TAG} salts`), entropy))
  return Array.from({ length: size }, (_, i) => sha256(join(key, u32(i))))
}

function rootOf(cards: string[], salts: Uint8Array[]): string {
  const size = u32(cards.length)
  let level = cards.map((card, i) =>
    sha256(join(new Uint8Array([0]), size, u32(i), utf8(card), salts[i] ?? new Uint8Array())),
  )
  while (level.length > 1) {
    const above: Uint8Array[] = []
    for (let i = 0; i < level.length; i += 2) {
      const [left, right] = [level[i], level[i + 1]]
      if (left && right) above.push(sha256(join(new Uint8Array([1]), left, right)))
      else if (left) above.push(left)
    }
    level = above
  }
  return hex(level[0] ?? new Uint8Array())
}

/** A card that waited for a later coup is among so many that left the shoe last. */
const LATELY = 24

/** A coup, and how many cards lie in it. */
export type Lying = { coup: number; cards: number }

/**
 * Where a card that lies in a coup was opened. A shoe has each card eight times: it is the one that
 * left the shoe for this coup, and if two of them did, both. A card that was drawn in excess before
 * may lie in a later coup: then fewer left the shoe for it than lie there, and it is the one that
 * came last.
 */
export function openingsOf(record: ShoeRecord, { coup, cards }: Lying, card: string): Opening[] {
  const ofCoup = (what: string | undefined) => what?.startsWith(`coup ${coup}:`) ?? false
  const same = record.openings.filter((one) => one.card === card)
  const own = same.filter((one) => ofCoup(record.dealt[one.index]))
  if (own.length > 0 || record.dealt.filter(ofCoup).length >= cards) return own
  return same.filter((one) => one.index >= record.dealt.length - LATELY).slice(-1)
}

function form(record: ShoeRecord): string | null {
  const size = 52 * record.decks
  const accounts = new Set(record.promises.map((promise) => promise.account))
  const firsts = new Set(record.promises.map((promise) => promise.first))
  const t = L.t.proof.faults
  const faults: [boolean, string][] = [
    [record.protocol !== TAG, t.otherWay],
    [record.decks < 1 || record.decks > 16, t.decks],
    [record.binds.behind >= size, t.behind],
    [record.binds.least < 1 || 2 * record.binds.least > size, t.least],
    [accounts.size < record.promises.length, t.twice],
    [firsts.size < record.promises.length, t.samePromise],
    [record.firsts !== null && record.signature === null, t.unsigned],
    [(record.root === null) !== (record.firsts === null), t.rootWords],
    [record.cut !== null && record.root === null, t.earlyCut],
    [(record.cutter === null) !== (record.cut === null), t.cutByNobody],
    [(record.seconds !== null) !== (record.cutter === 'staff'), t.secondWords],
    [record.cut === null && record.dealt.length + record.openings.length > 0, t.earlyCards],
    [record.dealt.length > size, t.manyCards],
    [!!record.firsts && record.firsts.length !== record.promises.length, t.wordsMissing],
    [!!record.seconds && record.seconds.length !== record.promises.length, t.wordsMissing],
  ]
  return faults.find(([bad]) => bad)?.[1] ?? null
}

function wordsFault(record: ShoeRecord): string | null {
  for (const [i, promise] of record.promises.entries()) {
    const [first, second] = [record.firsts?.[i] ?? null, record.seconds?.[i] ?? null]
    const broken = (which: 'first' | 'second', word: string | null, promised: string) =>
      word !== null &&
      promiseOf(which, record.commitment, promise.account, bytes(word)) !== promised
    if (broken('first', first, promise.first) || broken('second', second, promise.second))
      return L.t.proof.faults.otherWord(promise.account)
    if (second !== null && first === null) return L.t.proof.faults.onlySecond(promise.account)
  }
  return null
}

function cutFault(record: ShoeRecord): string | null {
  if (record.cut === null) return null
  const size = 52 * record.decks
  if (record.cutter === 'staff') {
    const due = cutOf(record)
    return due === record.cut ? null : L.t.proof.faults.cutIs(record.cut, due)
  }
  const good = record.cut >= record.binds.least && record.cut <= size - record.binds.least
  return good ? null : L.t.proof.faults.cutAt(record.cut)
}

function cardsFault(record: ShoeRecord, known: Set<number>): string | null {
  const size = 52 * record.decks
  const t = L.t.proof.faults
  const seen = new Set<number>()
  const often = new Map<string, number>()
  for (const opening of record.openings) {
    if (opening.index >= record.dealt.length) return t.notDealt(opening.index + 1)
    if (seen.has(opening.index)) return t.openedTwice(opening.index + 1)
    seen.add(opening.index)
    const count = (often.get(opening.card) ?? 0) + 1
    if (count > record.decks) return t.tooMany(opening.card)
    often.set(opening.card, count)
    if (known.has(opening.index)) continue
    if (record.root === null || record.cut === null) return t.noRoot
    if (!isProved(opening, size, record.cut, record.root))
      return t.noProof(opening.index + 1, opening.card)
  }
  return null
}

function revealFaults(record: ShoeRecord, entropy: Uint8Array): Check[] {
  const binds = record.binds
  const bound = [
    utf8(`${TAG} commitment`),
    bytes(binds.key),
    text(binds.table),
    u32(binds.number),
    u32(record.decks),
    bytes(binds.book),
    u32(binds.behind),
    u32(binds.least),
    entropy,
  ]
  const committed = same(sha256(join(...bound)), bytes(record.commitment))
  const checks: Check[] = [{ name: 'commitment', verdict: committed ? 'good' : 'bad' }]
  if (record.root === null) return checks
  const cards = orderOf(record, entropy)
  const salts = saltsOf(entropy, 52 * record.decks)
  const ordered = cards !== null && rootOf(cards, salts) === record.root
  checks.push({ name: 'order', verdict: ordered ? 'good' : 'bad' })
  const cut = record.cut ?? 0
  const shown = record.openings.every((opening) => {
    const position = (cut + opening.index) % (52 * record.decks)
    return cards?.[position] === opening.card && hex(salts[position] ?? bytes('')) === opening.salt
  })
  const count = record.openings.length
  checks.push({ name: 'revealed', verdict: shown ? 'good' : 'bad', count })
  return checks
}

/** Whether the house signed the list. */
export async function isSigned(record: ShoeRecord): Promise<boolean> {
  const [key, signature] = [bytes(record.binds.key), bytes(record.signature ?? '')]
  return isSignature(key, signature, listMessage(record))
}

/** What did not hold, in words. */
export function faultOf(check: Check): string {
  return check.why ?? L.t.proof.faults.failed(L.t.proof.names[check.name] ?? check.name)
}

/** Checks a whole record. Cards in `known` were proved before under the same root. */
export async function verify(record: ShoeRecord, known = new Set<number>()): Promise<Verified> {
  const check = (name: CheckName, why: string | null, count?: number): Check => ({
    name,
    verdict: why === null ? 'good' : 'bad',
    ...(why === null ? {} : { why }),
    ...(count === undefined ? {} : { count }),
  })
  const fault = form(record)
  const checks = [check('form', fault)]
  const witnesses = record.firsts?.filter((word) => word !== null).length ?? 0
  const declined =
    (record.firsts?.filter((word) => word === null).length ?? 0) +
    (record.seconds?.filter((word, i) => word === null && record.firsts?.[i] !== null).length ?? 0)
  if (fault === null) {
    if (record.signature !== null) {
      checks.push({ name: 'signature', verdict: (await isSigned(record)) ? 'good' : 'bad' })
    }
    if (record.firsts !== null) checks.push(check('words', wordsFault(record), witnesses))
    if (record.cut !== null) checks.push(check('cut', cutFault(record)))
    if (record.openings.length > 0)
      checks.push(check('cards', cardsFault(record, known), record.openings.length))
    if (record.entropy !== null) checks.push(...revealFaults(record, bytes(record.entropy)))
  }
  const holds = checks.every((one) => one.verdict !== 'bad')
  return { checks, holds, witnesses, declined, cards: record.openings.length }
}
