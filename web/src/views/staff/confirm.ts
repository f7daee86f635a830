/** Lines of staff that are asked about once more, and what the page knows about them. */
import { coupsOf, netOf } from '../../lib/coups'
import type { EventView, TableView } from '../../lib/types'

export type Question = {
  line: string
  /** Money or a result is taken back; otherwise it only cannot be undone. */
  takesBack: boolean
  /** What the coup that it is about has paid so far, by player. */
  paid: [string, number][]
  clauses: string[]
}

const TAKES_BACK = /\b(voids?|invalidates?|finds? an error|cannot reconstruct)\b/i
const FOR_GOOD = /\b(excludes?|closes? the table)\b/i

/** What is asked before a line is said; nothing if it is said at once. */
export function questionOf(line: string, view: TableView, events: EventView[]): Question | null {
  const takesBack = TAKES_BACK.test(line)
  if (!takesBack && !FOR_GOOD.test(line)) return null
  const named = /\bcoup (\d+)/i.exec(line)?.[1]
  const number = named === undefined ? view.felt.coup : Number(named)
  const coup = takesBack ? coupsOf(events).find((one) => one.number === number) : undefined
  const sums = new Map<string, number>()
  for (const event of coup?.events ?? []) {
    if (event.kind !== 'settled' || !event.player) continue
    sums.set(event.player, (sums.get(event.player) ?? 0) + netOf(event))
  }
  const verb = (text: string) => text.toLowerCase().replace(/\d+/g, '').slice(0, 24)
  const act = view.lawful.find((one) => verb(one.line) === verb(line))
  return { line, takesBack, paid: [...sums], clauses: act?.clauses ?? [] }
}
