/** What an update costs: a full table in a long shoe, drawn within a frame and without a jump. */
import { expect, test } from '@playwright/test'
import { Floor, TIMED } from './floor'
import { coups, sit, watchShifts } from './table'

const FRAME_MS = 1000 / 60

test('an update of a full table with full roads costs less than one frame', async ({
  page,
}, info) => {
  test.setTimeout(300_000)
  // Every message is timed from its arrival to the layout that it leads to.
  await page.addInitScript(() => {
    const costs: number[] = []
    Object.assign(window, { costs })
    const plain = Object.getOwnPropertyDescriptor(WebSocket.prototype, 'onmessage')
    Object.defineProperty(WebSocket.prototype, 'onmessage', {
      configurable: true,
      get(this: WebSocket) {
        return plain?.get?.call(this) as unknown
      },
      set(this: WebSocket, take: (event: MessageEvent) => void) {
        plain?.set?.call(this, (event: MessageEvent) => {
          const began = performance.now()
          take.call(this, event)
          // What is drawn is written when the tasks of this moment are done.
          queueMicrotask(() =>
            queueMicrotask(() => {
              void document.body.getBoundingClientRect()
              if (String(event.data).includes('"kind":"update"'))
                costs.push(performance.now() - began)
            }),
          )
        })
      },
    })
  })
  const floor = await Floor.open(
    [
      {
        title: 'Full',
        opens: 'operator opens act-2018 with dragon, pairs=perfect',
        sign: [
          'operator posts main 5..500',
          'operator posts tie 5..100',
          'operator posts dragon 5..50',
          'operator posts pairs 5..50',
        ],
        pace: 'at-once',
      },
    ],
    6,
  )
  try {
    await sit(page, floor.url, 'Full')
    await page.setViewportSize({ width: 1920, height: 1080 })
    const playing = setInterval(() => void page.keyboard.press('b').catch(() => undefined), 200)
    await expect.poll(() => coups(page), { timeout: 90_000 }).toBeGreaterThan(45)
    expect(await page.locator('.seats li:not(.free)').count()).toBeGreaterThan(5)
    const shifted = await watchShifts(page)
    const measure = async () => {
      await page.evaluate(() => ((window as unknown as { costs: number[] }).costs.length = 0))
      const costs = () => page.evaluate(() => (window as unknown as { costs: number[] }).costs)
      await expect.poll(async () => (await costs()).length, { timeout: 60_000 }).toBeGreaterThan(50)
      const sorted = (await costs()).sort((a, b) => a - b)
      const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? Infinity
      return { n: sorted.length, median: at(0.5), p95: at(0.95) }
    }
    // A busy machine may spoil one try, not three.
    let best = await measure()
    for (let i = 0; TIMED && i < 2 && best.median >= FRAME_MS; i += 1) {
      const again = await measure()
      if (again.median < best.median) best = again
    }
    clearInterval(playing)
    const figure = `${best.n} updates: median ${best.median.toFixed(1)} ms, 95 % ${best.p95.toFixed(1)} ms`
    info.annotations.push({ type: 'update of a full table', description: figure })
    console.log(`    update of a full table: ${figure}`)
    if (TIMED) expect(best.median).toBeLessThan(FRAME_MS)
    const { sum, of } = await shifted()
    expect(sum, of).toBeLessThan(0.1)

    // As many columns as fit, and always the newest: nothing is cut off at the right.
    for (const [width, height] of [
      [1000, 900],
      [768, 1024],
      [1280, 640],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height })
      await expect
        .poll(() =>
          page.locator('.road').evaluateAll((all) =>
            all.map((road) => {
              const board = road.querySelector('.board')?.getBoundingClientRect()
              const marks = [...road.querySelectorAll('[data-mark]')]
              const right = marks.map((mark) => mark.getBoundingClientRect().right)
              return marks.length > 0 && Math.max(...right) <= (board?.right ?? 0) + 1
            }),
          ),
        )
        .toEqual([true, true, true, true, true])
      // A full board makes no page wider, with what is only read aloud either.
      const wide = await page.evaluate(() => document.documentElement.scrollWidth)
      expect(wide).toBeLessThanOrEqual(width)
    }
  } finally {
    await floor.close()
  }
})
