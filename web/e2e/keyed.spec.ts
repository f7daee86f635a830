/** Tables whose cards the test knows: real cards, keyed in by the house. */
import { expect, test } from '@playwright/test'
import { Floor } from './floor'
import { House } from './house'
import { accessible, another, cents, chip, lie, open, sit, spot } from './table'

const SIGN = ['operator posts main 5..500', 'operator posts tie 5..100']
let floor: Floor
let house: House
test.beforeAll(async () => {
  floor = await Floor.open([
    { title: 'Shared', opens: 'operator opens act-2018', sign: SIGN, deals: 'keyed' },
    { title: 'Auckland', opens: 'operator opens nz-1998', sign: SIGN, deals: 'keyed' },
    { title: 'Late', opens: 'operator opens nz-1998', sign: SIGN, deals: 'keyed' },
    {
      title: 'Sides',
      opens: 'operator opens act-2018 with dragon, pairs=perfect',
      sign: [...SIGN, 'operator posts dragon 5..50', 'operator posts pairs 5..50'],
      deals: 'keyed',
    },
  ])
  house = await House.of(floor)
})
test.afterAll(async () => {
  await floor.close()
})

test('two players on one box: both bet, each sees the other’s wager, both are paid', async ({
  page: ann,
  browser,
}) => {
  await sit(ann, floor.url, 'Shared')
  const bo = await another(browser)
  await bo.goto(floor.url)
  await bo.getByRole('link', { name: 'Watch Shared' }).click()
  await bo.getByRole('button', { name: 'Take a seat' }).click()
  await bo.getByLabel('Stand behind a seat').check()
  await bo.getByRole('button', { name: /Stand behind seat/ }).click()
  await expect(bo.getByTestId('stack')).toHaveText('500.00')
  await house.say('t1', 'fresh shoe')

  await open(ann)
  await chip(ann, 10)
  await spot(ann, 'banker').click()
  await expect(spot(ann, 'banker')).toHaveAttribute('aria-label', /your bet 10.00, accepted/)
  await open(bo)
  await expect(spot(bo, 'banker')).toContainText('others 10')
  await chip(bo, 25)
  await spot(bo, 'banker').click()
  await expect(spot(bo, 'banker')).toHaveAttribute('aria-label', /your bet 25.00, accepted/)
  await expect(spot(ann, 'banker')).toContainText('others 25')
  await expect(ann.locator('.law-column')).toContainText(/behind \d/)
  await expect(ann.locator('.law-column')).toContainText('bets 25')
  await expect(bo.locator('.law-column')).toContainText('bets 10')
  await accessible(ann)
  await accessible(bo)

  await house.say('t1', 'dealer calls no more bets')
  // Player 6 stands, Banker 2 draws a five: 7 over 6.
  await house.say('t1', 'dealer deals 3h Kd 3c 2s')
  await Promise.all([lie(ann, 4), lie(bo, 4)])
  await house.say('t1', 'dealer draws 5h to banker')
  for (const [page, won, stack] of [
    [ann, '+9.50', '509.50'],
    [bo, '+23.75', '523.75'],
  ] as const) {
    await expect(page.getByTestId('net')).toContainText(won)
    await expect(page.getByTestId('stack')).toHaveText(stack)
    await expect(spot(page, 'banker')).toContainText(won)
  }
})

test('after a tie the stakes lie for the next coup, are shown so, and are still bet', async ({
  page,
}) => {
  await sit(page, floor.url, 'Auckland')
  await house.say('t2', 'fresh shoe')
  await open(page)
  await chip(page, 100)
  await page.keyboard.press('b')
  await expect(spot(page, 'banker')).toHaveAttribute('aria-label', /your bet 100.00, accepted/)
  await house.say('t2', 'dealer calls no more bets')
  await house.say('t2', 'dealer deals 9h 9d Kh Kd')
  await expect(page.getByText('A tie at 9', { exact: true })).toBeVisible()
  // Neither won nor lost; it did not go back to the stack, and is bet on the next coup.
  await expect(page.getByTestId('stack')).toHaveText('400.00')
  await expect(spot(page, 'banker')).toContainText('lies for the next coup')
  await expect(spot(page, 'banker')).toHaveAttribute('aria-label', /your bet 100.00/)
  await expect(page.getByTestId('ask')).toContainText('100.00 on the table')
  await expect(page.getByTestId('voice')).toContainText(
    'Your 100.00 on Banker lies for the next coup.',
  )
  await page.getByRole('button', { name: 'Why? Banker' }).click()
  await expect(page.getByRole('dialog')).toContainText('nz-1998 5.12')
  await accessible(page)
  await page.keyboard.press('Escape')
  // Nothing is laid: the stake on the table plays by itself.
  await house.say('t2', 'dealer calls no more bets')
  await house.say('t2', 'dealer deals 2c 3d Kh 2d')
  await expect(page.getByRole('img', { name: 'two of diamonds' })).toBeVisible()
  await house.say('t2', 'dealer draws 4s to player')
  await lie(page, 5)
  await house.say('t2', 'dealer draws 3h to banker')
  await expect(page.getByText('Banker wins, 8 over 6', { exact: true })).toBeVisible()
  await expect(page.getByTestId('stack')).toHaveText('595.00')
})

