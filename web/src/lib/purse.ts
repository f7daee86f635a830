/**
 * What was brought to a table and taken away from it, from sitting down until the result is told:
 * whoever buys chips again in between has brought both. Kept for every tab of this browser.
 */

/** A moment of the log: its version, and its time in microseconds. */
export type Moment = { version: number; at: number }

type Kept = {
  brought: number
  took: number
  /** What happened behind this version is not counted yet: each tab hears of everything. */
  version: number
  /** When the seat was left to buy chips; nothing while it is taken, or when the result was told. */
  between: number | null
  told: boolean
}

/** What a visit came to, in cents; what was brought is not known where another browser sat down. */
export type Result = { brought: number | null; took: number }

/** Whoever does not come back with new chips within an hour has ended the visit. */
const BETWEEN_US = 3_600_000_000

const nameOf = (account: string, table: string) => `sabot.purse.${account}.${table}`

function read(name: string): Kept | null {
  try {
    return JSON.parse(localStorage.getItem(name) ?? 'null') as Kept | null
  } catch {
    return null
  }
}

function keep(name: string, kept: Kept): void {
  try {
    localStorage.setItem(name, JSON.stringify(kept))
  } catch {
    // A browser that keeps nothing does not say the result.
  }
}

export class Purse {
  private readonly name: string

  constructor(account: string, table: string) {
    this.name = nameOf(account, table)
  }

  /** Somebody sat down with so much. */
  brought(cents: number, { version, at }: Moment): void {
    const kept = read(this.name)
    if (kept && version <= kept.version) return
    const before = kept && kept.between !== null && at - kept.between < BETWEEN_US ? kept : null
    keep(this.name, {
      brought: (before?.brought ?? 0) + cents,
      took: before?.took ?? 0,
      version,
      between: null,
      told: false,
    })
  }

  /** The seat was left with so much, `again` if new chips are to be bought; gives the result. */
  took(cents: number, { version, at }: Moment, again: boolean): Result {
    const kept = read(this.name)
    if (!kept) return { brought: null, took: cents }
    const known = version <= kept.version
    // Another browser sat down since the last result was told here.
    if (kept.told && !known) return { brought: null, took: cents }
    const now = known ? kept : { ...kept, took: kept.took + cents, version, told: true }
    keep(this.name, again ? { ...now, between: at, told: false } : now)
    return { brought: now.brought, took: now.took }
  }

  /** No new chips were bought after all: the visit is over. */
  end(): void {
    const kept = read(this.name)
    if (kept) keep(this.name, { ...kept, between: null, told: true })
  }
}
