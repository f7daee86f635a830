import { expect, test } from '@playwright/test'
import { Floor, tablesOfEveryBook, TIMED } from './floor'
import { another, coups, open, sit, watchShifts } from './table'

test('the first view can be used within a second', async ({ browser }) => {
  const floor = await Floor.open(tablesOfEveryBook('at-once').slice(0, 1))
  try {
    /** A first visit: nothing is kept in this browser yet. Gives when a click would do something. */
    const visit = async () => {
      const page = await (await browser.newContext()).newPage()
      await page.addInitScript(() => {
        const look = () => {
          const sit = [...document.querySelectorAll('.row button')].some(
            (one) => one instanceof HTMLButtonElement && !one.disabled,
          )
          // Two frames later it is drawn, and what else was to be done at once is done.
          if (sit)
            requestAnimationFrame(() =>
              setTimeout(() => Object.assign(window, { usable: performance.now() })),
            )
          else requestAnimationFrame(look)
        }
        requestAnimationFrame(look)
      })
      await page.goto(floor.url)
      await page.waitForFunction(() => 'usable' in window)
      const usable = await page.evaluate(() => (window as unknown as { usable: number }).usable)
      // And it does: one click leads to the table.
      await page.getByRole('button', { name: /^Sit at/ }).click()
      await expect(page.getByTestId('stack')).toBeVisible()
      await page.context().close()
      return usable
    }
    // A busy machine may spoil one try, not three.
    let best = await visit()
    for (let i = 0; TIMED && i < 2 && best >= 1000; i += 1) best = Math.min(best, await visit())
    console.log(`    the first view can be used after ${Math.round(best)} ms`)
    if (TIMED) expect(best).toBeLessThan(1000)
  } finally {
    await floor.close()
  }
})

test('nothing jumps on a page that watches while others play, nor for whoever plays', async ({
  browser,
}) => {
  test.setTimeout(300_000)
  const floor = await Floor.open(tablesOfEveryBook('quick').slice(0, 1))
  try {
    const desk = { width: 1280, height: 800 }
    const player = await another(browser, desk)
    await sit(player, floor.url, 'Canberra')
    await open(player)
    // Whoever watches touches nothing: no shift is excused by a key or a click.
    const watching = await Promise.all(
      [desk, { width: 390, height: 844 }].map(async (size) => {
        const page = await another(browser, size)
        await page.goto(`${floor.url}/table/t1`)
        await expect(page.locator('.hands')).toBeVisible()
        await page.evaluate(() => document.fonts.ready)
        return { page, size, shifted: await watchShifts(page) }
      }),
    )
    const shifted = await watchShifts(player)
    const COUPS = 4
    for (let i = 0; i < COUPS; i += 1) {
      await open(player)
      for (const key of ['b', 't']) await player.keyboard.press(key)
      // From the bets over the call and the cards to the result, and on.
      await expect.poll(() => coups(player), { timeout: 60_000 }).toBe(i + 1)
      for (const { page } of watching)
        await expect.poll(() => coups(page), { timeout: 60_000 }).toBe(i + 1)
    }
    for (const { size, shifted: jumped } of watching) {
      const { sum, of } = await jumped()
      expect.soft(sum, `watching at ${size.width}\n${of}`).toBeLessThan(0.01)
    }
    // Whoever plays has amounts on the spots too, which give way to what they won.
    const { sum, of } = await shifted()
    expect.soft(sum, `playing\n${of}`).toBeLessThan(0.02)
  } finally {
    await floor.close()
  }
})

test('no page jumps while it is loaded, on a phone and on a desk', async ({ browser }) => {
  const floor = await Floor.open(tablesOfEveryBook('at-once').slice(0, 4))
  try {
    for (const viewport of [
      { width: 390, height: 844 },
      { width: 1280, height: 800 },
    ])
      for (const path of ['/', '/book', '/book/act-2018', '/proof', '/sign-in', '/account']) {
        // Nothing is known to the browser yet, the faces neither.
        const page = await (await browser.newContext({ viewport })).newPage()
        await page.addInitScript(() => {
          const all: number[] = []
          Object.assign(window, { shifts: all })
          new PerformanceObserver((list) => {
            for (const one of list.getEntries())
              all.push((one as PerformanceEntry & { value: number }).value)
          }).observe({ type: 'layout-shift', buffered: true })
        })
        await page.goto(floor.url + path)
        await expect(page.locator('h1')).toBeVisible()
        await page.waitForLoadState('networkidle')
        await page.evaluate(() => document.fonts.ready)
        const sum = await page.evaluate(() =>
          (window as unknown as { shifts: number[] }).shifts.reduce((a, b) => a + b, 0),
        )
        expect(sum, `${path} at ${viewport.width}`).toBeLessThan(0.01)
        await page.context().close()
      }
  } finally {
    await floor.close()
  }
})

test('script and style of lobby and table are at most 80 KB as they are sent', async ({ page }) => {
  const floor = await Floor.open(tablesOfEveryBook('at-once').slice(0, 1))
  try {
    // A page that the program does not hold comes from a tool that compresses nothing.
    expect(floor.holdsPage, 'SABOT_BIN holds the page that was built last').toBe(true)
    const client = await page.context().newCDPSession(page)
    await client.send('Network.enable')
    const parts = new Map<string, { url: string; encoding: string }>()
    let sum = 0
    client.on('Network.responseReceived', ({ requestId, type, response }) => {
      if (type !== 'Script' && type !== 'Stylesheet') return
      const headers = new Map(
        Object.entries(response.headers).map(([k, v]) => [k.toLowerCase(), v]),
      )
      parts.set(requestId, { url: response.url, encoding: headers.get('content-encoding') ?? '' })
    })
    client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (parts.has(requestId)) sum += encodedDataLength
    })
    await page.goto(floor.url)
    await page.getByRole('link', { name: /^Watch/ }).click()
    await expect(page.locator('.hands')).toBeVisible()
    await page.waitForLoadState('networkidle')
    console.log(`    ${parts.size} files of script and style, ${(sum / 1024).toFixed(1)} KB`)
    expect(parts.size).toBeGreaterThan(1)
    const whole = [...parts.values()].filter((one) => one.encoding === '')
    // What is very small is not worth compressing.
    expect(whole.length).toBeLessThan(parts.size)
    expect(whole.filter((one) => one.url.includes('/index-'))).toEqual([])
    expect(sum).toBeLessThanOrEqual(80 * 1024)

    // The same for whoever takes gzip only, and what is known is not sent again.
    const script = [...parts.values()].find((one) => /index-[^/]*\.js$/.test(one.url))?.url ?? ''
    const answer = await fetch(script, { headers: { 'accept-encoding': 'gzip' } })
    expect(answer.headers.get('content-encoding')).toBe('gzip')
    expect(answer.headers.get('vary')).toBe('accept-encoding')
    expect(await answer.text()).toContain('Sabot')
    const tag = (await fetch(floor.url)).headers.get('etag') ?? ''
    const again = await fetch(floor.url, { headers: { 'if-none-match': tag } })
    expect(again.status).toBe(304)
  } finally {
    await floor.close()
  }
})
