import { createHash, createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readRecord, type ShoeRecord } from '../src/lib/shoe/record'
import { hex, hmac, sha256, unhex, utf8 } from '../src/lib/shoe/sha256'
import { openingsOf, promiseOf, verify } from '../src/lib/shoe/verify'

/** A shoe that a browser took part in, dealt by the program and closed by its operator. */
function shoe(): ShoeRecord {
  const read = readRecord(JSON.parse(readFileSync('test/shoe.json', 'utf8')))
  if (typeof read === 'string') throw new Error(read)
  return read
}

describe('our own SHA-256', () => {
  it('agrees with another implementation at every length around a block', () => {
    for (let length = 0; length < 200; length += 1) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 7 + length) & 255)
      expect(hex(sha256(bytes))).toBe(createHash('sha256').update(bytes).digest('hex'))
    }
  })
  it('makes the same HMAC, with long keys too', () => {
    for (const length of [0, 31, 32, 64, 65, 200]) {
      const key = Uint8Array.from({ length }, (_, i) => i & 255)
      const told = hex(hmac(key, utf8('coup')))
      expect(told).toBe(createHmac('sha256', key).update('coup').digest('hex'))
    }
  })
  it('reads only lower-case hexadecimal of even length', () => {
    expect(unhex('0g')).toBeNull()
    expect(unhex('abc')).toBeNull()
    expect(unhex('AB')).toBeNull()
    expect(unhex('00ff')).toEqual(new Uint8Array([0, 255]))
  })
})

describe('a shoe from its commitment to its end', () => {
  it('holds', async () => {
    const found = await verify(shoe())
    expect(found.checks.filter((one) => one.verdict === 'bad')).toEqual([])
    expect(found.checks.map((one) => one.name)).toEqual([
      'form',
      'signature',
      'words',
      'cut',
      'cards',
      'commitment',
      'order',
      'revealed',
    ])
    expect(found.holds).toBe(true)
    expect(found.witnesses).toBe(1)
  })

  const changed: [string, (record: ShoeRecord) => void, string][] = [
    ['another card', (r) => (first(r).card = first(r).card === 'Ah' ? 'Ad' : 'Ah'), 'cards'],
    ['another salt', (r) => (first(r).salt = flip(first(r).salt)), 'cards'],
    ['another root', (r) => (r.root = flip(r.root ?? '')), 'cards'],
    ['another cut', (r) => (r.cut = (r.cut ?? 0) + 1), 'cut'],
    ['another secret', (r) => (r.entropy = flip(r.entropy ?? '')), 'commitment'],
    ['another word', (r) => (r.firsts = [flip(r.firsts?.[0] ?? '')]), 'words'],
    ['another table', (r) => (r.binds.table = 't9'), 'commitment'],
    ['a word left out', (r) => (r.firsts = []), 'form'],
    ['a card opened twice', (r) => r.openings.push({ ...first(r) }), 'cards'],
    ['a shorter path', (r) => first(r).path.pop(), 'cards'],
  ]
  for (const [what, change, check] of changed) {
    it(`does not hold with ${what}`, async () => {
      const record = shoe()
      change(record)
      const found = await verify(record)
      expect(found.holds).toBe(false)
      expect(found.checks.filter((one) => one.verdict === 'bad').map((o) => o.name)).toContain(
        check,
      )
    })
  }

  it('is no record with a field too many or too few', () => {
    expect(readRecord({ ...shoe(), more: 1 })).toBeTypeOf('string')
    const less: Record<string, unknown> = { ...shoe() }
    delete less['cut']
    expect(readRecord(less)).toBeTypeOf('string')
    expect(readRecord('shoe')).toBeTypeOf('string')
  })

  it('a promise is bound to commitment, account and word', () => {
    const record = shoe()
    const [promise] = record.promises
    const word = unhex(record.firsts?.[0] ?? '') ?? new Uint8Array()
    const made = promiseOf('first', record.commitment, promise?.account ?? '', word)
    expect(made).toBe(promise?.first)
    expect(promiseOf('second', record.commitment, promise?.account ?? '', word)).not.toBe(made)
  })
})

function first(record: ShoeRecord) {
  const [opening] = record.openings
  if (!opening) throw new Error('no card')
  return opening
}

function flip(text: string): string {
  return (text.startsWith('0') ? '1' : '0') + text.slice(1)
}

describe('the proof of a card that lies on the felt', () => {
  const coupOf = (record: ShoeRecord, index: number): number =>
    Number(/^coup (\d+):/.exec(record.dealt[index] ?? '')?.[1] ?? 0)
  it('is that of its own coup, whatever other card of the same face came before', () => {
    const record = shoe()
    let twice = 0
    for (const opening of record.openings) {
      const coup = coupOf(record, opening.index)
      if (coup === 0) continue
      const found = openingsOf(record, { coup, cards: 4 }, opening.card)
      expect(found).toContain(opening)
      expect(found.every((one) => coupOf(record, one.index) === coup)).toBe(true)
      if (record.openings.filter((one) => one.card === opening.card).length > found.length)
        twice += 1
    }
    expect(twice).toBeGreaterThan(10)
  })
  it('is none while its own card is not opened, though one of its face came just before', () => {
    const record = shoe()
    let tried = 0
    for (const opening of record.openings) {
      const coup = coupOf(record, opening.index)
      if (coup === 0) continue
      const dealt = record.dealt.slice(0, opening.index + 1)
      const cards = dealt.filter((what) => what.startsWith(`coup ${coup}:`)).length
      const others = record.openings.filter((one) => one.index < opening.index)
      const before = { ...record, dealt, openings: others }
      const own = others.some(
        (one) => one.card === opening.card && coupOf(record, one.index) === coup,
      )
      if (own) continue
      expect(openingsOf(before, { coup, cards }, opening.card)).toEqual([])
      if (others.some((one) => one.card === opening.card)) tried += 1
    }
    expect(tried).toBeGreaterThan(3)
  })
  it('is the last one of its face where a card that waited lies there', () => {
    const record = shoe()
    const last = record.openings.at(-1)
    if (!last) throw new Error('a shoe without cards')
    const coup = coupOf(record, last.index)
    expect(openingsOf(record, { coup: coup + 1, cards: 1 }, last.card)).toEqual([last])
  })
})
