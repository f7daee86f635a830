import { expect, test } from '@playwright/test'
import { Floor, tablesOfEveryBook } from './floor'
import { accessible, cents, coups, open, sit } from './table'

let floor: Floor
test.beforeAll(async () => {
  floor = await Floor.open(tablesOfEveryBook('at-once'))
})
test.afterAll(async () => {
  await floor.close()
})

for (const { title } of tablesOfEveryBook('at-once')) {
  test(`a guest sits down at ${title} with two clicks and plays coups`, async ({ page }) => {
    const faults: string[] = []
    page.on('pageerror', (fault) => faults.push(fault.message))
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('401')) faults.push(message.text())
    })
    await sit(page, floor.url, title)
    // A card that is fair is never shown as false, not even for a moment.
    await page.evaluate(() => {
      Object.assign(window, { red: 0 })
      const look = () => {
        if (document.querySelector('.card.bad')) Object.assign(window, { red: 1 })
        requestAnimationFrame(look)
      }
      look()
    })
    await open(page)
    for (let i = 0; i < 6; i += 1) {
      const before = await coups(page)
      await open(page)
      await page.keyboard.press(i % 2 === 0 ? 'b' : 'p')
      await expect.poll(() => coups(page), { timeout: 30_000 }).toBeGreaterThan(before)
    }
    await expect(page.getByTestId('ask')).toBeVisible()
    await expect(page.getByText(/checked in this browser/)).toBeVisible()
    expect(await page.locator('.banner.alarm').count()).toBe(0)
    expect(await page.evaluate(() => (window as unknown as { red: number }).red)).toBe(0)
    expect(faults).toEqual([])
  })
}

test.describe('a slower table', () => {
  let slow: Floor
  test.beforeAll(async () => {
    slow = await Floor.open(tablesOfEveryBook('quick').slice(0, 1))
  })
  test.afterAll(async () => {
    await slow.close()
  })

  test('a session by keys alone: chip, bet, undo, double, clear, amount, rebet', async ({
    page,
  }) => {
    await page.goto(slow.url)
    await page.getByRole('button', { name: 'Sit at Canberra' }).focus()
    await page.keyboard.press('Enter')
    await expect(page.getByTestId('stack')).toHaveText('500.00')
    await open(page)
    await expect(page.getByText('This browser took part in the shuffle')).toBeVisible()
    await page.keyboard.press('1')
    await page.keyboard.press('b')
    const banker = page.locator('[data-spot="banker"]')
    await expect(banker).toHaveAttribute('aria-label', /your bet 5.00, accepted/)
    await expect(page.getByTestId('voice')).toContainText('5 on Banker, accepted')
    await page.keyboard.press('b')
    await expect(banker).toHaveAttribute('aria-label', /your bet 10.00, accepted/)
    await page.keyboard.press('u')
    await expect(banker).toHaveAttribute('aria-label', /your bet 5.00, accepted/)
    await page.keyboard.press('d')
    await expect(banker).toHaveAttribute('aria-label', /your bet 10.00, accepted/)
    await page.keyboard.press('c')
    await expect(banker).not.toHaveAttribute('aria-label', /your bet/)
    await page.keyboard.press('a')
    await page.keyboard.type('40')
    await page.keyboard.press('Enter')
    await page.keyboard.press('b')
    await expect(banker).toHaveAttribute('aria-label', /your bet 40.00, accepted/)
    await accessible(page)
    await expect(page.getByTestId('ask')).toHaveText('No more bets', { timeout: 40_000 })
    await expect(banker).toHaveAttribute('aria-label', /your bet 40.00, closed/)
    await expect(page.getByTestId('net')).toBeVisible({ timeout: 30_000 })
    await expect(page.getByTestId('voice')).toContainText(/You (win|lose|keep) .* on Banker/)
    await accessible(page)
    await page.keyboard.press('r')
    await expect(banker).toHaveAttribute('aria-label', /your bet 40.00, accepted/)
  })

  test('every spot of a book takes a bet', async ({ page }) => {
    await sit(page, slow.url, 'Canberra')
    await open(page)
    await page.getByRole('radio', { name: 'chip of 5', exact: true }).click()
    const spots = ['player', 'tie', 'player-pair', 'banker-pair', 'player-dragon', 'banker-dragon']
    for (const spot of spots) {
      await open(page)
      await page.locator(`[data-spot="${spot}"]`).click()
    }
    await expect.poll(() => cents(page)).toBeLessThan(50_000)
    await expect(page.getByTestId('net')).toBeVisible({ timeout: 40_000 })
    await expect(page.locator('.did').first()).toBeVisible()
  })

  test('a refused bet says why at its spot, with the clause and what would do', async ({
    page,
  }) => {
    await sit(page, slow.url, 'Canberra')
    await open(page)
    await page.keyboard.press('b')
    await expect(page.locator('[data-spot="banker"]')).toHaveAttribute('aria-label', /accepted/)
    await page.keyboard.press('p')
    const bubble = page.locator('.bubble')
    await expect(bubble).toContainText('approval')
    await bubble.getByRole('button').click()
    await expect(page.getByRole('dialog')).toContainText(/act-2018 \d/)
    await accessible(page)
  })

  test('standing behind a taken seat, and leaving with the result', async ({ page, browser }) => {
    await sit(page, slow.url, 'Canberra')
    const other = await (await browser.newContext()).newPage()
    await other.goto(slow.url)
    await other.getByRole('link', { name: 'Watch Canberra' }).click()
    await other.getByRole('button', { name: 'Take a seat' }).click()
    await other.getByLabel('Stand behind a seat').check()
    await other.getByRole('button', { name: /Stand behind seat/ }).click()
    await expect(other.getByTestId('stack')).toHaveText('500.00')
    await expect(page.getByText(/behind \d/).first()).toBeVisible()
    await other.getByRole('button', { name: 'Leave' }).first().click()
    await other.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    await expect(other.getByRole('dialog')).toContainText('You have left the table')
    await expect(other.getByRole('dialog')).toContainText('0.00')
    await accessible(other)
  })
})
