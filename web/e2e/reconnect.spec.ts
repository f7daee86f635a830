import { expect, test } from '@playwright/test'
import { Floor, tablesOfEveryBook } from './floor'
import { cents, coups, open, sit } from './table'

test('a server killed in the middle of a coup is told, nothing false is shown, and the coup ends', async ({
  page,
}) => {
  const floor = await Floor.open(tablesOfEveryBook('usual').slice(0, 1))
  try {
    await sit(page, floor.url, 'Canberra')
    await open(page)
    await page.keyboard.press('b')
    const banker = page.locator('[data-spot="banker"]')
    await expect(banker).toHaveAttribute('aria-label', /your bet 10.00, accepted/)
    const before = await cents(page)
    // Two cards lie on the felt, and the others are still to come.
    const cards = page.locator('.hands .card')
    await expect.poll(() => cards.count(), { timeout: 60_000 }).toBeGreaterThanOrEqual(2)
    await floor.kill()
    await expect(page.getByText('The connection is lost')).toBeVisible()
    const lying = await cards.count()
    expect(await page.getByTestId('net').count()).toBe(0)
    // Nothing is bet while the line is broken, and nothing moves.
    await page.keyboard.press('b')
    await page.waitForTimeout(500)
    await expect(banker).toHaveAttribute('aria-label', /your bet 10.00/)
    expect(await cards.count()).toBe(lying)
    expect(await cents(page)).toBe(before)
    const faces = () => cards.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))
    const shown = await faces()
    await floor.start()
    // A coup that was nearly over may end before the page is back.
    await expect(page.locator('.banner.good')).toContainText(
      /Connected again\.\s+You missed (nothing|1 coup)\./,
      { timeout: 30_000 },
    )
    // The same cards lie there; the coup goes on to its result, and the money follows.
    await expect(page.getByTestId('net')).toBeVisible({ timeout: 60_000 })
    await expect.poll(() => coups(page), { timeout: 40_000 }).toBe(1)
    for (const face of shown.filter((one) => one !== 'a card, face down'))
      expect(await faces()).toContain(face)
    expect(await page.locator('.banner.alarm').count()).toBe(0)
  } finally {
    await floor.close()
  }
})
