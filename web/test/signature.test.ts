import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { isSignedBy, sha512 } from '../src/lib/shoe/ed25519'
import { checkHead, keepHead, keptHead, readHead, type Head } from '../src/lib/shoe/head'
import { readRecord } from '../src/lib/shoe/record'
import { hex, unhex, utf8 } from '../src/lib/shoe/sha256'
import { isSignature } from '../src/lib/shoe/signature'
import { verify } from '../src/lib/shoe/verify'

const bytes = (text: string) => unhex(text) ?? new Uint8Array()

describe('our own SHA-512', () => {
  it('agrees with another implementation at every length around a block', () => {
    for (let length = 0; length < 280; length += 3) {
      const message = Uint8Array.from({ length }, (_, i) => (i * 11 + length) & 255)
      expect(hex(sha512(message))).toBe(createHash('sha512').update(message).digest('hex'))
    }
  })
})

describe('our own Ed25519', () => {
  // RFC 8032, section 7.1: key, message, signature.
  const VECTORS = [
    [
      'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
      '',
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
    ],
    [
      '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
      '72',
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
    ],
    [
      'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
      'af82',
      '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
    ],
  ] as const
  const raw = (key: KeyObject) =>
    new Uint8Array(key.export({ type: 'spki', format: 'der' })).slice(-32)

  it('holds for the examples of the standard, and for nothing near them', () => {
    for (const [key, message, signature] of VECTORS) {
      const [k, m, s] = [bytes(key), bytes(message), bytes(signature)]
      expect(isSignedBy(k, s, m)).toBe(true)
      for (const at of [0, 31, 32, 63]) {
        const other = s.slice()
        other[at] = (other[at] ?? 0) ^ 1
        expect(isSignedBy(k, other, m)).toBe(false)
      }
      expect(isSignedBy(k, s, utf8(`${message} `))).toBe(false)
    }
  })
  it('agrees with another implementation', () => {
    for (let i = 0; i < 8; i += 1) {
      const { publicKey, privateKey } = generateKeyPairSync('ed25519')
      const message = Uint8Array.from({ length: 40 * i }, (_, j) => (j * i) & 255)
      const signature = new Uint8Array(sign(null, message, privateKey))
      expect(isSignedBy(raw(publicKey), signature, message)).toBe(true)
      const another = generateKeyPairSync('ed25519')
      expect(isSignedBy(raw(another.publicKey), signature, message)).toBe(false)
    }
  })
  it('refuses a number that is not reduced, and points that are none', () => {
    const [key, message, signature] = VECTORS[1]
    const order = 2n ** 252n + 27742317777372353535851937790883648493n
    const s = bytes(signature)
    let number = 0n
    for (let i = 63; i >= 32; i -= 1) number = (number << 8n) | BigInt(s[i] ?? 0)
    number += order
    for (let i = 32; i < 64; i += 1) {
      s[i] = Number(number & 255n)
      number >>= 8n
    }
    expect(isSignedBy(bytes(key), s, bytes(message))).toBe(false)
    expect(isSignedBy(new Uint8Array(32).fill(255), bytes(signature), bytes(message))).toBe(false)
    expect(isSignedBy(new Uint8Array(31), bytes(signature), bytes(message))).toBe(false)
  })
})

describe('a signature of the house', () => {
  afterEach(() => vi.unstubAllGlobals())
  const shoe = () => {
    const read = readRecord(JSON.parse(readFileSync('test/shoe.json', 'utf8')))
    if (typeof read === 'string') throw new Error(read)
    return read
  }
  const signature = async () =>
    (await verify(shoe())).checks.find((one) => one.name === 'signature')?.verdict

  it('is checked where the page has no crypto.subtle', async () => {
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues })
    expect(await signature()).toBe('good')
  })
  it('is checked where crypto.subtle does not know Ed25519', async () => {
    const importKey = () => Promise.reject(new DOMException('no such algorithm'))
    vi.stubGlobal('crypto', { subtle: { importKey } })
    expect(await signature()).toBe('good')
    const other = bytes('00'.repeat(64))
    expect(await isSignature(bytes(shoe().binds.key), other, utf8('x'))).toBe(false)
  })
})

describe('the head of the log', () => {
  /** Two checkpoints that follow each other, out of a log of the program. */
  const heads = (): [Head, Head] => {
    const all = JSON.parse(readFileSync('test/heads.json', 'utf8')) as unknown[]
    const [first, second] = all.map(readHead)
    if (!first || !second) throw new Error('no heads')
    return [first, second]
  }
  const of = async (head: Head, kept: Head | null) =>
    (await checkHead(head, kept)).map(({ name, verdict }) => `${name} ${verdict}`)

  it('holds, and follows the one before it', async () => {
    const [first, second] = heads()
    expect(await of(first, null)).toEqual(['hash good', 'signature good'])
    expect(await of(second, first)).toEqual(['hash good', 'signature good', 'kept good'])
    expect(await of(second, second)).toEqual(['hash good', 'signature good', 'kept good'])
  })
  it('does not go back, and is no other of the same number', async () => {
    const [first, second] = heads()
    expect(await of(first, second)).toContain('kept bad')
    const other = { ...second, hash: first.hash }
    expect(await of(other, second)).toEqual(['hash bad', 'signature good', 'kept bad'])
  })
  it('is not signed when anything in it is altered', async () => {
    const [, head] = heads()
    const { record } = head
    if (!record) throw new Error('no record')
    const altered: Head[] = [
      { ...head, record: { ...record, at: record.at + 1 } },
      { ...head, record: { ...record, previous: head.hash } },
      { ...head, record: { ...record, body: record.body.replace('"version":1', '"version":9') } },
      { ...head, key: head.hash },
      { ...head, version: head.version + 1 },
    ]
    for (const one of altered) expect(await of(one, null)).toContain('signature bad')
  })
  it('says what cannot be checked without its record', async () => {
    const [, head] = heads()
    expect(await of({ ...head, record: null }, null)).toEqual(['hash left', 'signature left'])
    expect(readHead({ version: '2', hash: 'x' })).toBeNull()
    expect(readHead(null)).toBeNull()
  })
  it('is kept by the key of its house', () => {
    const [first, second] = heads()
    keepHead(first)
    expect(keptHead(first.key)).toEqual({ ...first, record: null })
    keepHead(second)
    expect(keptHead(first.key)?.version).toBe(second.version)
    expect(keptHead('another')).toBeNull()
  })
})
