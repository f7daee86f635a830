/** Where the marks of the roads stand on the board. The roads themselves come from the server. */

export const ROWS = 6

/** The first column that is shown, so that the last ones fit. */
export function firstColumn(columns: number[], room: number): number {
  const last = columns.reduce((most, column) => Math.max(most, column), -1)
  return Math.max(0, last + 1 - room)
}

/** The column and the row of result i on the bead plate. */
export function beadAt(i: number): { column: number; row: number } {
  return { column: Math.floor(i / ROWS), row: i % ROWS }
}
