/**
 * Ed25519 (RFC 8032), checking only: for pages without `crypto.subtle`, such as one that is served
 * over plain HTTP in a local network, and for browsers whose `crypto.subtle` lacks it. Loaded when
 * it is needed. Nothing here is secret, so nothing needs to take the same time.
 */

const P = 2n ** 255n - 19n
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n
const MASK = 2n ** 64n - 1n

const mod = (n: bigint): bigint => {
  const rest = n % P
  return rest < 0n ? rest + P : rest
}

function power(base: bigint, exponent: bigint): bigint {
  let [result, square, left] = [1n, mod(base), exponent]
  while (left > 0n) {
    if (left & 1n) result = mod(result * square)
    square = mod(square * square)
    left >>= 1n
  }
  return result
}

const inverse = (n: bigint): bigint => power(n, P - 2n)
const D = mod(-121665n * inverse(121666n))
const ROOT = power(2n, (P - 1n) / 4n)

/** A point as (X : Y : Z : T), with x = X/Z, y = Y/Z and T = XY/Z. */
type Point = [bigint, bigint, bigint, bigint]
const ZERO: Point = [0n, 1n, 1n, 0n]

function add([x1, y1, z1, t1]: Point, [x2, y2, z2, t2]: Point): Point {
  const a = mod((y1 - x1) * (y2 - x2))
  const b = mod((y1 + x1) * (y2 + x2))
  const c = mod(2n * t1 * t2 * D)
  const d = mod(2n * z1 * z2)
  const [e, f, g, h] = [b - a, d - c, d + c, b + a]
  return [mod(e * f), mod(g * h), mod(f * g), mod(e * h)]
}

function times(point: Point, n: bigint): Point {
  let [result, double, left] = [ZERO, point, n]
  while (left > 0n) {
    if (left & 1n) result = add(result, double)
    double = add(double, double)
    left >>= 1n
  }
  return result
}

function same([x1, y1, z1]: Point, [x2, y2, z2]: Point): boolean {
  return mod(x1 * z2 - x2 * z1) === 0n && mod(y1 * z2 - y2 * z1) === 0n
}

/** The number that bytes mean, the least byte first. */
function little(bytes: Uint8Array): bigint {
  let number = 0n
  for (let i = bytes.length - 1; i >= 0; i -= 1) number = (number << 8n) | BigInt(bytes[i] ?? 0)
  return number
}

/** The point that 32 bytes stand for; nothing if they stand for none. */
function point(bytes: Uint8Array): Point | null {
  const number = little(bytes)
  const [sign, y] = [number >> 255n, number & (2n ** 255n - 1n)]
  if (y >= P) return null
  const [u, v] = [mod(y * y - 1n), mod(D * y * y + 1n)]
  let x = mod(u * v ** 3n * power(u * v ** 7n, (P - 5n) / 8n))
  const found = mod(v * x * x)
  if (found === mod(-u)) x = mod(x * ROOT)
  else if (found !== u) return null
  if (x === 0n && sign === 1n) return null
  if ((x & 1n) !== sign) x = P - x
  return [x, y, 1n, mod(x * y)]
}

const BASE = point(Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? 0x58 : 0x66)))

/** The first 64 bits of the fractional part of a root of each of the first primes. */
function constants(count: number, root: 2n | 3n): bigint[] {
  const found: bigint[] = []
  for (let n = 2n; found.length < count; n += 1n) {
    let prime = true
    for (let i = 2n; i * i <= n; i += 1n) if (n % i === 0n) prime = false
    if (!prime) continue
    // The whole root of n shifted by 64 bits for each root, by halving.
    const wanted = n << (64n * root)
    let [low, high] = [0n, 1n << 72n]
    while (high - low > 1n) {
      const middle = (low + high) >> 1n
      if (middle ** root <= wanted) low = middle
      else high = middle
    }
    found.push(low & MASK)
  }
  return found
}

const ROUNDS = constants(80, 3n)
const START = constants(8, 2n)

/** SHA-512. */
export function sha512(message: Uint8Array): Uint8Array {
  const blocks = Math.ceil((message.length + 17) / 128)
  const padded = new Uint8Array(128 * blocks)
  padded.set(message)
  padded[message.length] = 0x80
  const data = new DataView(padded.buffer)
  data.setBigUint64(padded.length - 8, 8n * BigInt(message.length))
  const turn = (word: bigint, n: bigint) => ((word >> n) | (word << (64n - n))) & MASK
  const state = [...START]
  for (let block = 0; block < blocks; block += 1) {
    const w: bigint[] = []
    for (let i = 0; i < 80; i += 1) {
      if (i < 16) {
        w.push(data.getBigUint64(128 * block + 8 * i))
        continue
      }
      const [near, far] = [w[i - 2] ?? 0n, w[i - 15] ?? 0n]
      const one = turn(near, 19n) ^ turn(near, 61n) ^ (near >> 6n)
      const zero = turn(far, 1n) ^ turn(far, 8n) ^ (far >> 7n)
      w.push((one + (w[i - 7] ?? 0n) + zero + (w[i - 16] ?? 0n)) & MASK)
    }
    let [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n, f = 0n, g = 0n, h = 0n] = state
    for (let i = 0; i < 80; i += 1) {
      const choose = (e & f) ^ (~e & MASK & g)
      const ring = turn(e, 14n) ^ turn(e, 18n) ^ turn(e, 41n)
      const first = (h + ring + choose + (ROUNDS[i] ?? 0n) + (w[i] ?? 0n)) & MASK
      const most = (a & b) ^ (a & c) ^ (b & c)
      const second = ((turn(a, 28n) ^ turn(a, 34n) ^ turn(a, 39n)) + most) & MASK
      ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) & MASK, c, b, a, (first + second) & MASK]
    }
    ;[a, b, c, d, e, f, g, h].forEach((word, i) => {
      state[i] = ((state[i] ?? 0n) + word) & MASK
    })
  }
  const out = new DataView(new ArrayBuffer(64))
  state.forEach((word, i) => out.setBigUint64(8 * i, word))
  return new Uint8Array(out.buffer)
}

/** Whether a key of 32 bytes signed a message with these 64 bytes. */
export function isSignedBy(key: Uint8Array, signature: Uint8Array, message: Uint8Array): boolean {
  if (key.length !== 32 || signature.length !== 64 || !BASE) return false
  const [first, number] = [signature.slice(0, 32), little(signature.slice(32))]
  const [a, r] = [point(key), point(first)]
  if (!a || !r || number >= ORDER) return false
  const all = new Uint8Array(64 + message.length)
  all.set(first)
  all.set(key, 32)
  all.set(message, 64)
  const k = little(sha512(all)) % ORDER
  // [S]B = R + [k]A, the equation without the cofactor, as crypto.subtle checks it.
  return same(times(BASE, number), add(r, times(a, k)))
}
