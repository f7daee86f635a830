import { expect, test, type Page } from '@playwright/test'
import { Floor } from './floor'
import { accessible, open, sit } from './table'

let floor: Floor
test.beforeAll(async () => {
  floor = await Floor.open(
    ['Face down', 'Pulled', 'Off'].map((title) => ({
      title,
      opens: 'operator opens act-2018 with face=down',
      sign: ['operator posts main 5..500', 'operator posts tie 5..100'],
      pace: 'usual',
    })),
  )
})
test.afterAll(async () => {
  await floor.close()
})

/** Sits down, cuts by keys if that is asked, and bets on Banker. */
async function bet(page: Page, title: string) {
  await sit(page, floor.url, title)
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
}

test('cards that are mine are squeezed and turned by keys alone', async ({ page }) => {
  await bet(page, 'Face down')
  const squeeze = page.locator('.squeeze')
  await expect(squeeze).toBeVisible({ timeout: 60_000 })
  await expect(page.getByTestId('voice')).toContainText('The cards are yours to turn.')
  const slider = squeeze.getByRole('slider').first()
  await expect(slider).toBeFocused()
  for (let i = 0; i < 20; i += 1) await page.keyboard.press('ArrowRight')
  expect(Number(await slider.inputValue())).toBeGreaterThan(0.3)
  await page.screenshot({ path: 'test-results/squeeze.png' })
  // All of it is there without scrolling.
  const hidden = await page
    .locator('main.cloth')
    .evaluate((one) => one.scrollHeight - one.clientHeight)
  expect(hidden).toBeLessThanOrEqual(0)
  // Only this part: the table waits for a few seconds, and then turns the cards itself.
  await accessible(page, '.squeeze')
  // Without motion nothing bends, and the card is uncovered in steps.
  await expect(squeeze.locator('polygon')).toHaveCount(0)
  await page.keyboard.press('Enter')
  await expect(page.locator('.hands .card[aria-label]').first()).toBeVisible()
  await expect(page.getByTestId('net')).toBeVisible({ timeout: 60_000 })
  expect(await page.evaluate(() => document.activeElement !== document.body)).toBe(true)
})

test('a corner is pulled over the card, on a phone that lies on its side too', async ({
  browser,
}) => {
  const viewport = { width: 844, height: 390 }
  const context = await browser.newContext({ viewport, hasTouch: true, isMobile: true })
  const page = await context.newPage()
  await bet(page, 'Pulled')
  const squeeze = page.locator('.squeeze')
  await expect(squeeze).toBeVisible({ timeout: 60_000 })
  const card = squeeze.locator('.squeezed').first()
  await expect(card).toHaveAttribute('data-part', '0.00')
  const box = await card.boundingBox()
  if (!box) throw new Error('the card is drawn')
  const [x, y] = [box.x + box.width - 4, box.y + box.height - 4]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x - 20, y - 30, { steps: 3 })
  await page.mouse.move(x - 30, y - 50, { steps: 3 })
  // The corner folds over: a triangle of the face lies across the back.
  const bend = await squeeze.locator('polygon.bend').first().getAttribute('points')
  expect(bend?.split(' ')).toHaveLength(3)
  const pulled = Number(await card.getAttribute('data-part'))
  expect(pulled).toBeGreaterThan(0.2)
  await page.mouse.up()
  await page.mouse.move(x - 60, y - 90)
  // What is let go stays; the slider tells the same.
  await expect(card).toHaveAttribute('data-part', pulled.toFixed(2))
  const slider = squeeze.getByRole('slider').first()
  expect(Number(await slider.inputValue())).toBeCloseTo(pulled, 1)
  await page.screenshot({ path: 'test-results/squeeze-side.png' })
  // Nothing of it lies under the tray.
  for (const part of ['input', '.button', '.squeezed']) {
    const all = await squeeze.locator(part).evaluateAll((found) =>
      found.map((one) => {
        const { left, right, top, bottom } = one.getBoundingClientRect()
        const over = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
        return { bottom, hit: over !== null && (one === over || one.contains(over)) }
      }),
    )
    expect(all.length, part).toBeGreaterThan(1)
    const tray = await page.locator('.bottom').boundingBox()
    for (const one of all) {
      expect(one.bottom, part).toBeLessThanOrEqual((tray?.y ?? 0) + 0.5)
      expect(one.hit, part).toBe(true)
    }
  }
  await squeeze.getByRole('button', { name: 'Turn the cards' }).tap()
  await expect(page.getByTestId('net')).toBeVisible({ timeout: 60_000 })
  await context.close()
})

test('whoever does not squeeze has one button that turns the cards', async ({ page }) => {
  await page.addInitScript(() => {
    localStorage.setItem('sabot.settings', JSON.stringify({ squeeze: false, introSeen: true }))
  })
  const fetched: string[] = []
  page.on('request', (request) => fetched.push(request.url()))
  await bet(page, 'Off')
  const turn = page.getByRole('button', { name: 'Turn the cards' })
  await expect(turn).toBeVisible({ timeout: 60_000 })
  await expect(page.locator('.squeeze')).toHaveCount(0)
  // What is not used is not fetched.
  expect(fetched.filter((url) => url.includes('Squeeze'))).toEqual([])
  await turn.click()
  await expect(page.getByTestId('net')).toBeVisible({ timeout: 60_000 })
})
