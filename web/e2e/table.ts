/** What the tests do at a table. */
import AxeBuilder from '@axe-core/playwright'
import { expect, type Browser, type Locator, type Page, type ViewportSize } from '@playwright/test'

/** Sits down at a table from the lobby, as a guest, with one click. */
export async function sit(page: Page, url: string, title: string): Promise<void> {
  await page.goto(url)
  await page.getByRole('button', { name: `Sit at ${title}`, exact: true }).click()
  await expect(page.getByTestId('stack')).toBeVisible()
}

/** Goes to something by the tab key, as somebody without a mouse does. */
export async function tabTo(page: Page, to: Locator, most = 80): Promise<void> {
  for (let i = 0; i < most; i += 1) {
    if (await to.evaluate((one) => one === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  await expect(to).toBeFocused()
}

/** A place to bet. */
export const spot = (page: Page, name: string): Locator => page.locator(`[data-spot="${name}"]`)

/** Chooses a chip of the tray, by what it is worth. */
export async function chip(page: Page, dollars: number): Promise<void> {
  await page.getByRole('radio', { name: `chip of ${dollars}`, exact: true }).click()
}

/** Somebody else, with a browser of their own. */
export async function another(browser: Browser, size?: ViewportSize): Promise<Page> {
  return (await browser.newContext(size ? { viewport: size } : {})).newPage()
}

/** Waits until bets are open. */
export async function open(page: Page): Promise<void> {
  await expect(page.locator('.spot.open').first()).toBeVisible({ timeout: 60_000 })
}

/** How many coups this shoe's big count knows. */
export async function coups(page: Page): Promise<number> {
  const text = await page.locator('.road figcaption span').first().innerText()
  return (text.match(/\d+/g) ?? []).map(Number).reduce((sum, n) => sum + n, 0)
}

/** Waits until so many cards lie on the table: each step is seen before the next one is made. */
export async function lie(page: Page, cards: number): Promise<void> {
  await expect(page.locator('.hands .card')).toHaveCount(cards)
}

export async function cents(page: Page): Promise<number> {
  const text = await page.getByTestId('stack').innerText()
  return Math.round(Number(text.replaceAll(',', '')) * 100)
}

/** Waits until nothing moves or fades: what is measured lies where it will lie. */
export async function still(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    document.getAnimations().every((one) => one.playState !== 'running'),
  )
}

/**
 * No violation of the accessibility rules that can be checked by a program, in a part if named:
 * in the dark and in the light, since each has colours of its own.
 */
export async function accessible(page: Page, part?: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // Colours are measured when they have changed, and nothing fades any more.
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme)
    await still(page)
    const axe = new AxeBuilder({ page })
    const found = await (part ? axe.include(part) : axe).analyze()
    const told = found.violations.map(
      (one) =>
        `${one.id}: ${one.nodes.map((node) => `${node.target.join(' ')} (${node.any[0]?.message ?? ''})`).join(', ')}`,
    )
    expect(told, colorScheme).toEqual([])
  }
}

/** Watches what jumps on the page from now on; gives how much did so far, and what it was. */
export async function watchShifts(page: Page): Promise<() => Promise<{ sum: number; of: string }>> {
  await page.evaluate(() => {
    const all: { value: number; of: string }[] = []
    Object.assign(window, { shifts: all })
    type Shift = PerformanceEntry & {
      value: number
      hadRecentInput: boolean
      sources?: {
        node: Element | null
        previousRect: DOMRectReadOnly
        currentRect: DOMRectReadOnly
      }[]
    }
    const at = ({ x, y, width, height }: DOMRectReadOnly) => `${x},${y} ${width}x${height}`
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries() as Shift[]) {
        if (hadRecentInput) continue
        const who = (sources ?? []).map(
          ({ node, previousRect, currentRect }) =>
            `${node?.nodeName} ${node?.className} from ${at(previousRect)} to ${at(currentRect)}`,
        )
        all.push({ value, of: `${value.toFixed(4)}: ${who.join('; ')}` })
      }
    }).observe({ type: 'layout-shift', buffered: false })
  })
  return async () => {
    type Seen = { shifts: { value: number; of: string }[] }
    const all = await page.evaluate(() => (window as unknown as Seen).shifts)
    const sum = all.reduce((before, one) => before + one.value, 0)
    return { sum, of: all.map((one) => one.of).join('\n') }
  }
}
