/** Side bets that no other test lays: each is laid in the browser, and each cent is followed. */
import { expect, test, type Page } from '@playwright/test'
import { Floor } from './floor'
import { House } from './house'
import { accessible, another, chip, open, sit, spot, tabTo } from './table'

const SIGN = ['operator posts main 5..500', 'operator posts tie 5..100']
const posted = (...words: string[]) => words.map((word) => `operator posts ${word} 5..50`)
const LIBRARY = ['tiger', 'big-small', 'natural', 'perfect-pair']

let floor: Floor
let house: House
test.beforeAll(async () => {
  floor = await Floor.open([
    {
      title: 'Tiger',
      opens: `operator opens act-2018 with pairs=canberra, ${LIBRARY.join(', ')}`,
      sign: [...SIGN, ...posted('pairs', ...LIBRARY)],
      deals: 'keyed',
    },
    {
      title: 'Egalite',
      opens: 'operator opens act-2012 with egalite',
      sign: [...SIGN, ...posted('egalite')],
      deals: 'keyed',
    },
    {
      title: 'Victoria',
      opens: 'operator opens vic-2005 with dragon',
      sign: [...SIGN, ...posted('dragon')],
      deals: 'keyed',
    },
    {
      title: 'Keys',
      opens: 'operator opens act-2018 with dragon, pairs=perfect',
      sign: [...SIGN, ...posted('dragon', 'pairs')],
      deals: 'keyed',
    },
  ])
  house = await House.of(floor)
})
test.afterAll(async () => {
  await floor.close()
})

const MAIN = ['player', 'tie', 'banker']
/** The spots of a layout that are no main bets. */
async function sidesOf(page: Page): Promise<string[]> {
  const all = await page
    .locator('[data-spot]')
    .evaluateAll((found) => found.map((one) => one.getAttribute('data-spot') ?? ''))
  return all.filter((one) => !MAIN.includes(one))
}

/** Lays 5 on each of them. */
async function layAll(page: Page, spots: string[]): Promise<void> {
  await chip(page, 5)
  for (const one of spots) {
    await spot(page, one).click()
    await expect(spot(page, one)).toHaveAttribute('aria-label', /your bet 5\.00, accepted/)
  }
  await expect(page.getByTestId('stack')).toHaveText((500 - 5 * spots.length).toFixed(2))
}

/** What each of them did, as its spot says it: what it won, or that the stake is lost. */
async function did(page: Page, spots: string[], won: Record<string, string>): Promise<void> {
  for (const one of spots)
    await expect(spot(page, one).locator('.did'), one).toHaveText(won[one] ?? '−5.00')
}

test('Tiger, Big and Small, naturals and pairs: each is laid, and paid to the cent', async ({
  page,
}) => {
  await sit(page, floor.url, 'Tiger')
  await house.say('t1', 'fresh shoe')
  await open(page)
  const spots = await sidesOf(page)
  expect([...spots].sort()).toEqual(
    [
      ...['tiger', 'small-tiger', 'big-tiger', 'tiger-tie', 'tiger-pair'],
      ...['big', 'small', 'player-natural', 'banker-natural'],
      ...['perfect-pair', 'player-pair', 'banker-pair'],
    ].sort(),
  )
  await layAll(page, spots)
  await house.say('t1', 'dealer calls no more bets')
  // Both stand on six, with a suited pair of Player.
  await house.say('t1', 'dealer deals 3h Kd 3h 6s')
  await expect(page.getByText('A tie at 6', { exact: true })).toBeVisible()
  await did(page, spots, {
    'tiger-tie': '+175.00',
    'tiger-pair': '+20.00',
    'perfect-pair': '+125.00',
    'player-pair': '+55.00',
    small: '+7.50',
  })
  await expect(page.getByTestId('net')).toContainText('+347.50')
  await expect(page.getByTestId('stack')).toHaveText('847.50')

  // Banker wins with a six of three cards.
  await open(page)
  const others = ['tiger', 'big-tiger', 'small-tiger', 'big', 'banker-natural']
  for (const one of others) {
    await spot(page, one).click()
    await expect(spot(page, one)).toHaveAttribute('aria-label', /your bet 5\.00, accepted/)
  }
  await house.say('t1', 'dealer calls no more bets')
  await house.say('t1', 'dealer deals 2h Kd 3c 2s')
  await house.say('t1', 'dealer draws Th to player')
  await house.say('t1', 'dealer draws 4d to banker')
  await expect(page.getByText('Banker wins, 6 over 5', { exact: true })).toBeVisible()
  // 54 to 100 on five dollars, to the cent.
  await did(page, others, { tiger: '+100.00', 'big-tiger': '+250.00', big: '+2.70' })
  await expect(page.getByTestId('stack')).toHaveText('1,190.20')
  await accessible(page)
})

