/** Where people got stuck: an ended session, the keys, a low screen, a table without chips. */
import { expect, test } from '@playwright/test'
import { Floor } from './floor'
import { House } from './house'
import { accessible, lie, open, sit, spot, still } from './table'

const SIGN = ['operator posts main 5..500', 'operator posts tie 5..100']
const SIDES = [...SIGN, 'operator posts dragon 5..50', 'operator posts pairs 5..50']
const WITH = 'operator opens act-2018 with dragon, pairs=perfect'
let floor: Floor
let house: House
test.beforeAll(async () => {
  floor = await Floor.open([
    { title: 'Asked', opens: WITH, sign: SIDES, deals: 'keyed' },
    { title: 'Broke', opens: 'operator opens act-2018', sign: SIGN, deals: 'keyed' },
    { title: 'Wrong', opens: WITH, sign: SIDES, deals: 'keyed' },
    { title: 'Low', opens: WITH, sign: SIDES, deals: 'keyed' },
    { title: 'Leave', opens: 'operator opens act-2018', sign: SIGN, deals: 'keyed' },
  ])
  house = await House.of(floor)
})
test.afterAll(async () => {
  await floor.close()
})

test('a session that was ended elsewhere is said, not retried, and one starts anew', async ({
  page,
}) => {
  await sit(page, floor.url, 'Broke')
  await page.request.delete(`${floor.url}/api/v1/session`, { headers: { origin: floor.url } })
  const said = page.getByRole('alert').getByText('Your session is over')
  await expect(said).toBeVisible()
  await expect(page.getByText('The connection is lost')).toBeHidden()
  let tries = 0
  page.on('websocket', () => (tries += 1))
  await page.waitForTimeout(3000)
  expect(tries).toBe(0)
  await accessible(page)
  await page.screenshot({ path: 'test-results/signed-out.png' })
  await page.getByRole('button', { name: 'Start anew as a guest' }).click()
  await expect(said).toBeHidden()
  await expect(page.getByRole('button', { name: 'Take a seat' })).toBeVisible()
})

test('a stranger’s first visit has no error on the console', async ({ page }) => {
  const faults: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  await page.goto(floor.url)
  await page.getByRole('link', { name: 'Watch Low' }).click()
  await expect(page.locator('.hands')).toBeVisible()
  await page.goto(`${floor.url}/table/nowhere`)
  await expect(page.getByRole('main')).toContainText('There is no such table.')
  await accessible(page)
  expect(faults).toEqual([])
})

