import { expect, test } from '@playwright/test'
import { Floor } from './floor'
import { accessible, open, sit } from './table'

test('cards that are mine are squeezed and turned by keys alone', async ({ page }) => {
  const floor = await Floor.open([
    {
      title: 'Face down',
      opens: 'operator opens act-2018 with face=down',
      sign: ['operator posts main 5..500', 'operator posts tie 5..100'],
      pace: 'usual',
    },
  ])
  try {
    await sit(page, floor.url, 'Face down')
    // The cut is offered to me: its slider has the keys.
    const cut = page.locator('.cut')
    await expect(cut.or(page.locator('.spot.open').first())).toBeVisible({ timeout: 60_000 })
    if (await cut.isVisible()) {
      await expect(cut.getByRole('slider')).toBeFocused()
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('Enter')
      await expect(cut).toBeHidden()
    }
    await open(page)
    await page.keyboard.press('b')
    await expect(page.locator('[data-spot="banker"]')).toHaveAttribute('aria-label', /accepted/)
    const squeeze = page.locator('.squeeze')
    await expect(squeeze).toBeVisible({ timeout: 60_000 })
    await expect(page.getByTestId('voice')).toContainText('The cards are yours to turn.')
    const slider = squeeze.getByRole('slider').first()
    await expect(slider).toBeFocused()
    for (let i = 0; i < 20; i += 1) await page.keyboard.press('ArrowRight')
    expect(Number(await slider.inputValue())).toBeGreaterThan(0.3)
    await page.screenshot({ path: 'test-results/squeeze.png' })
    // Only this part: the table waits for a few seconds, and then turns the cards itself.
    await accessible(page, '.squeeze')
    await page.keyboard.press('Enter')
    await expect(page.locator('.hands .card[aria-label]').first()).toBeVisible()
    await expect(page.getByTestId('net')).toBeVisible({ timeout: 60_000 })
    expect(await page.evaluate(() => document.activeElement !== document.body)).toBe(true)
  } finally {
    await floor.close()
  }
})
