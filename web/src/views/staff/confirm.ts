/** Lines of staff that are tried and asked about before they are said. */
import type { WouldDo } from '../../lib/types'

export type Question = {
  line: string
  /** Money or a result is taken back; otherwise it only cannot be undone. */
  takesBack: boolean
  /** What it would do. */
  would: WouldDo
}

const TAKES_BACK = /\b(voids?|invalidates?|finds? an error|(cannot )?reconstructs?)\b/i
const FOR_GOOD = /\b(excludes?|closes? the table)\b/i

/** Whether a line is asked about first, and why; nothing if it is said at once. */
export function isGrave(line: string): { takesBack: boolean } | null {
  const takesBack = TAKES_BACK.test(line)
  return takesBack || FOR_GOOD.test(line) ? { takesBack } : null
}

/** What events move to or from each player and the house, in cents. */
export function movedBy(events: WouldDo['events']): [string, number][] {
  const sums = new Map<string, number>()
  for (const posting of events.flatMap((event) => event.postings)) {
    const who = posting.player ?? posting.account
    sums.set(who, (sums.get(who) ?? 0) + posting.gained_cents)
  }
  return [...sums].filter(([, cents]) => cents !== 0)
}
