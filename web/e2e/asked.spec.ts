/** What a table asks its players: to cut the cards, and to agree to a coup without bets. */
import { expect, test, type Page } from '@playwright/test'
import { Floor } from './floor'
import { House } from './house'
import { accessible, another, cents, coups, lie, open, sit, spot } from './table'

const SIGN = ['operator posts main 5..500', 'operator posts tie 5..100']
let floor: Floor
let house: House
test.beforeAll(async () => {
  // A dealer with real cards waits for the cut as long as it takes: no clock answers for anybody.
  const keyed = (title: string, book: string) => ({
    title,
    opens: `operator opens ${book}`,
    sign: SIGN,
    deals: 'keyed',
  })
  floor = await Floor.open([
    keyed('Cut', 'act-2018'),
    keyed('Ordered', 'nz-1998'),
    keyed('Without', 'act-2018'),
  ])
  house = await House.of(floor)
})
test.afterAll(async () => {
  await floor.close()
})

/** Takes the seat with this number. */
async function sitAt(page: Page, title: string, seat: number): Promise<void> {
  await page.goto(floor.url)
  await page.getByRole('link', { name: `Watch ${title}` }).click()
  await page.getByRole('button', { name: 'Take a seat' }).click()
  await page.getByRole('radio', { name: String(seat), exact: true }).check({ force: true })
  await page.getByRole('button', { name: 'Sit down' }).click()
  await expect(page.getByTestId('stack')).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
}

async function shuffled(table: string, ...checked: string[]): Promise<void> {
  for (const who of ['dealer', ...checked]) await house.say(table, `${who} checks the cards`)
  await house.say(table, 'dealer shuffles')
}

test('the cut is offered, is made where the player wants it, and the shoe goes on', async ({
  page,
}) => {
  await sit(page, floor.url, 'Cut')
  await shuffled('t1')
  const cut = page.locator('.cut')
  await expect(cut).toBeVisible()
  await expect(page.getByTestId('ask')).toHaveText('Cut the cards')
  // Nothing can be bet before the shoe is ready: where the spots were, the cards lie.
  await expect(page.locator('[data-spot]')).toHaveCount(0)
  const slider = cut.getByRole('slider', { name: 'Cards before the cut' })
  await expect(slider).toBeFocused()
  // Not nearer to either end than the book allows.
  await expect(slider).toHaveAttribute('min', '52')
  await expect(slider).toHaveAttribute('max', String(8 * 52 - 52))
  await accessible(page)
  await page.keyboard.press('Home')
  for (let i = 0; i < 3; i += 1) await page.keyboard.press('ArrowRight')
  await expect(cut.getByRole('button', { name: 'Cut after 55 cards' })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(cut).toHaveCount(0)
  // The table wrote down this depth, and no other.
  const answer = await page.request.get(`${floor.url}/api/v1/tables/t1/events?as=player&after=0`)
  const { events } = (await answer.json()) as { events: { kind: string; fact: unknown }[] }
  const made = events.filter((event) => event.kind === 'cut')
  expect(made).toHaveLength(1)
  expect(JSON.stringify(made[0]?.fact)).toContain('55')
  await house.say('t1', 'dealer places the cutting card at 12')
  await house.say('t1', 'dealer burns unseen')
  await open(page)
})

test('a cut that is declined goes to the next player, and is shown to whoever waits', async ({
  page: ann,
  browser,
}) => {
  const bo = await another(browser)
  await sitAt(ann, 'Ordered', 1)
  await sitAt(bo, 'Ordered', 2)
  await shuffled('t2', 'supervisor')
  // The book has an order: the first is asked, and the other sees who is.
  await expect(ann.locator('.cut')).toBeVisible()
  await expect(ann.getByTestId('voice')).toContainText('You are asked to cut the cards.')
  await expect(bo.getByTestId('ask')).toHaveText(/^\S+ cuts the cards$/)
  await expect(bo.locator('.cut')).toHaveCount(0)
  await accessible(bo)
  await ann.getByRole('button', { name: 'Let another cut' }).click()
  await expect(bo.locator('.cut')).toBeVisible()
  await expect(ann.locator('.cut')).toHaveCount(0)
  await expect(ann.getByTestId('ask')).toHaveText(/^\S+ cuts the cards$/)
  await bo.getByRole('button', { name: 'Let another cut' }).click()
  await expect(bo.locator('.cut')).toHaveCount(0)
  // Nobody is left: staff cut, and no player is asked any more.
  for (const page of [ann, bo])
    await expect(page.getByTestId('ask')).not.toHaveText('Cut the cards')
  await bo.close()
})

test('a coup without bets: asked for, agreed to, dealt, and nobody wins or loses', async ({
  page: ann,
  browser,
}) => {
  await sit(ann, floor.url, 'Without')
  const bo = await another(browser, { width: 390, height: 844 })
  await sit(bo, floor.url, 'Without')
  await house.say('t3', 'fresh shoe')
  await open(bo)
  await bo.keyboard.press('b')
  await expect(spot(bo, 'banker')).toHaveAttribute('aria-label', /your bet 10\.00, accepted/)
  await ann.getByRole('button', { name: 'Ask for a coup without bets' }).click()
  await bo.getByRole('button', { name: 'Agree' }).click()
  await expect(ann.getByTestId('voice')).toContainText(/\S+ agrees\./)
  await house.say('t3', 'supervisor directs a no-bet coup')
  for (const page of [ann, bo]) {
    await expect(page.getByTestId('ask')).toHaveText('A coup without bets')
    await expect(page.getByTestId('voice')).toContainText('A coup without bets is dealt.')
    // What lay there came back, and nothing can be laid.
    await expect(page.getByTestId('stack')).toHaveText('500.00')
    await expect(spot(page, 'banker')).not.toHaveAttribute('aria-label', /your bet/)
    await expect(spot(page, 'banker')).toHaveAttribute('aria-disabled', 'true')
    await page.keyboard.press('b')
    await spot(page, 'player').click({ force: true })
    expect(await cents(page)).toBe(50_000)
    await expect(page.locator('.lying')).toHaveCount(0)
    await accessible(page)
  }
  await house.say('t3', 'dealer deals 3h Kd 3c 2s')
  await lie(ann, 4)
  await house.say('t3', 'dealer draws 6h to banker')
  for (const page of [ann, bo]) {
    await expect(page.getByText('Banker wins, 8 over 6', { exact: true })).toBeVisible()
    await expect(page.getByTestId('stack')).toHaveText('500.00')
    await expect(page.getByTestId('net')).toHaveCount(0)
  }
  // It is a coup of the shoe like any other, and bets are open for the next.
  expect(await coups(ann)).toBe(1)
  await open(ann)
  await ann.keyboard.press('p')
  await expect(spot(ann, 'player')).toHaveAttribute('aria-label', /your bet 10\.00, accepted/)
  await bo.close()
})
