/** Pictures of every view and state, at four sizes, light and dark: `make shots`. */
import { mkdirSync } from 'node:fs'
import { expect, test, type Browser, type Locator, type Page } from '@playwright/test'
import { Floor, tablesOfEveryBook } from './e2e/floor'
import { House } from './e2e/house'
import { coups, lie, open, sit } from './e2e/table'

const SIZES = {
  phone: { width: 390, height: 844 },
  pad: { width: 768, height: 1024 },
  desk: { width: 1280, height: 800 },
  wide: { width: 1920, height: 1080 },
}
const ONLY = process.env['SHOTS']?.split(',')

type Size = keyof typeof SIZES

const ALL = Object.keys(SIZES) as Size[]

/** Takes a state at the sizes; what is to be seen of a long page is scrolled to. */
async function every(page: Page, name: string, sizes = ALL, what?: Locator) {
  if (ONLY && !ONLY.some((one) => name.startsWith(one))) return
  mkdirSync('shots', { recursive: true })
  for (const size of sizes) {
    const viewport = SIZES[size]
    await page.setViewportSize(viewport)
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await what?.evaluate((one) => one.scrollIntoView({ block: 'center' }))
      await page.waitForTimeout(60)
      await page.screenshot({ path: `shots/${name}-${size}-${colorScheme}.png` })
    }
  }
  await page.setViewportSize(SIZES.desk)
}

/** The table on a phone that lies on its side. */
async function onItsSide(page: Page, name: string) {
  if (ONLY && !ONLY.some((one) => name.startsWith(one))) return
  await page.setViewportSize({ width: 844, height: 390 })
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.waitForTimeout(60)
    await page.screenshot({ path: `shots/${name}-side-${colorScheme}.png` })
  }
  await page.setViewportSize(SIZES.desk)
}

async function fresh(browser: Browser, locale = 'en-GB'): Promise<Page> {
  return (await browser.newContext({ viewport: SIZES.desk, locale })).newPage()
}

