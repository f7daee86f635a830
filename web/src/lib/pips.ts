/** Where the pips of a card are printed, on a card of 84 by 118. */
import type { Point } from './fold'

const [LEFT, MIDDLE, RIGHT] = [24, 42, 60]
/** The first and the last row, and those between. */
const ROW = { first: 20, second: 46, half: 59, third: 72, last: 98 }
const both = (...rows: number[]): Point[] =>
  rows.flatMap((y) => [
    { x: LEFT, y },
    { x: RIGHT, y },
  ])
const one = (...rows: number[]): Point[] => rows.map((y) => ({ x: MIDDLE, y }))
const { first, second, half, third, last } = ROW

const PIPS: Record<string, Point[]> = {
  A: one(half),
  '2': one(first, last),
  '3': one(first, half, last),
  '4': both(first, last),
  '5': [...both(first, last), ...one(half)],
  '6': both(first, half, last),
  '7': [...both(first, half, last), ...one((first + half) / 2)],
  '8': [...both(first, half, last), ...one((first + half) / 2, (half + last) / 2)],
  '9': [...both(first, second, third, last), ...one(half)],
  '10': [...both(first, second, third, last), ...one((first + second) / 2, (third + last) / 2)],
}

/** The pips of a rank; a court card has none. */
export const pipsOf = (rank: string): Point[] => PIPS[rank] ?? []