test('a clause in the margin leads to its words in the book', async ({ page }) => {
  await sit(page, floor.url, 'Wrong')
  await house.say('t3', 'fresh shoe')
  await open(page)
  await page.keyboard.press('b')
  await expect(spot(page, 'banker')).toHaveAttribute('aria-label', /accepted/)
  await page.keyboard.press('t')
  await expect(spot(page, 'tie')).toHaveAttribute('aria-label', /accepted/)
  await house.say('t3', 'dealer calls no more bets')
  await house.say('t3', 'dealer deals 3h Kd 3c 2s')
  await lie(page, 4)
  await house.say('t3', 'dealer draws 5h to player')
  await expect(page.getByTestId('net')).toContainText('−0.50')
  // What was paid since moves the ruling out of the margin's sight: it stands under the result.
  await expect(page.getByTestId('ruling')).toBeInViewport({ ratio: 1 })
  for (const [width, height] of [
    [1366, 650],
    [1000, 700],
    [1280, 800],
  ] as const) {
    await page.setViewportSize({ width, height })
    await still(page)
    const hidden = await page
      .locator('main.cloth')
      .evaluate((one) => [one.scrollHeight - one.clientHeight, one.scrollWidth - one.clientWidth])
    expect(hidden, `${width}x${height}`).toEqual([0, 0])
    await page.screenshot({ path: `test-results/ruling-${width}.png` })
  }
  // Everything that a payment rests on is there, folded beside the table.
  const paid = page.locator('.law-column .told li.mine').first()
  await paid.getByText(/more clause/).click()
  await expect(paid.locator('.why li').first()).toBeVisible()

  // On a phone the ruling stands under the result.
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(page.getByTestId('ruling')).toContainText('13.1')
  await page.screenshot({ path: 'test-results/ruling-phone.png' })
  await page.getByTestId('ruling').click()
  const sheet = page.getByRole('dialog')
  await expect(sheet.getByRole('heading', { name: 'What happened, and why' })).toHaveCount(1)
  await accessible(page)
  await page.keyboard.press('Escape')
  await expect(page.getByTestId('ruling')).toBeFocused()

  // A phone on its side: each spot that was paid has its reason.
  await page.setViewportSize({ width: 844, height: 390 })
  const reason = page.getByRole('button', { name: 'Why? Banker' })
  await page.screenshot({ path: 'test-results/why-side.png' })
  await reason.click()
  await expect(sheet.getByTestId('pays')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(reason).toBeFocused()

  // An amount that cannot be read is marked, and no other is bet in its place.
  for (const [width, height] of [
    [390, 844],
    [844, 390],
    [1280, 800],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.getByLabel('Other amount').fill('12.345')
    await expect(page.getByText('This is no amount')).toBeInViewport({ ratio: 1 })
    await page.screenshot({ path: `test-results/no-amount-${width}.png` })
    await accessible(page, '.tray')
  }

  const link = page.locator('.law-column .told a.number').first()
  const number = (await link.getAttribute('href'))?.split('#')[1] ?? ''
  await link.click()
  const marked = page.locator('[aria-current=location]')
  await expect(marked).toBeInViewport()
  const id = (await marked.getAttribute('id')) ?? 'none'
  expect(decodeURIComponent(number).startsWith(id)).toBe(true)
  await page.goto(`${floor.url}/book/act-2018#${id}(z)`)
  await expect(page.locator('[aria-current=location]')).toHaveAttribute('id', id)
})

test('a coup without bets: asked on top, answered once, and told', async ({ page, browser }) => {
  await sit(page, floor.url, 'Asked')
  const other = await (
    await browser.newContext({ viewport: { width: 390, height: 844 } })
  ).newPage()
  await sit(other, floor.url, 'Asked')
  await house.say('t1', 'fresh shoe')
  await open(page)
  await page.getByRole('button', { name: 'Ask for a coup without bets' }).click()
  await expect(page.getByTestId('ask')).toHaveText('You asked for a coup without bets')
  await expect(page.getByRole('button', { name: 'Agree' })).toHaveCount(0)
  await expect(page.getByTestId('voice')).toContainText('You ask for a coup without bets.')

  await expect(other.getByTestId('ask')).toHaveText(/^\S+ asks for a coup without bets$/)
  await expect(other.getByTestId('voice')).toContainText(/\S+ asks for a coup without bets\./)
  const cloth = other.locator('main.cloth')
  expect(await cloth.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
  await other.screenshot({ path: 'test-results/no-bet-phone.png' })
  await accessible(other)
  await other.getByRole('button', { name: 'Agree' }).click()
  await expect(other.getByRole('button', { name: 'Agree' })).toHaveCount(0)
  await expect(other.getByRole('button', { name: 'Object' })).toHaveCount(0)
  await expect(other.getByTestId('ask')).toBeFocused()
  await expect(other.getByTestId('voice')).toContainText('You agree.')
  await expect(page.getByTestId('voice')).toContainText(/\S+ agrees\./)
})

test('the keys are where they were when a sheet is closed, and stay on Clear', async ({ page }) => {
  await sit(page, floor.url, 'Low')
  for (const name of ['Sign and rules', 'Settings', 'Leave']) {
    const button = page.getByRole('button', { name, exact: true })
    await button.focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toBeHidden()
    await expect(button).toBeFocused()
  }
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog')).toContainText('B bet on Player, Tie, Banker')
  await page.keyboard.press('Escape')
  // One sheet after the other: the keys go back to what opened the first.
  await page.setViewportSize({ width: 390, height: 844 })
  const more = page.getByRole('button', { name: 'More' })
  await more.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Settings' }).click()
  await expect(page.getByRole('dialog')).toContainText('Large type')
  await page.keyboard.press('Escape')
  await expect(more).toBeFocused()
  await page.setViewportSize({ width: 1280, height: 800 })

  await house.say('t4', 'fresh shoe')
  await open(page)
  await page.keyboard.press('b')
  await expect(spot(page, 'banker')).toHaveAttribute('aria-label', /accepted/)
  const clear = page.getByRole('button', { name: 'Clear' })
  await clear.focus()
  await page.keyboard.press('Enter')
  await expect(spot(page, 'banker')).not.toHaveAttribute('aria-label', /your bet/)
  await expect(clear).toBeFocused()

  // A refusal covers its neighbours only until somebody has read it.
  await page.keyboard.press('b')
  await expect(spot(page, 'banker')).toHaveAttribute('aria-label', /accepted/)
  await page.keyboard.press('p')
  await expect(page.locator('.bubble')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.locator('.bubble')).toBeHidden()
  await page.keyboard.press('p')
  await expect(page.locator('.bubble')).toBeVisible()
  await page.locator('.name h1').click()
  await expect(page.locator('.bubble')).toBeHidden()

  // Nothing lies under the roads on a low screen, and the newest result is on the board.
  for (const viewport of [
    { width: 1366, height: 650 },
    { width: 1280, height: 640 },
    { width: 1000, height: 700 },
    { width: 1280, height: 600 },
  ]) {
    await page.setViewportSize(viewport)
    const name = `${viewport.width}x${viewport.height}`
    await page.screenshot({ path: `test-results/low-${name}.png` })
    await still(page)
    const hidden = await page
      .locator('main.cloth')
      .evaluate((one) => [one.scrollHeight - one.clientHeight, one.scrollWidth - one.clientWidth])
    expect(hidden, name).toEqual([0, 0])
  }
})

test('leaving with bets that are open: they are named, and nothing of them is lost', async ({
  page,
}) => {
  await sit(page, floor.url, 'Leave')
  await house.say('t5', 'fresh shoe')
  await open(page)
  await page.keyboard.press('b')
  await expect(spot(page, 'banker')).toHaveAttribute('aria-label', /accepted/)
  await page.keyboard.press('t')
  await expect(spot(page, 'tie')).toHaveAttribute('aria-label', /accepted/)
  // After a reload what lies can be taken back, spot by spot.
  await page.reload()
  await expect(spot(page, 'tie')).toHaveAttribute('aria-label', /your bet 10.00/)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(spot(page, 'tie')).not.toHaveAttribute('aria-label', /your bet/)
  await expect(spot(page, 'banker')).toHaveAttribute('aria-label', /your bet 10.00/)
  // A new tab knows what was brought too.
  const tab = await page.context().newPage()
  await tab.goto(page.url())
  const leave = tab.getByRole('button', { name: 'Leave', exact: true })
  const dialog = tab.getByRole('dialog')
  await leave.click()
  await expect(dialog).toContainText('Your bets of 10.00 come back to you')
  await dialog.getByRole('button', { name: 'Stay' }).click()
  await house.say('t5', 'dealer calls no more bets')
  await house.say('t5', 'dealer deals 3h Kd 3c 2s')
  await lie(tab, 4)
  await leave.click()
  await expect(dialog).toContainText('Your bets of 10.00 are in play')
  await expect(dialog.getByRole('button', { name: 'Leave', exact: true })).toBeDisabled()
  await dialog.getByRole('button', { name: 'Stay' }).click()
  await house.say('t5', 'dealer draws 4d to banker')
  await open(tab)
  await tab.keyboard.press('b')
  await expect(spot(tab, 'banker')).toHaveAttribute('aria-label', /your bet 10.00, accepted/)
  await leave.click()
  await dialog.getByRole('button', { name: 'Leave', exact: true }).click()
  for (const one of [page, tab]) {
    const result = one.getByRole('dialog').locator('dd')
    await expect(result).toHaveText(['500.00', '500.00', '0.00'])
  }
  await expect(tab.locator('.balance')).toContainText('1,000.00')
  await accessible(tab)
})

test('out of chips: the way leads to a seat with new ones', async ({ page }) => {
  await page.goto(floor.url)
  await page.getByRole('link', { name: 'Watch Broke' }).click()
  await page.getByRole('button', { name: 'Take a seat' }).click()
  await page.getByLabel('Chips to bring').fill('13')
  await page.getByRole('button', { name: 'Sit down' }).click()
  await expect(page.getByTestId('stack')).toHaveText('13.00')
  // Keys bet once nothing lies over the table.
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await house.say('t2', 'fresh shoe')
  await open(page)
  await page.keyboard.press('p')
  await expect(spot(page, 'player')).toHaveAttribute('aria-label', /accepted/)
  await house.say('t2', 'dealer calls no more bets')
  await house.say('t2', 'dealer deals 2h Kd Kc 9s')
  await expect(page.getByTestId('stack')).toHaveText('3.00')
  await expect(page.getByText('You have 3.00 left; the least bet here is 5.')).toBeVisible()
  await expect(page.getByTestId('ask')).toHaveText('Bets are open')
  await accessible(page)
  await page.screenshot({ path: 'test-results/out-of-chips.png' })
  await page.getByRole('button', { name: 'Leave and get chips' }).click()
  await expect(page.getByRole('dialog')).toContainText('Chips to bring')
  await page.getByRole('button', { name: 'Sit down' }).click()
  await expect(page.getByTestId('stack')).toHaveText('500.00')
})

test('a part of the page that does not come is asked for again, then a reload is offered', async ({
  page,
}) => {
  let asked = 0
  await page.route('**/assets/Book-*.js', (route) => {
    asked += 1
    return route.abort()
  })
  await page.goto(`${floor.url}/book/act-2018`)
  await expect(page.getByRole('button', { name: 'Reload the page' })).toBeVisible()
  expect(asked).toBeGreaterThan(1)
  await page.unroute('**/assets/Book-*.js')
  await page.getByRole('button', { name: 'Reload the page' }).click()
  await expect(page.getByRole('heading', { name: 'Clauses' })).toBeVisible()
})

test('a view that is left is not mounted again with the path of the next', async ({ page }) => {
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  const made = await house.invited('inspector')
  await page.goto(floor.url + made)
  await page.getByLabel('Name').fill('Ines')
  await page.getByLabel('Password').fill('a long pass phrase of Ines')
  asked.length = 0
  await page.getByRole('button', { name: 'Come in' }).click()
  await expect(page.getByRole('heading', { name: 'The floor' })).toBeVisible()
  expect(asked).not.toContain('/api/v1/links/')

  // What lies on the layout is nobody's own to staff, and nothing there is a button.
  await page.goto(`${floor.url}/staff/t4`)
  await expect(page.locator('.console')).toBeVisible()
  await expect(page.locator('[data-spot="banker"]')).not.toHaveAttribute('aria-label', /your bet/)
  expect(await page.locator('button[data-spot]').count()).toBe(0)
})
