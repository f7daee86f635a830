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

const SIGNS = { h: '♥', d: '♦', c: '♣', s: '♠' } as const

/** A card with the sign of its suit. */
export function signOf(card: string): string {
  return rankOf(card) + SIGNS[suitOf(card)]
}

/** What an event says, its cards with the signs of their suits. */
export function toldWithSigns(event: { what: string; cards: string[] }): string {
  const cards = new Set(event.cards)
  return event.what.replace(/\b(?:10|[2-9TJQKA])[hdcs]\b/g, (word) => {
    const card = word.startsWith('10') ? `T${word.slice(2)}` : word
    return cards.has(card) ? signOf(card) : word
  })
}
