/** Settings of this browser: each does what it says, and is still so after a reload. */
import { expect, test, type Page } from '@playwright/test'
import { Floor } from './floor'
import { House } from './house'
import { lie, open, sit, spot } from './table'

let floor: Floor
let house: House
test.beforeAll(async () => {
  const sign = ['operator posts main 5..500', 'operator posts tie 5..100']
  const opens = 'operator opens act-2018'
  floor = await Floor.open([
    { title: 'Colours', opens, sign, deals: 'keyed' },
    { title: 'Sounds', opens, sign, deals: 'keyed' },
  ])
  house = await House.of(floor)
})
test.afterAll(async () => {
  await floor.close()
})

/** Opens the settings, does something there, and closes them. */
async function set(page: Page, what: (sheet: ReturnType<Page['getByRole']>) => Promise<void>) {
  await page.getByRole('button', { name: 'Settings', exact: true }).click()
  const sheet = page.getByRole('dialog')
  await what(sheet)
  await page.keyboard.press('Escape')
  await expect(sheet).toHaveCount(0)
}

const ground = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor)

test('the game in three pictures is skipped once and for all', async ({ page }) => {
  await page.goto(floor.url)
  const intro = page.getByRole('region', { name: 'The game in three pictures' })
  await expect(intro.getByRole('listitem')).toHaveCount(3)
  await intro.getByRole('button', { name: 'I know the game' }).click()
  await expect(intro).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Sit at Colours' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('button', { name: 'Sit at Colours' })).toBeVisible()
  await expect(intro).toHaveCount(0)
})

test('the colours: light and dark whatever the system has, and as the system has them', async ({
  page,
}) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto(floor.url)
  const dark = await ground(page)
  await set(page, (sheet) => sheet.getByLabel('light', { exact: true }).check())
  await expect.poll(() => ground(page)).not.toBe(dark)
  const light = await ground(page)
  await page.reload()
  await expect.poll(() => ground(page)).toBe(light)
  await page.emulateMedia({ colorScheme: 'light' })
  await set(page, (sheet) => sheet.getByLabel('dark', { exact: true }).check())
  await expect.poll(() => ground(page)).toBe(dark)
  await page.reload()
  await expect.poll(() => ground(page)).toBe(dark)
  await set(page, (sheet) => sheet.getByLabel('as the system').check())
  await expect.poll(() => ground(page)).toBe(light)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(() => ground(page)).toBe(dark)
})

test('the language: Chinese at once and after a reload, and back', async ({ page }) => {
  await page.goto(floor.url)
  await set(page, (sheet) => sheet.getByLabel('简体中文').check())
  const heading = page.getByRole('heading', { level: 1 })
  await expect(heading).toHaveText('牌桌')
  await page.reload()
  await expect(heading).toHaveText('牌桌')
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-Hans')
  await page.getByRole('button', { name: '设置' }).click()
  await page.getByRole('dialog').getByLabel('English').check()
  await page.keyboard.press('Escape')
  await expect(heading).toHaveText('Tables')
  await page.reload()
  await expect(heading).toHaveText('Tables')
  await expect(page.locator('html')).toHaveAttribute('lang', 'en')
})

test('large type, and a deck of four colours', async ({ page }) => {
  await sit(page, floor.url, 'Colours')
  await house.say('t1', 'fresh shoe')
  await open(page)
  const size = () =>
    page.getByTestId('stack').evaluate((one) => parseFloat(getComputedStyle(one).fontSize))
  const small = await size()
  await set(page, (sheet) => sheet.getByLabel('Large type').check())
  const large = await size()
  expect(large).toBeGreaterThan(small * 1.15)
  await page.reload()
  await expect(page.getByTestId('stack')).toBeVisible()
  expect(await size()).toBe(large)
  await set(page, (sheet) => sheet.getByLabel('Large type').uncheck())
  expect(await size()).toBe(small)

  await page.keyboard.press('b')
  await expect(spot(page, 'banker')).toHaveAttribute('aria-label', /accepted/)
  await house.say('t1', 'dealer calls no more bets')
  await house.say('t1', 'dealer deals 8h 8d 8c 8s')
  await lie(page, 4)
  /** How many colours the four suits have. */
  const colours = async () => {
    const all = await page.locator('.hands .card').evaluateAll((cards) =>
      cards.map((card) => {
        const drawn = [card, ...card.querySelectorAll('*')]
        return drawn.map((one) => `${getComputedStyle(one).color} ${getComputedStyle(one).fill}`)
      }),
    )
    return new Set(all.map((one) => one.join())).size
  }
  expect(await colours()).toBe(2)
  await set(page, (sheet) => sheet.getByLabel('Four-colour deck').check())
  expect(await colours()).toBe(4)
  await page.reload()
  await lie(page, 4)
  expect(await colours()).toBe(4)
})

