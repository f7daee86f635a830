import { expect, test } from '@playwright/test'
import { Floor, tablesOfEveryBook } from './floor'
import { House } from './house'
import { accessible, coups, open, sit, tabTo } from './table'

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
      // Who sits down without a session is asked for one first, which is refused.
      const asked = message.text().includes('401')
      // A word that comes too late for a shuffle at this pace is refused; the shoe goes on without.
      const late = /\/shoe\/(promise|word)$/.test(message.location().url)
      if (message.type() === 'error' && !asked && !late) faults.push(message.text())
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

test('every spot takes a bet, those of the library of side bets too', async ({ page }) => {
  const library = ['lucky-6', 'dragon-7', 'panda-8', 'super-6', 'three-card-six', 'either-pair']
  const own = ['dragon', 'pairs']
  const posted = [...own, ...library].map((word) => `operator posts ${word} 5..50`)
  const main = ['operator posts main 5..500', 'operator posts tie 5..100']
  const sides = await Floor.open([
    {
      title: 'All',
      opens: `operator opens act-2018 with dragon, pairs=perfect, ${library.join(', ')}`,
      sign: [...main, ...posted],
      deals: 'keyed',
    },
  ])
  try {
    const house = await House.of(sides)
    await sit(page, sides.url, 'All')
    await house.say('t1', 'fresh shoe')
    await open(page)
    await page.getByRole('radio', { name: 'chip of 5', exact: true }).click()
    const spots = await page
      .locator('[data-spot]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('data-spot') ?? ''))
    for (const word of library) expect(spots.join(' ')).toContain(word)
    // Whoever bets on both hands needs an approval: Banker's turn is in the other tests.
    for (const spot of spots.filter((one) => one !== 'banker')) {
      const place = page.locator(`[data-spot="${spot}"]`)
      await place.click()
      await expect(place, spot).toHaveAttribute('aria-label', /your bet 5.00, accepted/)
    }
    await expect(page.getByTestId('stack')).toHaveText((500 - 5 * (spots.length - 1)).toFixed(2))
    await page.screenshot({ path: 'test-results/every-spot.png' })
    // Ten side bets are whole on a laptop: nothing of the layout lies under the roads.
    const cut = await page.locator('main.cloth').evaluate((cloth) => {
      const foot = cloth.getBoundingClientRect().bottom
      const spots = [...cloth.querySelectorAll('[data-spot]')]
      return spots.filter((one) => one.getBoundingClientRect().bottom > foot).length
    })
    expect(cut).toBe(0)
    await accessible(page)
    await house.say('t1', 'dealer calls no more bets')
    await house.say('t1', 'dealer deals Kh 3d 9c 4s')
    for (const spot of spots.filter((one) => one !== 'banker'))
      await expect(page.locator(`[data-spot="${spot}"] .did`), spot).toBeVisible()
  } finally {
    await sides.close()
  }
})

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
    const first = page.getByRole('button', { name: 'Sit at Canberra' })
    await first.waitFor()
    await tabTo(page, first)
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
    await page.keyboard.press('c')
    await expect(banker).not.toHaveAttribute('aria-label', /your bet/)
    await tabTo(page, page.getByRole('button', { name: 'Leave', exact: true }))
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await tabTo(page, dialog.getByRole('button', { name: 'Leave', exact: true }))
    await page.keyboard.press('Enter')
    await expect(dialog).toContainText('You have left the table')
    await tabTo(page, dialog.getByRole('link', { name: 'To the tables' }))
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name: 'Tables' })).toBeVisible()
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
    await bubble.getByRole('button', { name: /act-2018/ }).click()
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
