import { expect, test } from '@playwright/test'
import { Floor, tablesOfEveryBook, TIMED } from './floor'
import { coups, open, sit, watchShifts } from './table'

test('the lobby is ready within a second, and nothing jumps while a coup is played', async ({
  page,
}) => {
  const floor = await Floor.open(tablesOfEveryBook('at-once').slice(0, 1))
  try {
    await page.goto(floor.url)
    await page.getByRole('button', { name: /^Sit at/ }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: /^Sit at/ }).waitFor()
    const ready = await page.evaluate(() => performance.now())
    const loaded = await page.evaluate(() => {
      const [load] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
      return load?.domContentLoadedEventEnd ?? 0
    })
    console.log(
      `    the lobby: loaded after ${Math.round(loaded)} ms, ready after ${Math.round(ready)} ms`,
    )
    if (TIMED) {
      expect(ready).toBeLessThan(1500)
      expect(loaded).toBeLessThan(1000)
    }

    await sit(page, floor.url, 'Canberra')
    await open(page)
    const shifted = await watchShifts(page)
    for (let i = 0; i < 4; i += 1) {
      const before = await coups(page)
      await open(page)
      await page.keyboard.press('b')
      await expect.poll(() => coups(page), { timeout: 40_000 }).toBeGreaterThan(before)
    }
    expect(await shifted()).toBeLessThan(0.1)
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
