/**
 * A card that is lifted by a corner or an edge: where it folds, what of its back is left, and where
 * the part that is turned over comes to lie. It has no thickness and does not lie flat: what is
 * turned over stands up towards the eye, and looks shorter than it is.
 */

export type Point = { x: number; y: number }
/** What is held, and where it was taken. */
export type Lift = { from: Point; to: Point }
export type Fold = {
  /** From 0, it lies, to 1, nothing is hidden any more. */
  part: number
  /** What is left of the back, and what is turned over, both where they were on the card. */
  rest: Point[]
  over: Point[]
  /** Where what is turned over is seen. */
  seen: Point[]
  /** Takes a point that is turned over to where it is seen. */
  turn: [number, number, number, number, number, number]
  /** A point of the fold, and where the farthest point that is turned over is seen. */
  crease: Point
  tip: Point
}

export const CARD = { width: 84, height: 118 }
/** The foot is what the keys lift. */
export const FOOT: Point = { x: CARD.width / 2, y: CARD.height }
/** How much of the card is turned over at the most. */
const MOST = 0.6
/** How long what is turned over looks. */
const SEEN = 0.8
/** From here on the card counts as turned. */
export const WHOLE = 0.98

/** The corner or the edge that is nearest to where somebody takes the card. */
export function held(at: Point): Point {
  const third = (value: number, size: number) => Math.floor(Math.max(0, value / size) * 3)
  const place = (value: number, size: number) => (Math.min(2, third(value, size)) / 2) * size
  const found = { x: place(at.x, CARD.width), y: place(at.y, CARD.height) }
  const middle = found.x === FOOT.x && found.y === FOOT.y / 2
  return middle ? FOOT : found
}

/** What can be pulled from there: a corner to all sides of the card, an edge only across it. */
function pulled({ from, to }: Lift): Point {
  const along = (at: number, size: number, way: number) =>
    at === 0 ? Math.max(0, way) : at === size ? Math.min(0, way) : 0
  return {
    x: along(from.x, CARD.width, to.x - from.x),
    y: along(from.y, CARD.height, to.y - from.y),
  }
}

/** How far it can be pulled in a direction of length one. */
function farthest(way: Point): number {
  const across = Math.abs(way.x) * CARD.width + Math.abs(way.y) * CARD.height
  return MOST * (1 + SEEN) * across
}

/** Lifts the same corner or edge, in the same direction, so far. */
export function liftTo(lift: Lift | undefined, part: number): Lift {
  const from = lift?.from ?? FOOT
  let way = lift ? pulled(lift) : { x: 0, y: 0 }
  if (Math.hypot(way.x, way.y) === 0) {
    // Nothing was pulled yet: towards the middle.
    way = pulled({ from, to: { x: CARD.width / 2, y: CARD.height / 2 } })
  }
  const length = Math.hypot(way.x, way.y)
  const one = { x: way.x / length, y: way.y / length }
  const far = farthest(one) * part
  return { from, to: { x: from.x + one.x * far, y: from.y + one.y * far } }
}

/** The part of the card on one side of a line: where `value` is not negative. */
function cut(value: (point: Point) => number): Point[] {
  const { width: x, height: y } = CARD
  const corners = [
    { x: 0, y: 0 },
    { x, y: 0 },
    { x, y },
    { x: 0, y },
  ]
  return corners.flatMap((a, i) => {
    const b = corners[(i + 1) % corners.length] ?? a
    const [before, after] = [value(a), value(b)]
    const kept = before >= 0 ? [a] : []
    if (before >= 0 === after >= 0) return kept
    const at = before / (before - after)
    return [...kept, { x: a.x + (b.x - a.x) * at, y: a.y + (b.y - a.y) * at }]
  })
}

/** Where a lifted card folds; nothing while it lies. */
export function fold(lift: Lift | undefined): Fold | null {
  if (!lift) return null
  const way = pulled(lift)
  const length = Math.hypot(way.x, way.y)
  if (length === 0) return null
  const n = { x: way.x / length, y: way.y / length }
  const far = Math.min(length, farthest(n))
  const deep = far / (1 + SEEN)
  const crease = { x: lift.from.x + n.x * deep, y: lift.from.y + n.y * deep }
  const tip = { x: lift.from.x + n.x * far, y: lift.from.y + n.y * far }
  const beyond = (point: Point) => (point.x - crease.x) * n.x + (point.y - crease.y) * n.y
  const by = 1 + SEEN
  const push = by * (crease.x * n.x + crease.y * n.y)
  const over = cut((point) => -beyond(point))
  return {
    part: far / farthest(n),
    rest: cut(beyond),
    over,
    seen: over.map((point) => {
      const deep = by * beyond(point)
      return { x: point.x - n.x * deep, y: point.y - n.y * deep }
    }),
    turn: [
      1 - by * n.x * n.x,
      -by * n.x * n.y,
      -by * n.x * n.y,
      1 - by * n.y * n.y,
      push * n.x,
      push * n.y,
    ],
    crease,
    tip,
  }
}

export const partOf = (lift: Lift | undefined): number => fold(lift)?.part ?? 0
export const path = (points: Point[]): string =>
  points.map(({ x, y }) => `${x.toFixed(2)},${y.toFixed(2)}`).join(' ')
