import { expect, test } from '@playwright/test'
import { Floor } from './floor'
import { accessible, open, sit } from './table'

test('cards that are mine are squeezed and turned by keys alone', async ({ page }) => {
  const floor = await Floor.open([
    {
      title: 'Face down',
      opens: 'operator opens act-2018 with face=down',
      sign: ['operator posts main 5..500', 'operator posts tie 5..100'],
      pace: 'quick',
    },
  ])
  try {
    await sit(page, floor.url, 'Face down')
    await open(page)
    await page.keyboard.press('b')
    await expect(page.locator('[data-spot="banker"]')).toHaveAttribute('aria-label', /accepted/)
    const squeeze = page.locator('.squeeze')
    await expect(squeeze).toBeVisible({ timeout: 40_000 })
    await squeeze.getByRole('slider').first().focus()
    for (let i = 0; i < 20; i += 1) await page.keyboard.press('ArrowRight')
    await page.screenshot({ path: 'test-results/squeeze.png' })
    // Only this part: the table waits for a few seconds, and then turns the cards itself.
    await accessible(page, '.squeeze')
    await squeeze.getByRole('slider').first().focus()
    await page.keyboard.press('Enter')
    await expect(page.getByTestId('net')).toBeVisible({ timeout: 60_000 })
  } finally {
    await floor.close()
  }
})
