/** Times are shown by the clock of the house, not by the browser's. */
import { afterEach, expect, it, vi } from 'vitest'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

/** The clock in a house of that zone. */
async function clockOf(time_zone: string) {
  const house = { now: 0, time_zone, utc_offset_minutes: 0 }
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify(house))))
  const { clock } = await import('../src/lib/clock.svelte')
  await clock.load()
  return clock
}

it('shows the time of the house, in summer and in winter', async () => {
  const clock = await clockOf('Australia/Sydney')
  expect(clock.time(Date.UTC(2027, 0, 15, 1, 2, 3))).toMatch(/12:02:03/)
  expect(clock.time(Date.UTC(2027, 6, 15, 1, 2, 3))).toMatch(/11:02:03/)
  expect(clock.day(Date.UTC(2027, 0, 15, 20, 0, 0))).toMatch(/16/)
})

it('shows a time where the browser does not know the zone, or the house does not answer', async () => {
  const strange = await clockOf('Mars/Olympus')
  expect(strange.time(0)).toMatch(/\d/)
  vi.resetModules()
  vi.stubGlobal('fetch', () => Promise.reject(new Error('offline')))
  const { clock } = await import('../src/lib/clock.svelte')
  await clock.load()
  expect(clock.zone).toBeNull()
  expect(clock.time(0)).toMatch(/\d/)
})
