/** Limits of one's own, as they are typed. */
import { describe, expect, it } from 'vitest'
import { limitsTyped } from '../src/lib/limits'

describe('limits of one’s own', () => {
  it('are sent as cents and minutes, and an empty field is no limit', () => {
    expect(limitsTyped('', '', '')).toEqual({})
    expect(limitsTyped(' 1,250.50 ', '90', '')).toEqual({ loss_cents: 125_050, minutes: 90 })
    expect(limitsTyped('0', '0', '30')).toEqual({ loss_cents: 0, minutes: 0, remind: 30 })
    expect(limitsTyped('', '４５', '')).toEqual({ minutes: 45 })
  })

  it('are not sent if one of them cannot be read', () => {
    for (const [loss, minutes, remind] of [
      ['much', '', ''],
      ['-5', '', ''],
      ['', '1.5', ''],
      ['', '-1', ''],
      ['', '99999999999', ''],
      ['', '', '0'],
      ['', '', 'often'],
    ] as const)
      expect(limitsTyped(loss, minutes, remind)).toBeNull()
  })
})