test('pictures', async ({ browser }) => {
  const quick = tablesOfEveryBook('usual')
  const floor = await Floor.open(
    [
      ...quick,
      {
        title: 'Side bets',
        opens: 'operator opens act-2018 with lucky-6, dragon-7, panda-8',
        sign: ['operator posts main 5..500', 'operator posts tie 5..100'],
        pace: 'at-once',
      },
      {
        title: 'Swift',
        opens: 'operator opens act-2018',
        sign: ['operator posts main 5..500', 'operator posts tie 5..100'],
        pace: 'at-once',
      },
      {
        title: 'Real cards',
        opens: 'operator opens act-2018',
        sign: ['operator posts main 5..500', 'operator posts tie 5..100'],
        deals: 'keyed',
      },
    ],
    0,
  )
  try {
    const page = await fresh(browser)
    await page.goto(floor.url)
    await expect(page.locator('.row h2').first()).toBeVisible()
    await every(page, '01-lobby-first')

    // A shoe that runs on fills the roads.
    const swift = await fresh(browser)
    await sit(swift, floor.url, 'Swift')
    const playing = setInterval(() => {
      void swift.keyboard.press('b').catch(() => undefined)
    }, 250)

    await page.goto(`${floor.url}/table/t1`)
    await expect(page.locator('.hands')).toBeVisible()
    await every(page, '02-table-empty')
    await page.getByRole('button', { name: 'Take a seat' }).click()
    await every(page, '03-taking-a-seat')
    await page.getByRole('button', { name: 'Sit down' }).click()
    await expect(page.getByTestId('stack')).toBeVisible()
    await every(page, '04-shuffling')
    await expect(page.locator('.cut, .spot.open').first()).toBeVisible({ timeout: 60_000 })
    if (await page.locator('.cut').isVisible()) {
      await every(page, '05-cut')
      await page.locator('.cut .main').click()
    }
    await open(page)
    await page.keyboard.press('b')
    await page.keyboard.press('3')
    await page.keyboard.press('t')
    await page.locator('[data-spot="banker-dragon"]').click()
    await page.waitForTimeout(400)
    await every(page, '06-betting')
    await page.keyboard.press('p')
    await page.waitForTimeout(300)
    await every(page, '07-refused')
    await expect(page.getByTestId('ask')).toHaveText('No more bets', { timeout: 60_000 })
    await page.waitForTimeout(2600)
    await every(page, '08-dealing')
    await expect(page.getByTestId('net')).toBeVisible({ timeout: 60_000 })
    await page.waitForTimeout(800)
    await every(page, '09-result')
    await onItsSide(page, '09-result')
    await page.locator('.whybutton').last().click()
    await every(page, '10-why')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Sign and rules' }).click()
    await every(page, '11-sign')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Settings' }).click()
    await every(page, '12-settings')
    await page.keyboard.press('Escape')

    const isLong = async () => {
      const dealt = await coups(swift)
      return dealt >= 40 && dealt <= 60
    }
    await expect.poll(isLong, { timeout: 180_000, intervals: [50] }).toBe(true)
    clearInterval(playing)
    await every(swift, '13-long-shoe')
    await swift.setViewportSize(SIZES.phone)
    await swift.getByRole('button', { name: 'Why?' }).first().click()
    await every(swift, '14-margin-sheet')
    await swift.keyboard.press('Escape')
    await swift.goto(`${floor.url}/history/t7`)
    await expect(swift.getByRole('table')).toBeVisible()
    await every(swift, '15-history')
    await swift.goto(`${floor.url}/coup/t7/3`)
    await expect(swift.getByText(/Step/)).toBeVisible()
    await every(swift, '16-coup')
    await swift.goto(`${floor.url}/proof/t7`)
    await expect(swift.getByTestId('verdict')).toBeVisible()
    await every(swift, '17-proof')
    await swift.goto(`${floor.url}/book/act-2018`)
    await expect(swift.locator('ol li').first()).toBeVisible()
    await every(swift, '18-book')
    await swift.goto(floor.url)
    await expect(swift.locator('.strip').first()).toBeVisible()
    await swift.getByRole('button', { name: 'I know the game' }).click()
    await every(swift, '19-lobby')
    await swift.getByRole('button', { name: 'Settings' }).click()
    await swift.getByLabel('简体中文').check()
    await swift.keyboard.press('Escape')
    await every(swift, '20-lobby-zh')
    await swift.goto(`${floor.url}/table/t7`)
    await expect(swift.locator('.hands')).toBeVisible()
    await every(swift, '21-table-zh')
    await swift.goto(`${floor.url}/proof/t7`)
    await expect(swift.getByTestId('verdict')).toBeVisible()
    await every(swift, '64-zh-proof', ['phone', 'desk'])

    const sides = await fresh(browser)
    await sit(sides, floor.url, 'Side bets')
    await open(sides)
    await every(sides, '22-side-bets')

    const alarm = await fresh(browser)
    await alarm.route('**/api/v1/tables/t7/shoe', async (route) => {
      const answer = await route.fetch()
      const document = (await answer.json()) as { shoe: { openings: { salt: string }[] } | null }
      const last = document.shoe?.openings.at(-1)
      if (last) last.salt = last.salt.replace(/^../, last.salt.startsWith('00') ? '11' : '00')
      await route.fulfill({ response: answer, json: document })
    })
    await alarm.goto(`${floor.url}/table/t7`)
    await expect(alarm.locator('.banner.alarm')).toBeVisible()
    await every(alarm, '23-alarm')

    const staff = await fresh(browser)
    await staff.goto(floor.url + floor.link)
    await expect(staff.getByLabel('Name')).toBeVisible()
    await every(staff, '24-link')
    await staff.getByLabel('Name').fill('Olga')
    await staff.getByLabel('Password').fill('a long pass phrase 7')
    await staff.getByRole('button', { name: 'Come in' }).click()
    await expect(staff.getByRole('heading', { name: 'The floor' })).toBeVisible()
    await staff.waitForTimeout(500)
    await every(staff, '25-floor')
    await staff.goto(`${floor.url}/staff/t8`)
    await expect(staff.locator('.console')).toBeVisible()
    await every(staff, '26-console')
    await staff.goto(`${floor.url}/staff/t7`)
    await staff
      .getByLabel('Say what happens')
      .fill('operator voids coup 3 because of the wrong card')
    await staff.getByLabel('Say what happens').press('Enter')
    await expect(staff.getByRole('alertdialog')).toBeVisible()
    await every(staff, '26-confirm')

    await floor.kill()
    await expect(page.getByText('The connection is lost')).toBeVisible()
    await every(page, '27-lost')
    await floor.start()
    await expect(page.getByText('Connected again.')).toBeVisible({ timeout: 30_000 })
    await every(page, '28-back')
  } finally {
    await floor.close()
  }
})

