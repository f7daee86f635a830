/** Cards as the wire writes them: `Th` is the ten of hearts. */

export type Suit = 'h' | 'd' | 'c' | 's'

export function rankOf(card: string): string {
  const rank = card.slice(0, -1)
  return rank === 'T' ? '10' : rank
}

export function suitOf(card: string): Suit {
  const suit = card.slice(-1)
  return suit === 'h' || suit === 'd' || suit === 'c' ? suit : 's'
}
