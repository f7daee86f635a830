import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { api } from '../src/lib/api'
import type { ShoeRecord } from '../src/lib/shoe/record'
import { keepHead, keptHead, readHead, type Head } from '../src/lib/shoe/head'
import { Witness } from '../src/lib/shoe/witness.svelte'
import type { HeadView } from '../src/lib/types'

/** The shoe while it is dealt: its secret is not out. */
function shoe(): ShoeRecord {
  const whole = JSON.parse(readFileSync('test/shoe.json', 'utf8')) as ShoeRecord
  return { ...whole, entropy: null }
}
/** The same, with the first coup alone, or with none of its cards opened yet. */
function early(opened: number): ShoeRecord {
  const record = shoe()
  return { ...record, dealt: record.dealt.slice(0, 4), openings: record.openings.slice(0, opened) }
}
const lying = { coup: 1, cards: 4 }

describe('the cards of a coup that is over', () => {
  let published: (() => Promise<ShoeRecord>)[]
  beforeEach(() => {
    vi.useFakeTimers()
    published = []
    vi.spyOn(api, 'shoe').mockImplementation(async () => {
      const next = published.length > 1 ? published.shift() : published[0]
      return {
        number: 1,
        shoe: await (next ?? (() => Promise.reject(new Error('nobody answers'))))(),
      }
    })
  })
  afterEach(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
  })
  const witness = () =>
    new Witness(
      't4',
      () => null,
      () => false,
    )
  const cards = () =>
    shoe()
      .openings.slice(0, 4)
      .map((one) => one.card)

  it('were opened, if only a moment later', async () => {
    published = [() => Promise.resolve(early(0)), () => Promise.resolve(early(4))]
    const one = witness()
    await one.look()
    const confirmed = one.confirm(shoe().root, lying, cards())
    await vi.advanceTimersByTimeAsync(3000)
    await confirmed
    expect(one.alarm).toBeNull()
    expect(one.shows(shoe().root, lying, cards()[0])).toBe(true)
  })

  it('were not: that is an alarm', async () => {
    published = [() => Promise.resolve(early(3))]
    const one = witness()
    await one.look()
    const confirmed = one.confirm(shoe().root, lying, cards())
    await vi.advanceTimersByTimeAsync(3000)
    await confirmed
    expect(cards()[3]).toBe('Kd')
    expect(one.alarm).toContain('never opened (king of diamonds)')
  })

  it('cannot be asked for while the line is down: nothing is concluded from it', async () => {
    const down = () => Promise.reject(new Error('nobody answers'))
    published = [() => Promise.resolve(early(0)), down, down, () => Promise.resolve(early(4))]
    const one = witness()
    expect(await one.look()).toBe(true)
    const confirmed = one.confirm(shoe().root, lying, cards())
    await vi.advanceTimersByTimeAsync(4000)
    expect(one.alarm).toBeNull()
    await vi.advanceTimersByTimeAsync(8000)
    await confirmed
    expect(one.alarm).toBeNull()
  })

  it('are waited for when another look is still under way', async () => {
    const late: ((record: ShoeRecord) => void)[] = []
    const slow = () => new Promise<ShoeRecord>((done) => late.push(done))
    published = [() => Promise.resolve(early(0)), slow, () => Promise.resolve(early(4))]
    const one = witness()
    await one.look()
    const confirmed = one.confirm(shoe().root, lying, cards())
    await vi.advanceTimersByTimeAsync(2400)
    const under = one.look()
    await vi.advanceTimersByTimeAsync(200)
    // What was asked for before the cards were opened has none of them.
    late[0]?.(early(0))
    await under
    await confirmed
    expect(one.alarm).toBeNull()
  })
})

describe('the signed head, at the table', () => {
  const heads = JSON.parse(readFileSync('test/heads.json', 'utf8')) as [HeadView, HeadView]
  const [first, second] = heads.map(readHead) as [Head, Head]
  afterEach(() => {
    vi.restoreAllMocks()
    localStorage.clear()
  })
  const witness = () =>
    new Witness(
      't4',
      () => null,
      () => false,
    )
  const alarm = async (said: () => Promise<HeadView>) => {
    vi.spyOn(api, 'head').mockImplementation(said)
    const one = witness()
    await one.checkHead()
    return one.alarm
  }

  it('is no alarm while it holds and goes on, and the newest one is kept', async () => {
    expect(await alarm(() => Promise.resolve(heads[0]))).toBeNull()
    expect(await alarm(() => Promise.resolve(heads[1]))).toBeNull()
    expect(keptHead(first.key)?.version).toBe(2)
  })
  it('is an alarm where it goes back, is another of its number, or does not follow', async () => {
    keepHead(second)
    expect(await alarm(() => Promise.resolve(heads[0]))).toContain('has seen')
    keepHead({ ...second, hash: first.hash })
    expect(await alarm(() => Promise.resolve(heads[1]))).toContain('has seen')
    localStorage.clear()
    keepHead({ ...first, hash: second.hash })
    expect(await alarm(() => Promise.resolve(heads[1]))).toContain('has seen')
  })
  it('is an alarm where it is not signed as it says, and such a one is not kept', async () => {
    const forged = { ...heads[1], version: 9 }
    expect(await alarm(() => Promise.resolve(forged))).toContain('signature')
    expect(keptHead(first.key)).toBeNull()
  })
  it('is nothing to conclude from where nobody answers, or another tab was quicker', async () => {
    keepHead(first)
    expect(await alarm(() => Promise.reject(new Error('nobody')))).toBeNull()
    const meanwhile = () => {
      keepHead(second)
      return Promise.resolve(heads[0])
    }
    expect(await alarm(meanwhile)).toBeNull()
    expect(keptHead(first.key)?.version).toBe(2)
  })
  it('is looked at when a shoe ends', async () => {
    const ended = JSON.parse(readFileSync('test/shoe.json', 'utf8')) as ShoeRecord
    const asked = vi.spyOn(api, 'head').mockImplementation(() => Promise.resolve(heads[0]))
    keepHead(second)
    vi.spyOn(api, 'shoe').mockImplementation(() => Promise.resolve({ number: 1, shoe: ended }))
    vi.spyOn(api, 'lastShoe').mockImplementation(() => Promise.resolve({ number: 1, shoe: ended }))
    const one = witness()
    await one.look()
    await vi.waitFor(() => expect(one.alarm).toContain('has seen'))
    expect(asked).toHaveBeenCalledOnce()
  })
})
