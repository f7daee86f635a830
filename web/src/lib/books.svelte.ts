/** The books, fetched once when somebody asks why. */
import { api, problemOf } from './api'
import type { BookClause } from './types'

class Books {
  private shelves = $state.raw(new Map<string, Map<string, BookClause>>())
  private asked = new Set<string>()

  /** Fetches the book of a clause, once. */
  want(clause: string): void {
    const [book] = clause.split(' ')
    if (!book || this.asked.has(book)) return
    this.asked.add(book)
    api
      .book(book)
      .then((document) => {
        // A book that amends another comes with the other's clauses, which have the same numbers.
        const own = document.clauses.filter((entry) => entry.book === book)
        const shelf = new Map(own.map((entry) => [entry.number, entry]))
        this.shelves = new Map([...this.shelves, [book, shelf]])
      })
      .catch((thrown: unknown) => {
        // What is no book, such as the sheet of a side bet, is not asked for again.
        if (problemOf(thrown).status !== 404) this.asked.delete(book)
      })
  }

  /** What a clause such as `act-2018 4.6(b)` says, once its book is here. */
  find(clause: string): BookClause | null {
    const space = clause.indexOf(' ')
    const shelf = this.shelves.get(clause.slice(0, space))
    if (!shelf) return null
    const number = nearest(clause.slice(space + 1), (one) => shelf.has(one))
    return number === null ? null : (shelf.get(number) ?? null)
  }
}

export const books = new Books()

/** The clause that an entry stands for: `6.2(a)` has its words at `6.2` if it has none itself. */
export function nearest(number: string, has: (number: string) => boolean): string | null {
  for (let at = number; ;) {
    if (has(at)) return at
    const shorter = at.replace(/\([^()]*\)$/, '')
    if (shorter === at) return null
    at = shorter
  }
}

/** A clause without its book: `4.6(b)`. */
export function numberOf(clause: string): string {
  return clause.slice(clause.indexOf(' ') + 1)
}

/** The same, as it is printed: an entry of a dictionary is its word. */
export function labelOf(clause: string): string {
  return numberOf(clause).replace(/^dictionary "(.*)"$/, '“$1”')
}