test('betting closes in time: a bet that comes too late is refused, and shown so', async ({
  page,
}) => {
  // The line is slow: what the table says about the call is on its way for a while.
  let held: (() => void)[] | null = null
  await page.routeWebSocket('**/api/v1/socket', (socket) => {
    const server = socket.connectToServer()
    server.onMessage((message) => {
      if (held && String(message).includes('"kind":"update"')) held.push(() => socket.send(message))
      else socket.send(message)
    })
  })
  await sit(page, floor.url, 'Late')
  await house.say('t3', 'fresh shoe')
  await open(page)
  await page.keyboard.press('b')
  await expect(spot(page, 'banker')).toHaveAttribute('aria-label', /your bet 10.00, accepted/)
  const before = await cents(page)
  held = []
  await house.say('t3', 'dealer calls no more bets')
  await expect(spot(page, 'banker')).toHaveAttribute('aria-disabled', 'false')
  await page.keyboard.press('b')
  const bubble = page.locator('.bubble')
  await expect(bubble).toBeVisible()
  await expect(bubble).toContainText('nz-1998 5.10(a)')
  await expect(page.getByTestId('voice')).toContainText('Refused')
  // Only what the table accepted is shown as bet.
  await expect(spot(page, 'banker')).toHaveAttribute('aria-label', /your bet 10.00, accepted/)
  await accessible(page)
  const late = held as (() => void)[]
  held = null
  late.forEach((send) => send())
  await expect(page.getByTestId('ask')).toHaveText('No more bets')
  await expect(spot(page, 'banker')).toHaveAttribute('aria-label', /your bet 10.00, closed/)
  await expect(spot(page, 'banker')).toHaveAttribute('aria-disabled', 'true')
  expect(await cents(page)).toBe(before)
  // From then on the page sends nothing, and says so at the spot.
  await page.keyboard.press('t')
  const note = page.locator('.cell:has([data-spot="tie"]) .bubble')
  await expect(note).toContainText('No more bets')
  await expect(note).toContainText('bets open again after this coup')
  expect(await cents(page)).toBe(before)
})

test('each side bet says what it paid, and by which clause', async ({ page }) => {
  await sit(page, floor.url, 'Sides')
  await house.say('t4', 'fresh shoe')
  await open(page)
  await chip(page, 5)
  for (const name of ['player-pair', 'banker-pair', 'banker-dragon']) {
    await spot(page, name).click()
    await expect(spot(page, name)).toHaveAttribute('aria-label', /your bet 5.00, accepted/)
  }
  await house.say('t4', 'dealer calls no more bets')
  // A perfect pair of Player; Banker wins by a natural nine over zero.
  await house.say('t4', 'dealer deals 5h 9d 5h Kd')
  await expect(page.getByTestId('net')).toBeVisible()
  for (const [name, label, clause] of [
    ['player-pair', 'won', /act-2018 \d/],
    ['banker-pair', 'lost', /act-2018 \d/],
    ['banker-dragon', 'won', /act-2018 \d/],
  ] as const) {
    const cell = page.locator(`.cell:has([data-spot="${name}"])`)
    await cell.getByRole('button', { name: /^Why\?/ }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText(label)
    await expect(dialog).toContainText(clause)
    // The rows of its price, each with its clause, and the one that counted marked.
    await expect(dialog.getByTestId('pays').locator('tr').first()).toBeVisible()
    await accessible(page)
    await page.keyboard.press('Escape')
  }
})
