/** The texts: each is shown somewhere, and both languages have the same. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { account } from '../src/lib/texts/account'
import { helps } from '../src/lib/texts/helps'
import { proof } from '../src/lib/texts/proof'
import { pages } from '../src/lib/texts/pages'
import { squeeze } from '../src/lib/texts/squeeze'
import { staff } from '../src/lib/texts/staff'
import { en } from '../src/lib/texts/en'
import { zh } from '../src/lib/texts/zh'

type Texts = { [key: string]: Texts | readonly unknown[] | string | ((...all: never[]) => unknown) }

const isList = (value: Texts | readonly unknown[]): value is readonly unknown[] =>
  Array.isArray(value)

/** Each text with the names that lead to it. */
function pathsOf(texts: Texts, before: string[] = []): string[][] {
  return Object.entries(texts).flatMap(([key, value]) => {
    const path = [...before, key]
    return typeof value === 'object' && !isList(value) ? pathsOf(value, path) : [path]
  })
}

const SOURCE = join(import.meta.dirname, '..', 'src')
const code = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(svelte|ts)$/.test(name) && !name.includes('texts'))
  .map((name) => readFileSync(join(SOURCE, name), 'utf8'))
  .join('\n')
  // A long chain of names may be broken before a point.
  .replace(/\s+\./g, '.')

describe('the texts', () => {
  it.each([
    ['page', en],
    ['account', account.en],
    ['proof', proof.en],
    ['staff', staff.en],
    ['pages', pages.en],
    ['helps', helps.en],
    ['squeeze', squeeze.en],
  ])('of the %s are all shown somewhere', (_, texts) => {
    const isUsed = (path: string[]) => {
      const [key = '', parent = 't'] = [...path].reverse()
      // By its name, of its part or of a short name for it; or one of a list, by a word.
      return new RegExp(`(\\b${parent}|\\bt)\\.${key}\\b|\\b${parent}(\\?\\.)?\\[`).test(code)
    }
    const unused = pathsOf(texts).filter((path) => !isUsed(path))
    expect(unused.map((path) => path.join('.'))).toEqual([])
  })

  it.each([
    ['page', en, zh],
    ['account', account.en, account.zh],
    ['proof', proof.en, proof.zh],
    ['staff', staff.en, staff.zh],
    ['pages', pages.en, pages.zh],
    ['helps', helps.en, helps.zh],
    ['squeeze', squeeze.en, squeeze.zh],
  ])('of the %s are the same in both languages', (_, english, chinese) => {
    const names = (texts: Texts) => pathsOf(texts).map((path) => path.join('.'))
    expect(names(chinese).sort()).toEqual(names(english).sort())
  })
})
