import { expect, test } from '@playwright/test'
import { Floor, tablesOfEveryBook } from './floor'
import { cents, coups, open, sit } from './table'

test('a killed server is told, nothing false is shown, and the game resumes by itself', async ({
  page,
}) => {
  const floor = await Floor.open(tablesOfEveryBook('quick').slice(0, 1))
  try {
    await sit(page, floor.url, 'Canberra')
    await open(page)
    await page.keyboard.press('b')
    const banker = page.locator('[data-spot="banker"]')
    await expect(banker).toHaveAttribute('aria-label', /your bet 10.00, accepted/)
    const before = await cents(page)
    await floor.kill()
    await expect(page.getByText('The connection is lost')).toBeVisible()
    // Nothing is bet while the line is broken.
    await page.keyboard.press('b')
    await page.waitForTimeout(500)
    await expect(banker).toHaveAttribute('aria-label', /your bet 10.00/)
    await floor.start()
    await expect(page.getByText('Connected again.')).toBeVisible({ timeout: 30_000 })
    expect(await cents(page)).toBe(before)
    await expect(banker).toHaveAttribute('aria-label', /your bet 10.00/)
    await expect.poll(() => coups(page), { timeout: 40_000 }).toBeGreaterThan(0)
    expect(await page.locator('.banner.alarm').count()).toBe(0)
  } finally {
    await floor.close()
  }
})
