/** What happens to a machine while somebody plays: a wrong clock, a second tab, no network. */
import { expect, test } from '@playwright/test'
import { Floor, tablesOfEveryBook } from './floor'
import { accessible, cents, open, sit } from './table'

let floor: Floor
test.beforeAll(async () => {
  floor = await Floor.open(tablesOfEveryBook('quick').slice(0, 2))
})
test.afterAll(async () => {
  await floor.close()
})

test('a clock that is off by an hour is said, and the countdown is the table’s', async ({
  page,
}) => {
  await page.addInitScript(() => {
    const now = Date.now.bind(Date)
    Date.now = () => now() - 3_600_000
  })
  await sit(page, floor.url, 'Canberra')
  await expect(page.getByText('Your clock is off by 60 minutes')).toBeVisible()
  await open(page)
  // Ten seconds at most, whatever this machine thinks that time it is.
  const time = page.locator('.ask .time')
  await expect(time).toHaveText(/^([0-9]|10)s$/)
  await page.keyboard.press('b')
  await expect(page.locator('[data-spot="banker"]')).toHaveAttribute('aria-label', /accepted/)
  await accessible(page)
})

test('a second tab is said in both, and both show the same seat and bets', async ({ page }) => {
  await sit(page, floor.url, 'Old Canberra')
  const second = await page.context().newPage()
  await second.goto(`${floor.url}/table/t2`)
  const said = 'This table is open in another tab too'
  await expect(page.getByText(said)).toBeVisible()
  await expect(second.getByText(said)).toBeVisible()
  await accessible(second)
  await open(second)
  await second.keyboard.press('b')
  for (const tab of [page, second])
    await expect(tab.locator('[data-spot="banker"]')).toHaveAttribute(
      'aria-label',
      /your bet 10.00, accepted/,
    )
  expect(await cents(page)).toBe(await cents(second))
})

test('a network that goes and comes back: said, nothing can be bet, resumed by itself', async ({
  page,
}) => {
  await sit(page, floor.url, 'Canberra')
  await open(page)
  await page.context().setOffline(true)
  await expect(page.getByText('The connection is lost')).toBeVisible({ timeout: 40_000 })
  await accessible(page)
  const before = await cents(page)
  await page.keyboard.press('b')
  await expect(page.locator('[data-spot="banker"]')).not.toHaveAttribute('aria-label', /your bet/)
  // The banner does not push anything off a phone either.
  await page.setViewportSize({ width: 390, height: 844 })
  const hand = await page.locator('.hands').boundingBox()
  expect(hand?.height).toBeGreaterThan(80)
  await page.setViewportSize({ width: 1280, height: 800 })
  const sides = await page.locator('[data-spot="banker-dragon"]').boundingBox()
  const roads = await page.locator('.roads').boundingBox()
  expect((sides?.y ?? 0) + (sides?.height ?? 0)).toBeLessThanOrEqual(roads?.y ?? 0)
  await page.context().setOffline(false)
  await expect(page.getByText('Connected again.')).toBeVisible({ timeout: 30_000 })
  expect(await cents(page)).toBe(before)
  await open(page)
  await page.keyboard.press('b')
  await expect(page.locator('[data-spot="banker"]')).toHaveAttribute('aria-label', /accepted/)
})
