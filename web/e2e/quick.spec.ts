import { expect, test } from '@playwright/test'
import { Floor, tablesOfEveryBook, TIMED } from './floor'
import { coups, open, sit, watchShifts } from './table'

test('the lobby is ready within a second, and nothing jumps while a coup is played', async ({
  page,
}) => {
  const floor = await Floor.open(tablesOfEveryBook('at-once').slice(0, 1))
  try {
    await page.goto(floor.url)
    await page.getByRole('button', { name: /^Sit at/ }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: /^Sit at/ }).waitFor()
    const ready = await page.evaluate(() => performance.now())
    const loaded = await page.evaluate(() => {
      const [load] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
      return load?.domContentLoadedEventEnd ?? 0
    })
    console.log(
      `    the lobby: loaded after ${Math.round(loaded)} ms, ready after ${Math.round(ready)} ms`,
    )
    if (TIMED) {
      expect(ready).toBeLessThan(1500)
      expect(loaded).toBeLessThan(1000)
    }

    await sit(page, floor.url, 'Canberra')
    await open(page)
    const shifted = await watchShifts(page)
    for (let i = 0; i < 4; i += 1) {
      const before = await coups(page)
      await open(page)
      await page.keyboard.press('b')
      await expect.poll(() => coups(page), { timeout: 40_000 }).toBeGreaterThan(before)
    }
    expect(await shifted()).toBeLessThan(0.1)
  } finally {
    await floor.close()
  }
})
