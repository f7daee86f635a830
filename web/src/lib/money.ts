/** Amounts: whole cents on the wire, dollars on the screen and in lines. */

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const exact = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** An amount to the cent: `1,240.00`. */
export function money(cents: number): string {
  return exact.format(cents / 100)
}

/** An amount as short as it is exact: `5`, `2.50`. */
export function short(cents: number): string {
  return cents % 100 === 0 ? whole.format(cents / 100) : exact.format(cents / 100)
}

/** With its sign: `+95.00`, `−50.00`. */
export function signed(cents: number): string {
  return cents > 0 ? `+${money(cents)}` : cents < 0 ? `−${money(-cents)}` : money(0)
}

/** As the language wants it: `50`, `2.50`. */
export function plain(cents: number): string {
  return cents % 100 === 0 ? String(cents / 100) : (cents / 100).toFixed(2)
}

/**
 * The cents that somebody typed; nothing if it is no amount. Thousands may stand in groups, as the
 * page writes them: a comma before three figures groups, before one or two it begins the cents.
 */
export function typed(text: string): number | null {
  const plain = text.normalize('NFKC').trim()
  const commas = /^\d{1,3}(,\d{3})+(\.|$)/.test(plain)
  const spaces = /^\d{1,3}( \d{3})+([.,]|$)/.test(plain)
  const whole = commas ? plain.replaceAll(',', '') : spaces ? plain.replaceAll(' ', '') : plain
  const found = /^(\d{1,12})(?:[.,](\d{0,2}))?$/.exec(whole)
  if (!found?.[1]) return null
  return Number(found[1]) * 100 + Number((found[2] ?? '').padEnd(2, '0'))
}

/** A chip's face: `5`, `2.5`, `1k`. */
export function face(cents: number): string {
  const dollars = cents / 100
  if (dollars >= 1000 && dollars % 100 === 0) return `${dollars / 1000}k`
  return String(dollars)
}

const SERIES = [1, 2, 5, 10, 25, 100, 500, 1000, 5000, 10_000].map((dollars) => dollars * 100)

/** The chips of the tray: those on the sign, or usual ones between the limits. */
export function chipsFor(onSign: number[], least: number, most: number): number[] {
  if (onSign.length > 0) return onSign.slice(0, 6)
  const fitting = SERIES.filter((chip) => chip >= Math.min(least, 500) && chip <= most)
  return fitting.slice(0, 5)
}

/** The chips that make up an amount, the largest first; what is left over is dropped. */
export function pile(cents: number, chips: number[]): number[] {
  const out: number[] = []
  let left = cents
  for (const chip of [...chips].sort((a, b) => b - a)) {
    while (left >= chip && out.length < 40) {
      out.push(chip)
      left -= chip
    }
  }
  return out
}