test('Egalite: ten spots, and the one of this total is paid', async ({ page }) => {
  await sit(page, floor.url, 'Egalite')
  await house.say('t2', 'fresh shoe')
  await open(page)
  const spots = await sidesOf(page)
  expect(spots).toEqual(Array.from({ length: 10 }, (_, i) => `egalite-${i}`))
  await layAll(page, spots)
  await accessible(page)
  await house.say('t2', 'dealer calls no more bets')
  await house.say('t2', 'dealer deals 3h Kd 4d 7s')
  await expect(page.getByText('A tie at 7', { exact: true })).toBeVisible()
  await did(page, spots, { 'egalite-7': '+225.00' })
  await expect(page.getByTestId('stack')).toHaveText('680.00')
  await page.getByRole('button', { name: 'Why? Egalite 7' }).click()
  await expect(page.getByRole('dialog')).toContainText('egalite 2')
})

test('the Dragon Bonus of Victoria: 30 to 1 by nine points, by the clause of its own book', async ({
  page,
}) => {
  await sit(page, floor.url, 'Victoria')
  await house.say('t3', 'fresh shoe')
  await open(page)
  const spots = await sidesOf(page)
  expect([...spots].sort()).toEqual(['banker-dragon', 'player-dragon'])
  await layAll(page, spots)
  await house.say('t3', 'dealer calls no more bets')
  await house.say('t3', 'dealer deals Kh Kd Qh 3s')
  await house.say('t3', 'dealer draws Jc to player')
  await house.say('t3', 'dealer draws 6d to banker')
  await did(page, spots, { 'banker-dragon': '+150.00' })
  await expect(page.getByTestId('stack')).toHaveText('645.00')
  await page.getByRole('button', { name: 'Why? Banker Dragon Bonus' }).click()
  await expect(page.getByRole('dialog')).toContainText('vic-2005 10.1')
  await accessible(page)
})

test('before a bet each spot says what it pays and its limits, to eyes and to a screen reader', async ({
  page,
  browser,
}) => {
  const table = await another(browser)
  for (const [id, title] of [
    ['t1', 'Tiger'],
    ['t2', 'Egalite'],
    ['t3', 'Victoria'],
    ['t4', 'Keys'],
  ] as const) {
    // Whoever only watches is told the same, before sitting down.
    await table.goto(`${floor.url}/table/${id}`)
    await expect(table.locator('.hands')).toBeVisible()
    const spots = table.locator('[data-spot]')
    expect(await spots.count()).toBeGreaterThan(4)
    for (const one of await spots.all()) {
      const shown = await one.locator('.terms > span').allInnerTexts()
      expect(shown[0], title).toMatch(/\d( to |–| – )\d|\d+:\d+/)
      expect(shown[1], title).toMatch(/^\d+–\d+/)
      const label = (await one.getAttribute('aria-label')) ?? ''
      expect(label, title).toContain(`pays ${shown[0]}`)
      expect(label, title).toContain(`limits ${shown[1]?.replace('–', ' to ')}`)
      // As it is written, not as it is drawn: capitals are the style's.
      const name = (await one.locator('.name > span').last().textContent()) ?? ''
      expect(label.startsWith(`${name.trim()}. `), label).toBe(true)
      expect(label).not.toContain('your bet')
    }
    // Decks and the word about money stand on top, the commission and each price on the sign.
    await expect(table.locator('.top')).toContainText('8 decks')
    await expect(table.locator('.top')).toContainText('play money')
    await table.getByRole('button', { name: 'Sign and rules', exact: true }).click()
    const sign = table.getByRole('dialog')
    await expect(sign).toContainText('8 decks')
    await expect(sign.getByRole('row', { name: /^Banker/ }).first()).toContainText(
      /1 to 1 less 5 ?%|0\.95 to 1|19 to 20/,
    )
    await table.keyboard.press('Escape')
  }
  await page.close()
})

test('a side bet is laid, raised and taken back by keys alone, and its reason is read', async ({
  page,
}) => {
  await sit(page, floor.url, 'Keys')
  await house.say('t4', 'fresh shoe')
  await open(page)
  await page.keyboard.press('1')
  const dragon = spot(page, 'banker-dragon')
  await tabTo(page, dragon)
  await expect(dragon).toHaveAccessibleName(
    /^Bet 5 on Banker Dragon Bonus\. pays .* to 1\. limits 5 to 50$/,
  )
  await page.keyboard.press('Enter')
  await expect(dragon).toHaveAttribute('aria-label', /your bet 5\.00, accepted/)
  await expect(page.getByTestId('voice')).toContainText('5 on Banker Dragon Bonus, accepted.')
  // The keys stay at the spot, and the space bar raises the bet.
  await expect(dragon).toBeFocused()
  await page.keyboard.press('Space')
  await expect(dragon).toHaveAttribute('aria-label', /your bet 10\.00, accepted/)
  await page.keyboard.press('u')
  await expect(dragon).toHaveAttribute('aria-label', /your bet 5\.00, accepted/)
  await expect(dragon).toBeFocused()
  await house.say('t4', 'dealer calls no more bets')
  await house.say('t4', 'dealer deals Kh Kd Qh 9s')
  await expect(page.getByTestId('voice')).toContainText('You win 5.00 on Banker Dragon Bonus.')
  const why = page.getByRole('button', { name: 'Why? Banker Dragon Bonus' })
  await tabTo(page, why)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toContainText('won 5.00')
  await page.keyboard.press('Escape')
  await expect(why).toBeFocused()
})
