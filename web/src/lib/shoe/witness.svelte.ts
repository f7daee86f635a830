/**
 * This browser's part in a shoe: it promises two words, opens them when they are due, and checks
 * all that is published. It needs nobody's help, and says what it found.
 */
import { api } from '../api'
import { L } from '../texts'
import { lookAtHead } from './head'
import { readRecord, type ShoeRecord } from './record'
import { faultOf, isProved, openingsOf, promiseOf, verify } from './verify'
import type { Lying, Verified } from './verify'
import { hex, unhex } from './sha256'

type Kept = { commitment: string; account: string; first: string; second: string }

function random(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(32))
}

export class Witness {
  /** Cards that were checked here, by their place in the shoe; false for one that does not hold. */
  cards = $state.raw(new Map<number, boolean>())
  /** What does not hold; nothing if all is well. */
  alarm = $state<string | null>(null)
  /** This browser's words are in the signed list and were used. */
  part = $state<'none' | 'promised' | 'in'>('none')
  whole = $state.raw<Verified | null>(null)
  record = $state.raw<ShoeRecord | null>(null)
  /** The number of the last shoe that was checked from its beginning to its end. */
  ended = $state<number | null>(null)

  private kept: Kept | null = null
  private looking: Promise<boolean> | null = null
  private again = false
  private declined = new Set<string>()
  private whole_of = ''
  /** The shoe whose end was checked last. */
  private over = ''

  constructor(
    readonly table: string,
    private readonly account: () => string | null,
    private readonly seated: () => boolean,
  ) {}

  /**
   * Looks at what is published now, and says whether it could. A call that comes while it looks
   * makes it look once more, and waits for that.
   */
  look(): Promise<boolean> {
    this.again = true
    this.looking ??= this.untilSeen()
    return this.looking
  }

  private async untilSeen(): Promise<boolean> {
    try {
      while (this.again) {
        this.again = false
        await this.once()
      }
      return true
    } catch {
      // The next look comes with the next news.
      return false
    } finally {
      this.looking = null
    }
  }

  private async once(): Promise<void> {
    const document = await api.shoe(this.table)
    if (document.shoe === null || document.shoe === undefined) return
    const record = readRecord(document.shoe)
    if (typeof record === 'string') {
      this.alarm = record
      return
    }
    const before = this.record
    if (before && before.commitment !== record.commitment) {
      void this.checkEnd(before)
      this.cards = new Map()
      this.part = 'none'
      this.whole = null
    } else if (before) this.compare(before, record)
    this.record = record
    await this.takePart(record)
    await this.check(record)
    // Whether the secret or the next shoe is seen first is chance: the end is checked all the same.
    if (record.entropy !== null) void this.checkEnd(record)
  }

  /** A shoe that this browser followed is over: its secret is out, and all of it is checked. */
  private async checkEnd(followed: ShoeRecord): Promise<void> {
    if (this.over === followed.commitment) return
    this.over = followed.commitment
    let last: ShoeRecord | string
    try {
      last = readRecord((await api.lastShoe(this.table)).shoe)
    } catch {
      // A server that does not keep the last shoe: the proof page says what cannot be checked.
      this.over = ''
      return
    }
    if (typeof last === 'string' || last.commitment !== followed.commitment) return
    this.compare(followed, last)
    const whole = await verify(last)
    const bad = whole.checks.find((one) => one.verdict === 'bad')
    if (bad) this.alarm = faultOf(bad)
    else if (last.entropy !== null) this.ended = last.binds.number
    await this.checkHead()
  }

  /**
   * The newest signed head holds, and does not contradict one that this browser has seen. What
   * cannot be asked for is no fault: the proof page says what was not checked.
   */
  async checkHead(): Promise<void> {
    try {
      const bad = (await lookAtHead())?.checks.filter((one) => one.verdict === 'bad') ?? []
      if (bad.length === 0) return
      const { faults } = L.t.proof
      this.alarm = bad.some((one) => one.name === 'kept') ? faults.headSeen : faults.headForged
    } catch {
      // The next look comes with the end of the next shoe.
    }
  }

  /** What was published once does not change. */
  private compare(before: ShoeRecord, after: ShoeRecord): void {
    const changed =
      (before.root !== null && before.root !== after.root) ||
      (before.cut !== null && before.cut !== after.cut) ||
      (before.signature !== null && before.signature !== after.signature) ||
      before.openings.some((opening, i) => after.openings[i]?.card !== opening.card)
    if (changed) this.alarm = L.t.proof.faults.changed
  }

  private keeping(record: ShoeRecord, account: string): Kept | null {
    if (this.kept?.commitment === record.commitment) return this.kept
    try {
      const text = localStorage.getItem(`sabot.words.${record.commitment}.${account}`)
      if (text) this.kept = JSON.parse(text) as Kept
    } catch {
      return null
    }
    return this.kept?.commitment === record.commitment ? this.kept : null
  }

