import { expect, test, type Page } from '@playwright/test'
import { Floor, tablesOfEveryBook } from './floor'
import { House } from './house'
import { accessible, coups, open, sit, still } from './table'

let floor: Floor
test.beforeAll(async () => {
  floor = await Floor.open(tablesOfEveryBook('at-once').slice(0, 2))
})
test.afterAll(async () => {
  await floor.close()
})

async function playOne(page: Page, title: string) {
  await sit(page, floor.url, title)
  await open(page)
  await page.keyboard.press('b')
  await expect.poll(() => coups(page), { timeout: 30_000 }).toBeGreaterThan(0)
}

/** How much of the cloth lies beyond its right edge. */
async function tooWide(page: Page): Promise<number> {
  await still(page)
  return page.locator('main.cloth').evaluate((one) => one.scrollWidth - one.clientWidth)
}

test('lobby, book, proof and sign-in have no violation', async ({ page }) => {
  for (const path of ['/', '/book', '/book/act-2018', '/proof', '/sign-in', '/account']) {
    await page.goto(floor.url + path)
    await expect(page.getByRole('heading').first()).toBeVisible()
    await page.waitForLoadState('networkidle')
    await accessible(page)
  }
})

test('every book on the list can be read, and each number of a clause leads to one', async ({
  page,
}) => {
  await page.goto(`${floor.url}/book`)
  const links = page.locator('.books a')
  await expect(links.first()).toBeVisible()
  const books = await links.evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''))
  expect(books.length).toBeGreaterThan(4)
  for (const path of books) {
    await page.goto(floor.url + path)
    await expect(page.locator('ol li').first(), path).toBeVisible()
    const entries = await page
      .locator('ol li')
      .evaluateAll((all) =>
        all.map((one) => [one.id, one.querySelector('.number')?.getAttribute('href') ?? '']),
      )
    const own = entries.map(([id]) => id).filter((id) => id !== '')
    expect(new Set(own).size, path).toBe(own.length)
    expect(own.length, path).toBeGreaterThan(10)
    // A clause of the book that this one amends leads to its place there.
    for (const [id, href] of entries) {
      if (id) expect(href, path).toBe(`#${id}`)
      else expect(href, path).toMatch(/^\/book\/[a-z]+-\d{4}#./)
    }
  }
})

test('no page is wider than its window', async ({ page }) => {
  for (const width of [360, 390, 600, 700, 768, 900, 1024, 1280]) {
    await page.setViewportSize({ width, height: 900 })
    for (const path of ['/', '/book/act-2018', '/proof', '/sign-in', '/account', '/table/t1']) {
      await page.goto(floor.url + path)
      await expect(page.getByRole('heading').first()).toBeVisible()
      const wide = await page.evaluate(() => document.documentElement.scrollWidth)
      expect(wide, `${path} at ${width}`).toBeLessThanOrEqual(width)
      // The cloth scrolls by itself: the page does not tell that it is too wide.
      if (path.startsWith('/table')) expect(await tooWide(page), `cloth at ${width}`).toBe(0)
    }
  }
})

test('a coup has a link that is stepped through, a history, and can be disputed', async ({
  page,
}) => {
  await playOne(page, 'Canberra')
  await page.getByRole('link', { name: 'My coups' }).click()
  await expect(page.getByRole('table')).toBeVisible()
  await accessible(page)
  await page.locator('tbody a').first().click()
  await expect(page.getByText(/Step \d+ of \d+/)).toBeVisible()
  await page.keyboard.press('Home')
  await expect(page.getByText(/Step 1 of/)).toBeVisible()
  for (let i = 0; i < 4; i += 1) await page.keyboard.press('ArrowRight')
  await accessible(page)
  await page.getByRole('button', { name: 'Dispute this coup' }).click()
  await expect(page.getByText('Your dispute is recorded')).toBeVisible()
})

