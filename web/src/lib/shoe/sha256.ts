/** SHA-256 and HMAC of our own: pages on plain HTTP have no `crypto.subtle`, and this is as quick. */

const K = new Uint32Array(64)
const START = new Uint32Array(8)

/** The constants are fractions of roots of the first primes, so they are worked out, not listed. */
function prepare(): void {
  let found = 0
  for (let n = 2; found < 64; n += 1) {
    let prime = true
    for (let d = 2; d * d <= n; d += 1) if (n % d === 0) prime = false
    if (!prime) continue
    if (found < 8) START[found] = fraction(n, 2)
    K[found] = fraction(n, 3)
    found += 1
  }
}

/** The first 32 bits of the fraction of a root, exactly: by whole numbers alone. */
function fraction(n: number, root: 2 | 3): number {
  const big = BigInt(n) << BigInt(32 * root)
  let low = 0n
  let high = 1n << 40n
  while (high - low > 1n) {
    const middle = (low + high) >> 1n
    if (middle ** BigInt(root) <= big) low = middle
    else high = middle
  }
  return Number(low & 0xffffffffn)
}

prepare()

function at(words: Uint32Array, i: number): number {
  return words[i] ?? 0
}

function turn(x: number, by: number): number {
  return (x >>> by) | (x << (32 - by))
}

function block(state: Uint32Array, words: Uint32Array): void {
  for (let i = 16; i < 64; i += 1) {
    const a = at(words, i - 15)
    const b = at(words, i - 2)
    const s0 = turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)
    const s1 = turn(b, 17) ^ turn(b, 19) ^ (b >>> 10)
    words[i] = at(words, i - 16) + s0 + at(words, i - 7) + s1
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let i = 0; i < 64; i += 1) {
    const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)
    const one = (h + s1 + ((e & f) ^ (~e & g)) + at(K, i) + at(words, i)) | 0
    const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)
    const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + one) | 0
    d = c
    c = b
    b = a
    a = (one + two) | 0
  }
  const after = [a, b, c, d, e, f, g, h]
  for (let i = 0; i < 8; i += 1) state[i] = at(state, i) + (after[i] ?? 0)
}

/** The SHA-256 of bytes. */
export function sha256(message: Uint8Array): Uint8Array {
  const state = START.slice()
  const length = message.length
  const padded = new Uint8Array(((length + 9 + 63) >> 6) << 6)
  padded.set(message)
  padded[length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor(length / 0x20000000))
  view.setUint32(padded.length - 4, (length << 3) >>> 0)
  const words = new Uint32Array(64)
  for (let from = 0; from < padded.length; from += 64) {
    for (let i = 0; i < 16; i += 1) words[i] = view.getUint32(from + 4 * i)
    block(state, words)
  }
  const out = new Uint8Array(32)
  const written = new DataView(out.buffer)
  for (let i = 0; i < 8; i += 1) written.setUint32(4 * i, at(state, i))
  return out
}

/** HMAC-SHA-256. */
export function hmac(key: Uint8Array, message: Uint8Array): Uint8Array {
  const short = key.length > 64 ? sha256(key) : key
  const inner = new Uint8Array(64).fill(0x36)
  const outer = new Uint8Array(64).fill(0x5c)
  short.forEach((byte, i) => {
    inner[i] = (inner[i] ?? 0) ^ byte
    outer[i] = (outer[i] ?? 0) ^ byte
  })
  return sha256(join(outer, sha256(join(inner, message))))
}

/** Bytes, one after another. */
export function join(...parts: Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let from = 0
  for (const part of parts) {
    out.set(part, from)
    from += part.length
  }
  return out
}

/** Text as UTF-8. */
export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** A number as four bytes, the most significant first. */
export function u32(value: number): Uint8Array {
  const out = new Uint8Array(4)
  new DataView(out.buffer).setUint32(0, value)
  return out
}

/** A number as eight bytes, the most significant first. */
export function u64(value: number): Uint8Array {
  return join(u32(Math.floor(value / 2 ** 32)), u32(value % 2 ** 32))
}

/** Text with its length before it. */
export function text(value: string): Uint8Array {
  const bytes = utf8(value)
  return join(u32(bytes.length), bytes)
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The bytes of hexadecimal text; nothing if it is none. */
export function unhex(value: string): Uint8Array | null {
  if (value.length % 2 !== 0 || !/^[0-9a-f]*$/.test(value)) return null
  const out = new Uint8Array(value.length / 2)
  for (let i = 0; i < out.length; i += 1) out[i] = parseInt(value.slice(2 * i, 2 * i + 2), 16)
  return out
}

export function same(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}
