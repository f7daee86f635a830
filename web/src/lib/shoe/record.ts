/** The record of a shoe, in the form that docs/VERIFY.md explains. */
import { L } from '../texts'

export type ShoePromise = { account: string; first: string; second: string }

export type Opening = { index: number; card: string; salt: string; path: string[] }

export type ShoeRecord = {
  protocol: string
  decks: number
  commitment: string
  binds: {
    key: string
    table: string
    number: number
    book: string
    behind: number
    least: number
  }
  promises: ShoePromise[]
  signature: string | null
  firsts: (string | null)[] | null
  root: string | null
  cutter: string | null
  cut: number | null
  seconds: (string | null)[] | null
  dealt: string[]
  openings: Opening[]
  entropy: string | null
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const HEX32 = /^[0-9a-f]{64}$/
const CARD = /^[A2-9TJQK][hdcs]$/

const isHex = (value: unknown): value is string => typeof value === 'string' && HEX32.test(value)
const isWhole = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && new TextEncoder().encode(value).length <= 100

function words(value: unknown): boolean {
  return (
    value === null ||
    (Array.isArray(value) && value.length <= 64 && value.every((w) => w === null || isHex(w)))
  )
}

function promise(value: unknown): boolean {
  return (
    isObject(value) && isText(value['account']) && isHex(value['first']) && isHex(value['second'])
  )
}

function opening(value: unknown): boolean {
  return (
    isObject(value) &&
    isWhole(value['index']) &&
    typeof value['card'] === 'string' &&
    CARD.test(value['card']) &&
    isHex(value['salt']) &&
    Array.isArray(value['path']) &&
    value['path'].length <= 64 &&
    value['path'].every(isHex)
  )
}

const FIELDS = [
  'binds',
  'commitment',
  'cut',
  'cutter',
  'dealt',
  'decks',
  'entropy',
  'firsts',
  'openings',
  'promises',
  'protocol',
  'root',
  'seconds',
  'signature',
]

/** The record that a value is, or why it is none. */
export function readRecord(value: unknown): ShoeRecord | string {
  if (!isObject(value)) return L.t.proof.faults.noRecord
  // What the server gives has the record inside.
  if ('shoe' in value && 'number' in value) return readRecord(value['shoe'])
  if (value['protocol'] === 'sabot-shoe-1') return L.t.proof.faults.oldWay
  const keys = Object.keys(value).sort()
  if (keys.join() !== FIELDS.join()) return L.t.proof.faults.fields
  const binds = value['binds']
  const faults: [boolean, string][] = [
    [typeof value['protocol'] === 'string', 'protocol'],
    [isWhole(value['decks']), 'decks'],
    [isHex(value['commitment']), 'commitment'],
    [
      isObject(binds) &&
        isHex(binds['key']) &&
        isText(binds['table']) &&
        isWhole(binds['number']) &&
        isHex(binds['book']) &&
        isWhole(binds['behind']) &&
        isWhole(binds['least']),
      'binds',
    ],
    [
      Array.isArray(value['promises']) &&
        value['promises'].length <= 64 &&
        value['promises'].every(promise),
      'promises',
    ],
    [
      value['signature'] === null ||
        (typeof value['signature'] === 'string' && /^[0-9a-f]{128}$/.test(value['signature'])),
      'signature',
    ],
    [words(value['firsts']), 'firsts'],
    [value['root'] === null || isHex(value['root']), 'root'],
    [[null, 'player', 'staff'].includes(value['cutter'] as string | null), 'cutter'],
    [value['cut'] === null || isWhole(value['cut']), 'cut'],
    [words(value['seconds']), 'seconds'],
    [
      Array.isArray(value['dealt']) && value['dealt'].every((what) => typeof what === 'string'),
      'dealt',
    ],
    [Array.isArray(value['openings']) && value['openings'].every(opening), 'openings'],
    [
      value['entropy'] === null ||
        (typeof value['entropy'] === 'string' && /^[0-9a-f]{8192}$/.test(value['entropy'])),
      'entropy',
    ],
  ]
  const fault = faults.find(([good]) => !good)
  if (fault) return L.t.proof.faults.field(fault[1])
  return value as ShoeRecord
}
