/** A card that is squeezed: where it folds, and which pips are seen. */
import { describe, expect, it } from 'vitest'
import { CARD, FOOT, fold, held, liftTo, partOf, type Fold, type Point } from '../src/lib/fold'
import { pipsOf } from '../src/lib/pips'

const corner = { x: CARD.width, y: CARD.height }
function seenAt(folded: Fold, point: Point): Point {
  const [a, b, c, d, e, f] = folded.turn
  return { x: a * point.x + c * point.y + e, y: b * point.x + d * point.y + f }
}

describe('a squeezed card', () => {
  it('lies until it is pulled over itself', () => {
    expect(fold(undefined)).toBeNull()
    expect(fold({ from: corner, to: corner })).toBeNull()
    // Away from the card, or along its edge.
    expect(fold({ from: corner, to: { x: 120, y: 130 } })).toBeNull()
    expect(fold({ from: FOOT, to: { x: 0, y: CARD.height } })).toBeNull()
  })

  it('is taken by the nearest corner or edge, and by its foot from the middle', () => {
    expect(held({ x: 80, y: 110 })).toEqual(corner)
    expect(held({ x: 3, y: 4 })).toEqual({ x: 0, y: 0 })
    expect(held({ x: 80, y: 60 })).toEqual({ x: CARD.width, y: CARD.height / 2 })
    expect(held({ x: 40, y: 60 })).toEqual(FOOT)
  })

  it('has its corner under the finger that pulls it, and its fold across the way', () => {
    const to = { x: 50, y: 80 }
    const folded = fold({ from: corner, to })
    if (!folded) throw new Error('it is folded')
    const tip = seenAt(folded, corner)
    expect(tip.x).toBeCloseTo(to.x)
    expect(tip.y).toBeCloseTo(to.y)
    // A corner is a triangle; what is left has the other three.
    expect(folded.over).toHaveLength(3)
    expect(folded.rest).toHaveLength(5)
    // What lies on the fold stays where it is.
    expect(seenAt(folded, folded.crease).x).toBeCloseTo(folded.crease.x)
    expect(seenAt(folded, folded.crease).y).toBeCloseTo(folded.crease.y)
    expect(folded.seen).toHaveLength(3)
  })

  it('is lifted by a slider as far as by hand, in the direction in which it was pulled', () => {
    expect(partOf(liftTo(undefined, 0.4))).toBeCloseTo(0.4)
    const pulled = { from: corner, to: { x: 60, y: 60 } }
    const further = liftTo(pulled, 0.7)
    expect(further.from).toEqual(corner)
    expect(partOf(further)).toBeCloseTo(0.7)
    expect(partOf(liftTo(pulled, 0))).toBe(0)
    expect(partOf({ from: corner, to: { x: -900, y: -900 } })).toBe(1)
  })

  it('shows row after row of its pips from the foot', () => {
    const rows = (rank: string, part: number) => {
      const folded = fold(liftTo(undefined, part))
      return pipsOf(rank).filter((pip) => pip.y > (folded?.crease.y ?? CARD.height)).length
    }
    // The first row tells an edge with two pips from one with one or none: not yet the card.
    expect(['A', '2', '3', '4', '7', '9'].map((rank) => rows(rank, 0.4))).toEqual([
      0, 1, 1, 2, 2, 2,
    ])
    expect(['4', '6', '9', '10'].map((rank) => rows(rank, 0.75))).toEqual([2, 2, 4, 5])
    expect(['4', '5', '6'].map((rank) => rows(rank, 0.9))).toEqual([2, 3, 4])
  })

  it('has as many pips as its rank says', () => {
    for (let n = 2; n <= 10; n += 1) expect(pipsOf(String(n))).toHaveLength(n)
    expect(pipsOf('A')).toHaveLength(1)
    expect(pipsOf('K')).toHaveLength(0)
  })
})