  private async takePart(record: ShoeRecord): Promise<void> {
    const account = this.account()
    if (!account) return
    const mine = record.promises.findIndex((promise) => promise.account === account)
    let kept = this.keeping(record, account)
    const open = record.signature === null && record.entropy === null
    if (mine < 0 && open && this.seated() && !kept && !this.declined.has(record.commitment)) {
      const [first, second] = [random(), random()]
      kept = { commitment: record.commitment, account, first: hex(first), second: hex(second) }
      this.kept = kept
      this.keepWords(kept)
      const promises = (['first', 'second'] as const).map((which) =>
        promiseOf(which, record.commitment, account, which === 'first' ? first : second),
      )
      try {
        await api.promise(this.table, promises[0] ?? '', promises[1] ?? '')
        this.part = 'promised'
        this.again = true
      } catch {
        this.declined.add(record.commitment)
        this.kept = null
      }
      return
    }
    if (!kept) return
    if (mine < 0) {
      if (this.part === 'promised' && record.signature !== null)
        this.alarm = L.t.proof.faults.notListed
      return
    }
    this.checkMine(record, kept, mine)
    if (record.signature !== null && record.firsts === null) await this.open(kept, 'first')
    if (record.root !== null && record.cut === null) await this.open(kept, 'second')
    const used = record.firsts?.[mine]
    if (used === kept.first) this.part = 'in'
    else if (record.firsts === null) this.part = 'promised'
    else if (used !== null && used !== undefined) this.alarm = L.t.proof.faults.replaced
    // The word came too late: it was left out, and the list says so.
    else this.part = 'none'
  }

  private opened = new Set<string>()

  private async open(kept: Kept, which: 'first' | 'second'): Promise<void> {
    const once = `${kept.commitment} ${which}`
    if (this.opened.has(once)) return
    this.opened.add(once)
    try {
      await api.word(this.table, which, kept[which])
    } catch {
      this.opened.delete(once)
    }
  }

  private checkMine(record: ShoeRecord, kept: Kept, mine: number): void {
    const listed = record.promises[mine]
    for (const which of ['first', 'second'] as const) {
      const word = unhex(kept[which]) ?? new Uint8Array()
      const due = promiseOf(which, record.commitment, kept.account, word)
      if (listed?.[which] !== due) this.alarm = L.t.proof.faults.otherPromise
    }
  }

  private keepWords(kept: Kept): void {
    try {
      const name = `sabot.words.${kept.commitment}.${kept.account}`
      localStorage.setItem(name, JSON.stringify(kept))
      const all = Object.keys(localStorage).filter((known) => known.startsWith('sabot.words.'))
      all
        .filter((known) => known !== name)
        .slice(0, -40)
        .forEach((old) => localStorage.removeItem(old))
    } catch {
      // Without a place to keep them the words live as long as the page.
    }
  }

  private async check(record: ShoeRecord): Promise<void> {
    const { root, cut } = record
    if (root !== null && cut !== null) {
      const cards = new Map(this.cards)
      for (const opening of record.openings) {
        if (cards.get(opening.index)) continue
        const good = isProved(opening, 52 * record.decks, cut, root)
        cards.set(opening.index, good)
        if (!good) this.alarm = L.t.proof.faults.noProof(opening.index + 1, opening.card)
      }
      this.cards = cards
    }
    // The whole record is gone through when a stage of it is new.
    const stage = [record.commitment, record.signature, root, cut, record.entropy !== null].join()
    if (stage === this.whole_of) return
    this.whole_of = stage
    const known = new Set([...this.cards].filter(([, good]) => good).map(([index]) => index))
    const whole = await verify(record, known)
    this.whole = whole
    const bad = whole.checks.find((one) => one.verdict === 'bad')
    if (bad) this.alarm = faultOf(bad)
  }

  /** The proof of a card that the table shows in a coup: nothing while this browser has not seen it opened. */
  shows(root: string | null, lying: Lying, card: string | null | undefined): boolean | null {
    const record = this.record
    if (!card || root === null || record?.root !== root) return null
    const proofs = openingsOf(record, lying, card).map((one) => this.cards.get(one.index))
    if (proofs.length === 0 || proofs.includes(undefined)) return null
    return proofs.every((good) => good === true)
  }

  /**
   * The cards of a coup that is over were all opened. Asked a little later: openings may follow.
   * While nobody can be asked nothing is concluded from it.
   */
  async confirm(root: string | null, lying: Lying, cards: string[]): Promise<void> {
    for (let asked = 0; asked < 5; asked += 1) {
      await new Promise((done) => setTimeout(done, 2500))
      const seen = await this.look()
      if (root === null || this.record?.root !== root) return
      if (!seen) continue
      const missing = cards.find((card) => this.shows(root, lying, card) === null)
      if (missing) this.alarm = L.t.proof.faults.neverOpened(missing)
      return
    }
  }
}