test('sounds: none until they are turned on, then chips and cards are heard', async ({ page }) => {
  await page.addInitScript(() => {
    const heard: number[] = []
    Object.assign(window, { tones: heard })
    const start = OscillatorNode.prototype.start
    OscillatorNode.prototype.start = function (...when: [number?]) {
      heard.push(this.frequency.value)
      start.apply(this, when)
    }
  })
  const tones = () => page.evaluate(() => (window as unknown as { tones: number[] }).tones.length)
  await sit(page, floor.url, 'Sounds')
  await house.say('t2', 'fresh shoe')
  await open(page)
  await page.keyboard.press('b')
  await expect(spot(page, 'banker')).toHaveAttribute('aria-label', /your bet 10\.00, accepted/)
  expect(await tones()).toBe(0)
  await set(page, (sheet) => sheet.getByLabel('Sounds').check())
  await page.keyboard.press('b')
  await expect(spot(page, 'banker')).toHaveAttribute('aria-label', /your bet 20\.00, accepted/)
  await expect.poll(tones).toBeGreaterThan(0)
  await page.reload()
  await open(page)
  await page.keyboard.press('b')
  await expect(spot(page, 'banker')).toHaveAttribute('aria-label', /your bet 30\.00, accepted/)
  await expect.poll(tones).toBe(1)
  await house.say('t2', 'dealer calls no more bets')
  await house.say('t2', 'dealer deals Kh Kd Kc 9s')
  await expect(page.getByTestId('net')).toContainText('+28.50')
  await expect.poll(tones).toBeGreaterThan(2)
  await set(page, (sheet) => sheet.getByLabel('Sounds').uncheck())
  const until = await tones()
  await open(page)
  await page.keyboard.press('p')
  await expect(spot(page, 'player')).toHaveAttribute('aria-label', /accepted/)
  expect(await tones()).toBe(until)
})

test('the page can be installed: its manifest, its start and its icons are there', async ({
  page,
}) => {
  await page.goto(floor.url)
  const link = (await page.locator('link[rel=manifest]').getAttribute('href')) ?? ''
  const answer = await page.request.get(new URL(link, floor.url).href)
  expect(answer.headers()['content-type']).toMatch(/^application\/(manifest\+)?json/)
  type Icon = { src: string; sizes: string; type: string; purpose: string }
  const manifest = (await answer.json()) as {
    name: string
    short_name: string
    start_url: string
    display: string
    icons: Icon[]
  }
  expect(manifest.name).toBe('Sabot')
  expect(manifest.short_name.length).toBeLessThanOrEqual(12)
  expect(manifest.display).toBe('standalone')
  const start = await page.request.get(new URL(manifest.start_url, floor.url).href)
  expect(start.ok()).toBe(true)
  expect(await start.text()).toContain('<div id="app">')
  const touch = (await page.locator('link[rel=apple-touch-icon]').getAttribute('href')) ?? ''
  const icons = [
    ...manifest.icons,
    { src: touch, sizes: '180x180', type: 'image/png', purpose: '' },
  ]
  for (const { src, sizes, type } of icons) {
    const icon = await page.request.get(new URL(src, floor.url).href)
    expect(icon.ok(), src).toBe(true)
    expect(icon.headers()['content-type'], src).toContain(type)
    const bytes = await icon.body()
    if (type === 'image/png') {
      // Width and height stand at the same place of every PNG.
      expect(bytes.subarray(1, 4).toString(), src).toBe('PNG')
      expect(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, src).toBe(sizes)
    } else expect(bytes.toString(), src).toContain('<svg')
  }
  // What a browser asks for before it offers to install a page.
  const png = (size: string, purpose: string) =>
    manifest.icons.some((icon) => icon.sizes === size && icon.purpose.includes(purpose))
  expect(png('192x192', 'any') && png('512x512', 'any') && png('512x512', 'maskable')).toBe(true)
  const client = await page.context().newCDPSession(page)
  const { errors } = await client.send('Page.getAppManifest')
  expect(errors).toEqual([])
})
