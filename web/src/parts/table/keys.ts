/** The keys of the table: chips by number, spots by letter, and what is done with bets. */
import { isTyping } from '../../lib/focus'

export type Keyed = {
  /** The chips of the tray. */
  chips: number[]
  onchip: (cents: number) => void
  onbet: (spot: string) => void
  onundo: () => void
  onclear: () => void
  ondouble: () => void
  onrebet: () => void
  onamount: () => void
  onhelp: () => void
}

const SPOTS: Record<string, string> = { p: 'player', t: 'tie', b: 'banker' }

/** Does what a key asks for. Keys in a field are the field's. */
export function press(event: KeyboardEvent, to: Keyed): void {
  // A key that is held says nothing new: a bet is made once.
  if (event.repeat || event.metaKey || event.ctrlKey || event.altKey) return
  const target = event.target instanceof HTMLElement ? event.target : null
  if (target && isTyping(target)) {
    if (event.key === 'Escape' || event.key === 'Enter') target.blur()
    return
  }
  const key = event.key.toLowerCase()
  const number = Number(key)
  const chip = number >= 1 ? to.chips[number - 1] : undefined
  if (chip !== undefined) {
    to.onchip(chip)
    return
  }
  const spot = SPOTS[key]
  if (spot) to.onbet(spot)
  else if (key === 'u') to.onundo()
  else if (key === 'c') to.onclear()
  else if (key === 'd') to.ondouble()
  else if (key === 'r') to.onrebet()
  else if (key === '?') to.onhelp()
  else if (key === 'a') {
    event.preventDefault()
    to.onamount()
  }
}