test('pictures of states that staff bring about', async ({ browser }) => {
  const main = ['operator posts main 5..500', 'operator posts tie 5..100']
  const sides = ['operator posts dragon 5..50', 'operator posts pairs 5..50']
  const keyed = (title: string) => ({
    title,
    opens: 'operator opens act-2018 with dragon, pairs=perfect',
    sign: [...main, ...sides],
    deals: 'keyed',
  })
  const floor = await Floor.open([
    keyed('States'),
    {
      title: 'Face down',
      opens: 'operator opens act-2018 with face=down',
      sign: main,
      pace: 'usual',
    },
    keyed('Broke'),
    {
      title: 'Waits',
      opens: 'operator opens act-2018 with face=down',
      sign: main,
      deals: 'keyed',
    },
  ])
  try {
    const house = await House.of(floor)
    const strange = await fresh(browser)
    await strange.goto(`${floor.url}/sign-in`)
    await expect(strange.getByLabel('Name')).toBeVisible()
    await every(strange, '30-sign-in')
    await strange.goto(`${floor.url}/table/nowhere`)
    await expect(strange.getByRole('main')).toContainText('no such table')
    await every(strange, '31-unknown-table')

    const page = await fresh(browser)
    await sit(page, floor.url, 'States')
    await every(page, '32-waiting-for-the-dealer')
    const asks = await fresh(browser)
    await sit(asks, floor.url, 'States')
    await house.say('t1', 'fresh shoe')
    await open(asks)
    await asks.getByRole('button', { name: 'Ask for a coup without bets' }).click()
    await expect(page.getByRole('button', { name: 'Agree' })).toBeVisible()
    await every(page, '33-no-bet-asked')
    await every(asks, '34-no-bet-mine')
    await page.getByRole('button', { name: 'Object' }).click()
    await expect(page.getByRole('button', { name: 'Object' })).toHaveCount(0)

    await page.keyboard.press('b')
    await expect(page.locator('[data-spot="banker"]')).toHaveAttribute('aria-label', /accepted/)
    await house.say('t1', 'dealer calls no more bets')
    await house.say('t1', 'dealer deals 3h Kd 3c 2s')
    await lie(page, 4)
    await house.say('t1', 'dealer draws 5h to player')
    await expect(page.getByTestId('net')).toBeVisible()
    await every(page, '35-irregularity')
    await open(page)
    await page.keyboard.press('b')
    await expect(page.locator('[data-spot="banker"]')).toHaveAttribute('aria-label', /accepted/)
    await every(page, '36-bet-beside-the-last-result')

    const second = await page.context().newPage()
    await second.goto(`${floor.url}/table/t1`)
    await expect(second.getByText('open in another tab')).toBeVisible()
    await every(second, '37-second-tab')
    await second.close()
    const clock = await fresh(browser)
    await clock.addInitScript(() => {
      const now = Date.now.bind(Date)
      Date.now = () => now() - 3_600_000
    })
    await clock.goto(`${floor.url}/table/t1`)
    await expect(clock.getByText('Your clock is off')).toBeVisible()
    await every(clock, '38-wrong-clock')

    await house.say('t1', 'cutting card appears')
    await house.say('t1', 'operator gives notice of closing')
    await expect(page.getByText('The table closes after this coup').first()).toBeVisible()
    await every(page, '39-last-coup-and-closing')
    // The cards lie unseen, and the supervisor lets wagers be changed.
    const waits = await fresh(browser)
    await sit(waits, floor.url, 'Waits')
    await house.say('t4', 'fresh shoe')
    await open(waits)
    await waits.keyboard.press('b')
    await expect(waits.locator('[data-spot="banker"]')).toHaveAttribute('aria-label', /accepted/)
    await house.say('t4', 'dealer calls no more bets')
    await house.say('t4', 'dealer deals ?? ?? ?? ??')
    await lie(waits, 4)
    await house.say('t4', 'supervisor permits changes')
    await expect(waits.getByTestId('ask')).toContainText('The supervisor decides')
    await every(waits, '40-suspended')

    await asks.getByRole('button', { name: 'Leave', exact: true }).click()
    await every(asks, '41-leaving')

    const broke = await fresh(browser)
    await broke.goto(`${floor.url}/table/t3`)
    await broke.getByRole('button', { name: 'Take a seat' }).click()
    await broke.getByLabel('Chips to bring').fill('10')
    await broke.getByRole('button', { name: 'Sit down' }).click()
    await expect(broke.getByRole('dialog')).toHaveCount(0)
    await house.say('t3', 'fresh shoe')
    await open(broke)
    await broke.keyboard.press('p')
    await expect(broke.locator('[data-spot="player"]')).toHaveAttribute('aria-label', /accepted/)
    await house.say('t3', 'dealer calls no more bets')
    await house.say('t3', 'dealer deals 2h Kd Kc 9s')
    await expect(broke.getByText('You have no chips left')).toBeVisible()
    await every(broke, '42-out-of-chips')
    await broke.getByRole('button', { name: 'Leave', exact: true }).click()
    await broke.getByRole('dialog').getByRole('button', { name: 'Leave', exact: true }).click()
    await expect(broke.getByRole('dialog')).toContainText('You have left the table')
    await every(broke, '43-left')
    await broke.keyboard.press('Escape')
    await house.say('t3', 'operator gives notice of closing')
    await house.say('t3', 'operator closes the table')
    await expect(broke.getByTestId('ask')).toHaveText('The table is closed')
    await every(broke, '44-closed')

    const squeezes = await fresh(browser)
    await sit(squeezes, floor.url, 'Face down')
    await expect(squeezes.locator('.cut, .spot.open').first()).toBeVisible({ timeout: 60_000 })
    if (await squeezes.locator('.cut').isVisible()) await squeezes.keyboard.press('Enter')
    await open(squeezes)
    await squeezes.keyboard.press('b')
    await expect(squeezes.locator('.squeeze')).toBeVisible({ timeout: 60_000 })
    for (let i = 0; i < 12; i += 1) await squeezes.keyboard.press('ArrowRight')
    await every(squeezes, '45-squeeze')
    await onItsSide(squeezes, '45-squeeze')
    await squeezes.goto(floor.url)
    await expect(squeezes.getByText('You sit here')).toBeVisible()
    await every(squeezes, '47-lobby-seated')
    await squeezes.goto(`${floor.url}/nothing/here`)
    await expect(squeezes.getByRole('heading', { level: 1 })).toBeVisible()
    await every(squeezes, '48-no-such-page')

    await page.request.delete(`${floor.url}/api/v1/session`, { headers: { origin: floor.url } })
    await expect(page.getByRole('alert')).toContainText('Your session is over')
    await every(page, '46-signed-out')
  } finally {
    await floor.close()
  }
})

