/** An account: limits and pauses of one's own, reminders, the password, signing out everywhere. */
import { expect, test } from '@playwright/test'
import { Floor } from './floor'
import { House } from './house'
import { accessible, open, sit } from './table'

let floor: Floor
let house: House
test.beforeAll(async () => {
  const sign = ['operator posts main 5..500', 'operator posts tie 5..100']
  floor = await Floor.open([
    { title: 'Keyed', opens: 'operator opens act-2018', sign, deals: 'keyed' },
  ])
  house = await House.of(floor)
  await house.say('t1', 'fresh shoe')
})
test.afterAll(async () => {
  await floor.close()
})

test('limits of one’s own are set, hold at the table, and widen a day later; a pause holds', async ({
  page,
}) => {
  await sit(page, floor.url, 'Keyed')
  await page.goto(`${floor.url}/account`)
  await expect(page.getByRole('heading', { name: 'Your account' })).toBeVisible()
  const loss = page.getByLabel('Lose at most, in dollars a day')
  await loss.fill('much')
  await page.getByRole('button', { name: 'Keep these limits' }).click()
  await expect(page.getByRole('alert')).toContainText('Amounts and minutes are numbers')
  await loss.fill('10')
  await page.getByRole('button', { name: 'Keep these limits' }).click()
  await expect(page.locator('.done')).toHaveText('Your limits hold now.')
  await loss.fill('500')
  await page.getByRole('button', { name: 'Keep these limits' }).click()
  await expect(page.locator('.done')).toContainText('a loss of at most 500.00 a day')
  await accessible(page)

  await page.goto(`${floor.url}/table/t1`)
  await open(page)
  await page.keyboard.press('3')
  await page.keyboard.press('b')
  await expect(page.locator('.bubble')).toContainText('you set yourself a loss of at most 10')

  await page.goto(`${floor.url}/account`)
  await page.getByLabel('For how long').selectOption({ label: 'one week' })
  await page.getByRole('button', { name: 'Pause…' }).click()
  await expect(page.getByRole('alert')).toContainText('Take no part for one week?')
  await expect(page.getByRole('button', { name: 'Begin the pause' })).toBeFocused()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.locator('#pause .done')).toHaveCount(0)
  await page.getByRole('button', { name: 'Pause…' }).click()
  await page.getByRole('button', { name: 'Begin the pause' }).click()
  await expect(page.locator('#pause .done')).toHaveText(/^You take no part until \S.*\d/)
  await page.goto(`${floor.url}/table/t1`)
  await open(page)
  await page.keyboard.press('p')
  await expect(page.locator('.bubble')).toContainText('you asked for a pause')
})

test('a reminder is shown and said at the table, until it was read', async ({ page }) => {
  await page.route('**/api/v1/me', async (route) => {
    const answer = await route.fetch()
    const me = (await answer.json()) as Record<string, unknown>
    const reminder = { at: 1_000_000, minutes: 45, lost_cents: 2550 }
    await route.fulfill({ response: answer, json: { ...me, remind: 15, reminder } })
  })
  await sit(page, floor.url, 'Keyed')
  await page.reload()
  const banner = page.locator('.banner span')
  await expect(banner).toHaveText('You have played 45 minutes within a day and lost 25.50.')
  await expect(page.locator('[aria-live]')).toContainText('lost 25.50')
  await accessible(page)
  for (const width of [320, 390, 1280]) {
    await page.setViewportSize({ width, height: 844 })
    const wide = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(wide, `at ${width}`).toBeLessThanOrEqual(width)
    // Few lines of many words, not a column beside the buttons.
    expect((await banner.boundingBox())?.height, `at ${width}`).toBeLessThan(80)
  }
  await page.locator('.banner').getByRole('button', { name: 'Close' }).click()
  await expect(page.locator('.banner')).toHaveCount(0)
  await page.reload()
  await expect(page.getByTestId('stack')).toBeVisible()
  await expect(page.locator('.banner')).toHaveCount(0)
})

test('a password is changed, and all sessions are ended, by their owner', async ({
  page,
  browser,
}) => {
  await sit(page, floor.url, 'Keyed')
  await page.goto(`${floor.url}/account`)
  await page.getByLabel('Keep this account: choose a password').fill('a first long one')
  await page.getByRole('button', { name: 'Keep the account' }).click()
  await expect(page.getByRole('heading', { name: 'Another password' })).toBeVisible()
  const name = /Signed in as (\S+)\./.exec(await page.locator('.lead').innerText())?.[1] ?? ''
  const change = async (old: string, word: string) => {
    await page.getByLabel('The one until now').fill(old)
    await page.getByLabel('The new one').fill(word)
    await page.getByRole('button', { name: 'Change the password' }).click()
  }
  await change('not this one', 'a second long one')
  await expect(page.getByRole('alert')).toContainText('do not belong together')
  await change('a first long one', 'a second long one')
  await expect(page.locator('.done')).toContainText('The password is changed')
  await accessible(page)

  const other = await (await browser.newContext()).newPage()
  await other.goto(`${floor.url}/sign-in`)
  await other.getByLabel('Name').fill(name)
  await other.getByLabel('Password').fill('a second long one')
  await other.getByRole('button', { name: 'Sign in' }).click()
  // Whoever goes on before the answer came is not signed in.
  await expect(other.getByRole('heading', { name: 'Tables' })).toBeVisible()
  await other.goto(`${floor.url}/table/t1`)
  await expect(other.getByTestId('stack')).toBeVisible()
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await expect(page.getByRole('heading', { name: 'Tables' })).toBeVisible()
  await expect(other.getByRole('alert')).toContainText('Your session is over')
  await other.close()
})