test('a whole shoe is verified, and a falsified record is shown in red', async ({ page }) => {
  await playOne(page, 'Old Canberra')
  await page.goto(`${floor.url}/proof/t2`)
  const verdict = page.getByTestId('verdict')
  await expect(verdict).toContainText('Everything that was published holds')
  await expect(verdict).toContainText('The list of promises is signed by the house')
  await accessible(page)
  const answer = await page.request.get(`${floor.url}/api/v1/tables/t2/shoe`)
  const record = ((await answer.json()) as { shoe: { openings: { card: string }[] } }).shoe
  const [first] = record.openings
  if (first) first.card = first.card === 'Ah' ? 'Ad' : 'Ah'
  await page.setInputFiles('input[type=file]', {
    name: 'shoe.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(record)),
  })
  await expect(verdict).toContainText('does not hold')
  await expect(verdict).toHaveClass(/bad/)
  await accessible(page)
})

test('without crypto.subtle signatures are checked all the same; a head that goes back is red', async ({
  page,
}) => {
  await page.addInitScript(() => {
    Object.defineProperty(crypto, 'subtle', { value: undefined })
  })
  await playOne(page, 'Canberra')
  // A mark of a road explains itself by keys.
  await page.locator('[data-mark]').first().focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toContainText(/Coup \d+: /)
  await accessible(page)
  await page.goto(`${floor.url}/proof/t1`)
  const verdict = page.getByTestId('verdict')
  await expect(verdict.locator('li.good', { hasText: 'is signed by the house' })).toBeVisible()
  const head = page.getByTestId('head')
  await expect(head).toContainText('The newest signed head of the log')
  await page.reload()
  await expect(head.locator('li.good', { hasText: 'this browser kept' })).toBeVisible()
  await page.route('**/api/v1/head', async (route) => {
    const answer = await route.fetch()
    const document = (await answer.json()) as { version: number }
    await route.fulfill({ response: answer, json: { ...document, version: 0 } })
  })
  await page.reload()
  await expect(head).toHaveClass(/bad/)
  await expect(head.locator('li.bad', { hasText: 'this browser kept' })).toBeVisible()
  await accessible(page)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test('a table that shows a falsified proof raises the alarm', async ({ page }) => {
  // One card of the coup that is played now has a proof that leads nowhere. Cards of earlier coups
  // stay as they are: they may go from the felt at any moment.
  let forged: number | null = null
  let before: number | null = null
  await page.route('**/api/v1/tables/t1/shoe', async (route) => {
    const answer = await route.fetch()
    type Shoe = { dealt: string[]; openings: { index: number; salt: string }[] }
    const document = (await answer.json()) as { shoe: Shoe | null }
    const openings = document.shoe?.openings ?? []
    before ??= openings.length
    const last = openings.slice(before).at(-1)
    if (last && document.shoe?.dealt[last.index]?.startsWith('coup')) forged ??= last.index
    const one = openings.find((opening) => opening.index === forged)
    if (one) one.salt = one.salt.replace(/^../, one.salt.startsWith('00') ? '11' : '00')
    await route.fulfill({ response: answer, json: document })
  })
  await sit(page, floor.url, 'Canberra')
  await open(page)
  await page.keyboard.press('b')
  await expect(page.locator('.banner.alarm')).toBeVisible({ timeout: 30_000 })
  // That card has a cross, and the others have their ticks.
  await expect(page.locator('.hand .card.bad')).toHaveCount(1)
  await expect(page.getByRole('alert').first()).toContainText('The proof does not hold')
  await accessible(page)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test('phone and large text: nothing is cut off, and bets work by touch', async ({ browser }) => {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  })
  const page = await context.newPage()
  await sit(page, floor.url, 'Canberra')
  await open(page)
  await page.locator('[data-spot="player"]').tap()
  await expect.poll(() => coups(page), { timeout: 30_000 }).toBeGreaterThan(0)
  const width = () => page.evaluate(() => document.documentElement.scrollWidth)
  expect(await width()).toBeLessThanOrEqual(390)
  expect(await tooWide(page)).toBe(0)
  await accessible(page)
  await page.getByRole('button', { name: 'Why?' }).first().tap()
  await expect(page.getByRole('dialog')).toBeVisible()
  await accessible(page)
  await page.keyboard.press('Escape')
  // A part of the page beyond an edge, unless it is moved there by whoever swipes.
  const beyond = () =>
    page.evaluate(() => {
      const swiped = (one: Element) => one.closest('svg, .sr, .board')
      return [...document.querySelectorAll('body *')]
        .filter((one) => !swiped(one) && one.getBoundingClientRect().width > 0)
        .filter((one) => {
          const { left, right } = one.getBoundingClientRect()
          return left < -0.5 || right > innerWidth + 0.5
        })
        .map((one) => `${one.tagName} ${one.className}`)
    })
  await page.addInitScript(() => {
    addEventListener('DOMContentLoaded', () => (document.documentElement.style.fontSize = '200%'))
  })
  for (const path of ['/', '/history/t1', '/coup/t1/1', '/table/t1', '/book', '/proof/t1']) {
    for (const viewport of [
      { width: 390, height: 844 },
      { width: 320, height: 640 },
      { width: 844, height: 390 },
    ]) {
      await page.setViewportSize(viewport)
      await page.goto(floor.url + path)
      await expect(page.locator('h1').first()).toBeVisible()
      await page.waitForLoadState('networkidle')
      const where = `${path} at ${viewport.width}`
      if (path.startsWith('/table')) {
        await expect(page.getByTestId('stack')).toBeVisible()
        expect(await tooWide(page), where).toBe(0)
        // The balance lies over nothing, and the whole word can be read.
        const [name, balance] = await Promise.all(
          ['.name', '.balance'].map((part) => page.locator(`.top ${part}`).boundingBox()),
        )
        if (!name || !balance) throw new Error('the head is there')
        const apart = name.x + name.width <= balance.x || name.y + name.height <= balance.y
        expect(apart, where).toBe(true)
        const inside = await page
          .locator('.top .name p')
          .evaluate((one) => one.scrollWidth - one.clientWidth)
        expect(inside, where).toBeLessThanOrEqual(1)
        const field = page.getByPlaceholder('Other')
        const cut = await field.evaluate((one: HTMLInputElement) => {
          const text = document.createElement('canvas').getContext('2d')
          if (!text) return 0
          const style = getComputedStyle(one)
          text.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`
          const room =
            one.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)
          return text.measureText(one.placeholder).width - room
        })
        expect(cut, where).toBeLessThanOrEqual(0)
      }
      expect(await width(), where).toBeLessThanOrEqual(viewport.width)
      expect(await beyond(), where).toEqual([])
    }
  }
  // On a desk what lies on a spot is above the tray.
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto(`${floor.url}/table/t1`)
  await open(page)
  await page.locator('[data-spot="banker"]').tap()
  const [amount, tray] = await Promise.all(
    ['[data-spot="banker"] .bets', '.bottom'].map((part) => page.locator(part).boundingBox()),
  )
  expect((amount?.y ?? 0) + (amount?.height ?? 0)).toBeLessThanOrEqual(tray?.y ?? 0)
  await context.close()
})

test('hands of the widest cards fit the narrowest phone with the largest text', async ({
  browser,
}) => {
  const wide = await Floor.open([
    {
      title: 'Tens',
      opens: 'operator opens act-2018',
      sign: ['operator posts main 5..500', 'operator posts tie 5..100'],
      deals: 'keyed',
    },
  ])
  try {
    const house = await House.of(wide)
    const viewport = { width: 320, height: 640 }
    const page = await (await browser.newContext({ viewport })).newPage()
    await sit(page, wide.url, 'Tens')
    await house.say('t1', 'fresh shoe')
    await open(page)
    await page.keyboard.press('b')
    await expect(page.locator('[data-spot="banker"]')).toHaveAttribute('aria-label', /accepted/)
    await house.say('t1', 'dealer deals Th Td Tc Ts')
    await house.say('t1', 'dealer draws Th to player')
    await house.say('t1', 'dealer draws Td to banker')
    await expect(page.getByTestId('net')).toBeVisible()
    await page.addInitScript(() => {
      addEventListener('DOMContentLoaded', () => (document.documentElement.style.fontSize = '200%'))
    })
    for (const path of ['/history/t1', '/coup/t1/1', '/table/t1']) {
      await page.goto(wide.url + path)
      await expect(page.locator('tbody tr, .steps, .hands').first()).toBeVisible()
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      expect.soft(width, path).toBeLessThanOrEqual(320)
    }
    await page.context().close()
  } finally {
    await wide.close()
  }
})

test('on the narrowest phone the table is no wider than the screen', async ({ browser }) => {
  const viewport = { width: 320, height: 640 }
  const page = await (await browser.newContext({ viewport })).newPage()
  await sit(page, floor.url, 'Canberra')
  await open(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  expect(await tooWide(page)).toBe(0)
  await page.context().close()
})

test('a phone on its side: every spot and every chip is there without scrolling', async ({
  browser,
}) => {
  for (const viewport of [
    { width: 844, height: 390 },
    { width: 667, height: 375 },
  ]) {
    const context = await browser.newContext({ viewport, hasTouch: true, isMobile: true })
    const page = await context.newPage()
    for (const title of ['Canberra', 'Old Canberra']) {
      await sit(page, floor.url, title)
      await open(page)
      const inView = async (selector: string) => {
        const boxes = await page.locator(selector).evaluateAll((all) =>
          all.map((one) => {
            const { top, bottom, left, right } = one.getBoundingClientRect()
            // What lies over it would take the touch.
            const over = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
            return { top, bottom, left, right, hit: !!over && (one === over || one.contains(over)) }
          }),
        )
        expect(boxes.length, selector).toBeGreaterThan(2)
        for (const box of boxes) {
          expect(box.top, selector).toBeGreaterThanOrEqual(0)
          expect(box.bottom, selector).toBeLessThanOrEqual(viewport.height)
          expect(box.left, selector).toBeGreaterThanOrEqual(0)
          expect(box.right, selector).toBeLessThanOrEqual(viewport.width)
          expect(box.hit, selector).toBe(true)
        }
      }
      await inView('[data-spot]')
      await inView('.tray [role=radio]')
      expect(await page.evaluate(() => scrollY)).toBe(0)
      await open(page)
      await page.locator('[data-spot="banker"]').tap()
      await expect.poll(() => coups(page), { timeout: 30_000 }).toBeGreaterThan(0)
      await accessible(page)
      await page.screenshot({ path: `test-results/landscape-${viewport.width}-${title}.png` })
    }
    await context.close()
  }
})

test('the lobby says where I sit, with what, and leads back', async ({ page }) => {
  await sit(page, floor.url, 'Old Canberra')
  const stack = await page.getByTestId('stack').innerText()
  await page.goBack()
  const row = page.locator('.row', { hasText: 'Old Canberra' })
  await expect(row).toContainText('You sit here')
  await expect(row).toContainText(`${stack} in chips`)
  await expect(row.getByRole('button', { name: /^Sit/ })).toHaveCount(0)
  await expect(page.getByText('You sit here')).toHaveCount(1)
  await expect(page.getByRole('button', { name: 'Sit at Canberra', exact: true })).toBeVisible()
  await accessible(page)
  await row.getByRole('link', { name: 'Go back to Old Canberra' }).click()
  await expect(page.getByTestId('stack')).toHaveText(stack)
})

test('an address of nothing says so, and every view has a heading of the first level', async ({
  page,
}) => {
  for (const path of ['/nothing/here', '/table', '/lobby']) {
    await page.goto(floor.url + path)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('There is no such page')
  }
  await page.goto(`${floor.url}/nothing/here`)
  await accessible(page)
  await page.getByRole('link', { name: 'To the tables' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Tables')
  for (const path of ['/book/no-such-book', '/staff', '/coup/t1/999', '/history/t1', '/link/x']) {
    await page.goto(floor.url + path)
    await expect(page.getByRole('heading', { level: 1 }), path).toHaveCount(1)
    await accessible(page)
  }
})