test('pictures of crowded tables, of large text and in Chinese', async ({ browser }) => {
  const library = ['lucky-6', 'dragon-7', 'panda-8', 'super-6', 'three-card-six', 'either-pair']
  const main = ['operator posts main 5..500', 'operator posts tie 5..100']
  const own = ['operator posts dragon 5..50', 'operator posts pairs 5..50']
  const floor = await Floor.open([
    {
      title: 'Ten side bets',
      opens: `operator opens act-2018 with dragon, pairs=perfect, ${library.join(', ')}`,
      sign: [...main, ...own, ...library.map((word) => `operator posts ${word} 5..50`)],
      deals: 'keyed',
    },
    {
      title: 'Large text',
      opens: 'operator opens act-2018 with dragon, pairs=perfect',
      sign: [...main, ...own],
      deals: 'keyed',
    },
    {
      title: 'Chinese',
      opens: 'operator opens act-2018 with dragon, pairs=perfect',
      sign: [...main, ...own],
      deals: 'keyed',
    },
  ])
  const lies = (page: Page, spot: string) =>
    expect(page.locator(`[data-spot="${spot}"] .lying:not(.sending)`)).toBeVisible()
  try {
    const house = await House.of(floor)
    const deal = async (table: string, cards: string) => {
      await house.say(table, 'dealer calls no more bets')
      await house.say(table, `dealer deals ${cards}`)
    }

    const ten = await fresh(browser)
    await sit(ten, floor.url, 'Ten side bets')
    await house.say('t1', 'fresh shoe')
    await open(ten)
    await ten.getByRole('radio', { name: 'chip of 25', exact: true }).click()
    const spots = await ten
      .locator('[data-spot]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('data-spot') ?? ''))
    for (const spot of spots.filter((one) => one !== 'player')) {
      await ten.locator(`[data-spot="${spot}"]`).click()
      await lies(ten, spot)
    }
    await every(ten, '50-ten-side-bets')
    await onItsSide(ten, '50-ten-side-bets')
    await deal('t1', 'Kh 3d 9c 4s')
    await expect(ten.getByTestId('net')).toBeVisible()
    await every(ten, '51-ten-side-bets-result')

    const large = await fresh(browser)
    await large.addInitScript(() => {
      addEventListener('DOMContentLoaded', () => (document.documentElement.style.fontSize = '200%'))
    })
    await large.goto(floor.url)
    await expect(large.locator('.row h2').first()).toBeVisible()
    await every(large, '52-large-lobby')
    await sit(large, floor.url, 'Large text')
    await house.say('t2', 'fresh shoe')
    await open(large)
    await large.keyboard.press('b')
    await lies(large, 'banker')
    await every(large, '53-large-betting')
    await deal('t2', 'Kh 3d 9c 4s')
    await expect(large.getByTestId('net')).toBeVisible()
    await every(large, '54-large-result')
    for (const [path, name] of [
      ['/history/t2', '65-large-history'],
      ['/coup/t2/1', '66-large-coup'],
    ] as const) {
      await large.goto(floor.url + path)
      await expect(large.locator('tbody, .steps').first()).toBeVisible()
      await every(large, name)
      await onItsSide(large, name)
    }
    await large.goto(`${floor.url}/table/t2`)
    await expect(large.getByTestId('stack')).toBeVisible()

    const two: Size[] = ['phone', 'desk']
    const zh = await fresh(browser, 'zh-CN')
    await zh.goto(floor.url)
    await expect(zh.locator('.row h2').first()).toBeVisible()
    await every(zh, '60-zh-lobby', two)
    await zh
      .getByRole('button', { name: /Chinese/ })
      .last()
      .click()
    await expect(zh.getByTestId('stack')).toBeVisible()
    await house.say('t3', 'fresh shoe')
    await open(zh)
    await zh.keyboard.press('b')
    await lies(zh, 'banker')
    await zh.locator('[data-spot="banker-dragon"]').click()
    await lies(zh, 'banker-dragon')
    await every(zh, '61-zh-betting', two)
    await deal('t3', 'Kh 3d 9c 4s')
    await expect(zh.getByTestId('net')).toBeVisible()
    await every(zh, '62-zh-result', two)
    await zh.locator('.whybutton').last().click()
    await every(zh, '63-zh-why', two)
    await zh.goto(`${floor.url}/history/t3`)
    await expect(zh.getByRole('table')).toBeVisible()
    await every(zh, '65-zh-history', two)
    await zh.goto(`${floor.url}/coup/t3/1`)
    await expect(zh.getByRole('heading', { level: 1 })).toBeVisible()
    await zh.waitForTimeout(300)
    await every(zh, '66-zh-coup', two)
    await zh.goto(floor.url + (await house.invited('supervisor')))
    await zh.getByRole('textbox').first().fill('Shu')
    await zh.locator('input[type=password]').fill('a long pass phrase 7')
    await zh.locator('form .main').click()
    await expect(zh.locator('table')).toBeVisible()
    await every(zh, '67-zh-floor', two)
    await zh.goto(`${floor.url}/staff/t3`)
    await expect(zh.locator('.console')).toBeVisible()
    await every(zh, '68-zh-console', two)
  } finally {
    await floor.close()
  }
})

test('pictures of what is rarely seen', async ({ browser }) => {
  const main = ['operator posts main 5..500', 'operator posts tie 5..100']
  const keyed = (title: string, book: string) => ({
    title,
    opens: `operator opens ${book}`,
    sign: main,
    deals: 'keyed',
  })
  const floor = await Floor.open([
    keyed('Rare', 'act-2018'),
    keyed('Ordered', 'nz-1998'),
    keyed('Face down', 'act-2018 with face=down'),
    { title: 'Swift', opens: 'operator opens act-2018', sign: main, pace: 'at-once' },
    keyed('Hobart', 'tas-2013'),
  ])
  const lies = (page: Page, spot: string) =>
    expect(page.locator(`[data-spot="${spot}"] .lying:not(.sending)`)).toBeVisible()
  try {
    const house = await House.of(floor)
    const page = await fresh(browser)
    await sit(page, floor.url, 'Rare')
    await page.goto(`${floor.url}/account`)
    await expect(page.locator('#pause')).toBeVisible()
    await every(page, '70-account')
    await page.getByRole('button', { name: 'Pause…' }).click()
    await expect(page.getByRole('button', { name: 'Begin the pause' })).toBeFocused()
    await every(page, '71-pause-asked', ALL, page.locator('#pause'))

    const reminded = await fresh(browser)
    await reminded.route('**/api/v1/me', async (route) => {
      const answer = await route.fetch()
      const me = (await answer.json()) as Record<string, unknown>
      const reminder = { at: 1_000_000, minutes: 45, lost_cents: 2550 }
      await route.fulfill({ response: answer, json: { ...me, remind: 15, reminder } })
    })
    await sit(reminded, floor.url, 'Swift')
    await reminded.reload()
    await expect(reminded.locator('.banner')).toContainText('45 minutes')
    await every(reminded, '72-reminder')
    await reminded.unrouteAll({ behavior: 'ignoreErrors' })

    // A coup without bets, agreed to by all who are there.
    await page.goto(`${floor.url}/table/t1`)
    await house.say('t1', 'fresh shoe')
    await open(page)
    await page.getByRole('button', { name: 'Ask for a coup without bets' }).click()
    await expect(page.getByTestId('ask')).toHaveText('You asked for a coup without bets')
    await house.say('t1', 'supervisor directs a no-bet coup')
    await expect(page.getByTestId('ask')).toHaveText('A coup without bets')
    await every(page, '73-no-bet-coup')
    await house.say('t1', 'dealer deals 3h Kd 3c 2s')
    await house.say('t1', 'dealer draws 6h to banker')
    await open(page)

    // The book has an order: the first to cut is asked, the other waits.
    const first = await fresh(browser)
    await sit(first, floor.url, 'Ordered')
    const waits = await fresh(browser)
    await sit(waits, floor.url, 'Ordered')
    await house.say('t2', 'dealer checks the cards')
    await house.say('t2', 'supervisor checks the cards')
    await house.say('t2', 'dealer shuffles')
    for (const one of [first, waits])
      await expect(one.getByTestId('ask')).toContainText(/cuts? the cards/i)
    const idle = (await first.locator('.cut').isVisible()) ? waits : first
    await every(idle, '74-another-cuts')

    const holds = await fresh(browser)
    await sit(holds, floor.url, 'Face down')
    const looks = await fresh(browser)
    await sit(looks, floor.url, 'Face down')
    await house.say('t3', 'fresh shoe')
    await open(holds)
    await holds.keyboard.press('b')
    await lies(holds, 'banker')
    await looks.keyboard.press('p')
    await lies(looks, 'player')
    await house.say('t3', 'dealer calls no more bets')
    await house.say('t3', 'dealer deals ?? ?? ?? ??')
    await lie(looks, 4)
    const me = (await (await holds.request.get(`${floor.url}/api/v1/me`)).json()) as {
      name: string
    }
    await house.say('t3', `dealer passes the banker cards to ${me.name}`)
    await expect(looks.getByTestId('ask')).toContainText('turns the cards')
    await every(looks, '75-another-turns')

    await page.setViewportSize(SIZES.phone)
    await page.getByRole('button', { name: 'More' }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await every(page, '76-menu', ['phone', 'pad'])
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await expect(page.getByRole('dialog')).toBeVisible()
    await every(page, '77-keys')
    await page.keyboard.press('Escape')
    await page.locator('[data-mark]').first().focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog')).toBeVisible()
    await every(page, '78-road-mark')
    await page.keyboard.press('Escape')

    const reads = await fresh(browser)
    await reads.goto(`${floor.url}/book`)
    await expect(reads.locator('.books li').first()).toBeVisible()
    await every(reads, '79-books')
    await reads.route('**/assets/Proof-*.js', (route) => route.abort())
    await reads.goto(`${floor.url}/proof`)
    await expect(reads.getByRole('button', { name: 'Reload the page' })).toBeVisible()
    await every(reads, '80-not-loaded')
    await reads.unrouteAll({ behavior: 'ignoreErrors' })

    // A disputed coup, and what the log itself complains of, stand first on the operator's floor.
    await page.keyboard.press('b')
    await lies(page, 'banker')
    await house.say('t1', 'dealer calls no more bets')
    await house.say('t1', 'dealer deals Kh 3d 9c 4s')
    await expect(page.getByTestId('net')).toBeVisible()
    await page.goto(`${floor.url}/coup/t1/2`)
    await page.getByRole('button', { name: 'Dispute this coup' }).click()
    await expect(page.getByText('Your dispute is recorded')).toBeVisible()
    await every(page, '81-disputed')
    const operator = await fresh(browser)
    await operator.goto(floor.url + (await house.invited('operator')))
    await operator.getByLabel('Name').fill('Olga')
    await operator.getByLabel('Password').fill('a long pass phrase 7')
    await operator.getByRole('button', { name: 'Come in' }).click()
    await expect(operator.locator('.alarms')).toContainText('1 disputed coup')
    await every(operator, '82-floor-dispute')
    await operator.route('**/api/v1/alarms', (route) =>
      route.fulfill({
        json: {
          log: null,
          streams: [{ stream: 'table t4', why: 'record 118 does not follow record 117' }],
          not_resumed: [],
        },
      }),
    )
    await expect(operator.locator('.alarms')).toContainText('record 118')
    await every(operator, '83-floor-alarm')
    await operator.unrouteAll({ behavior: 'ignoreErrors' })

    // A shoe that is over, a card that is not the one of the shoe, a head that goes back.
    await open(reminded)
    const playing = setInterval(() => {
      void reminded.keyboard.press('b').catch(() => undefined)
    }, 120)
    const over = async () => {
      const answer = await reminded.request.get(`${floor.url}/api/v1/tables/t4?as=spectator`)
      return ((await answer.json()) as { shoe: { number: number } }).shoe.number
    }
    await expect.poll(over, { timeout: 240_000 }).toBeGreaterThan(1)
    clearInterval(playing)
    await reads.goto(`${floor.url}/proof/t4/last`)
    await expect(reads.getByTestId('verdict')).toContainText('Everything that was published holds')
    await every(reads, '84-last-shoe', ALL, reads.getByTestId('verdict'))
    const record = await reads.request.get(`${floor.url}/api/v1/tables/t4/shoe/last`)
    const { shoe } = (await record.json()) as { shoe: { openings: { card: string }[] } }
    const [card] = shoe.openings
    if (card) card.card = card.card === 'Ah' ? 'Ad' : 'Ah'
    await reads.setInputFiles('input[type=file]', {
      name: 'shoe.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(shoe)),
    })
    await expect(reads.getByTestId('verdict')).toHaveClass(/bad/)
    await every(reads, '85-proof-fails', ALL, reads.getByTestId('verdict'))
    await reads.route('**/api/v1/head', async (route) => {
      const answer = await route.fetch()
      const document = (await answer.json()) as { version: number }
      await route.fulfill({ response: answer, json: { ...document, version: 0 } })
    })
    await reads.reload()
    await expect(reads.getByTestId('head')).toHaveClass(/bad/)
    await every(reads, '86-head-fails', ALL, reads.getByTestId('head'))
    await reads.unrouteAll({ behavior: 'ignoreErrors' })

    // Play waits for the inspector; and a table that has stopped.
    const hobart = await fresh(browser)
    await sit(hobart, floor.url, 'Hobart')
    await house.say('t5', 'fresh shoe')
    await open(hobart)
    await hobart.keyboard.press('b')
    await lies(hobart, 'banker')
    await house.say('t5', 'inspector leaves')
    await expect(hobart.getByTestId('ask')).toHaveText('Play waits for the inspector')
    await every(hobart, '87-inspector-away')
    await hobart.routeWebSocket('**/api/v1/socket', (socket) => {
      const server = socket.connectToServer()
      server.onMessage((message) => {
        socket.send(message)
        if (String(message).includes('"kind":"view"'))
          socket.send(JSON.stringify({ kind: 'over', table: 't5' }))
      })
    })
    await hobart.reload()
    await expect(hobart.getByText('The table has stopped')).toBeVisible()
    await every(hobart, '88-stopped')

    // What was paid is taken back by two people: the first has said it, the second is asked.
    await house.say('t1', 'dealer deals Kh 3d 9c 4s')
    const line = operator.getByLabel('Say what happens')
    await operator.goto(`${floor.url}/staff/t1`)
    await expect(line).toBeVisible()
    const vera = await fresh(browser)
    await vera.goto(floor.url + (await house.invited('supervisor')))
    await vera.getByLabel('Name').fill('Vera')
    await vera.getByLabel('Password').fill('a long pass phrase 7')
    await vera.getByRole('button', { name: 'Come in' }).click()
    await expect(vera.getByRole('heading', { name: 'The floor' })).toBeVisible()
    await vera.goto(`${floor.url}/staff/t1`)
    await vera.getByLabel('Say what happens').fill('supervisor finds an error in coup 2')
    await vera.getByLabel('Say what happens').press('Enter')
    await vera.getByRole('alertdialog').getByRole('button', { name: 'Do it' }).click()
    await expect(vera.getByTestId('waits')).toBeVisible()
    await every(vera, '89-second-person-asked')
    const sven = await fresh(browser)
    await sven.goto(floor.url + (await house.invited('supervisor')))
    await sven.getByLabel('Name').fill('Sven')
    await sven.getByLabel('Password').fill('a long pass phrase 7')
    await sven.getByRole('button', { name: 'Come in' }).click()
    await expect(sven.getByRole('heading', { name: 'The floor' })).toBeVisible()
    await sven.goto(`${floor.url}/staff/t1`)
    await expect(sven.getByTestId('proposed')).toBeVisible()
    await every(sven, '90-second-person')

    const zh = await fresh(browser, 'zh-CN')
    await zh.goto(`${floor.url}/table/t4?sit`)
    await expect(zh.getByTestId('stack')).toBeVisible()
    await zh.goto(floor.url)
    await expect(zh.locator('.here')).toBeVisible()
    await every(zh, '91-zh-lobby-seated')
    await zh.goto(`${floor.url}/nothing/here`)
    await expect(zh.getByRole('heading', { level: 1 })).toBeVisible()
    await every(zh, '92-zh-no-such-page')
    await zh.goto(`${floor.url}/account`)
    await expect(zh.locator('#pause')).toBeVisible()
    await every(zh, '93-zh-account', ['phone', 'desk'])
  } finally {
    await floor.close()
  }
})

/** Deals that end with four cards, and who wins: Banker, Player, a tie. */
const DEALS = {
  b: ['Kh 8d 2c Ks', '4c 9d 4h Jc', '3d 5s Th 4s'],
  p: ['9h Kd Kc 2s', 'Ac Qh 8h 7s'],
  t: ['8s 8c Qd Jd'],
}

/** Where the README finds its pictures. */
const README = '../docs/pictures'

test('pictures of the README', async ({ browser }) => {
  const main = ['operator posts main 5..500', 'operator posts tie 5..100']
  const side = ['operator posts dragon 5..50', 'operator posts pairs 5..50']
  const [, ...others] = tablesOfEveryBook('quick')
  const opens = 'operator opens act-2018 with dragon, pairs=perfect'
  const own = { title: 'Canberra', opens, sign: [...main, ...side], deals: 'keyed' }
  const floor = await Floor.open([own, ...others], 6)
  try {
    const house = await House.of(floor)
    const player = await fresh(browser)
    await player.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    await sit(player, floor.url, 'Canberra')
    await house.say('t1', 'fresh shoe')
    const spots = (all: string[]) =>
      Promise.all(
        all.map((one) =>
          expect(player.locator(`[data-spot="${one}"] .lying:not(.sending)`)).toBeVisible(),
        ),
      )
    const used = { b: 0, p: 0, t: 0 }
    for (const winner of 'bbpbtppbbbbppbpbbtpppb') {
      const key = winner as keyof typeof DEALS
      await open(player)
      await player.keyboard.press('b')
      await spots(['banker'])
      await house.say('t1', 'dealer calls no more bets')
      const deal = DEALS[key][used[key]++ % DEALS[key].length] ?? ''
      await house.say('t1', `dealer deals ${deal}`)
      await expect(player.getByTestId('net')).toBeVisible()
    }
    await open(player)
    await player.keyboard.press('3')
    await player.keyboard.press('b')
    await player.keyboard.press('1')
    await player.locator('[data-spot="player-pair"]').click()
    await spots(['banker', 'player-pair'])

    const dealer = await fresh(browser)
    await dealer.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    await dealer.goto(floor.url + (await house.invited('dealer')))
    await dealer.getByLabel('Name').fill('Dora')
    await dealer.getByLabel('Password').fill('a long pass phrase 7')
    await dealer.getByRole('button', { name: 'Come in' }).click()
    await expect(dealer.getByRole('heading', { name: 'The floor' })).toBeVisible()
    await dealer.goto(`${floor.url}/staff/t1`)
    const line = dealer.getByLabel('Say what happens')
    for (const said of ['calls no more bets', 'deals 3h Kd 3c 2s', 'draws 5h to player']) {
      await line.fill(`dealer ${said}`)
      await line.press('Enter')
      await expect(line).toHaveValue('')
    }
    await expect(dealer.getByTestId('ruled')).toContainText('13.1')
    await expect(player.getByTestId('net')).toBeVisible()
    await expect(player.locator('.law-column')).toContainText('13.1')
    const picture = async (page: Page, name: string, size: { width: number; height: number }) => {
      await page.setViewportSize(size)
      await page.waitForTimeout(600)
      await page.screenshot({ path: `${README}/${name}.png`, scale: 'css' })
    }
    await dealer.evaluate(() => scrollTo(0, 0))
    await picture(dealer, 'console', { width: 1180, height: 800 })
    await picture(player, 'table', { width: 1240, height: 780 })
    await picture(player, 'phone', SIZES.phone)
    const lobby = await fresh(browser)
    await lobby.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    await lobby.addInitScript(() => {
      localStorage.setItem('sabot.settings', JSON.stringify({ introSeen: true }))
    })
    await lobby.goto(floor.url)
    await expect(lobby.locator('.strip').first()).toBeVisible()
    await picture(lobby, 'lobby', { width: 1180, height: 720 })
  } finally {
    await floor.close()
  }
})
