/** What the tests do at a table. */
import AxeBuilder from '@axe-core/playwright'
import { expect, type Locator, type Page } from '@playwright/test'

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

/** No violation of the accessibility rules that can be checked by a program, in a part if named. */
export async function accessible(page: Page, part?: string): Promise<void> {
  // Colours are measured when nothing fades any more.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.waitForFunction(() =>
    document.getAnimations().every((one) => one.playState !== 'running'),
  )
  const axe = new AxeBuilder({ page })
  const found = await (part ? axe.include(part) : axe).analyze()
  const told = found.violations.map(
    (one) =>
      `${one.id}: ${one.nodes.map((node) => `${node.target.join(' ')} (${node.any[0]?.message ?? ''})`).join(', ')}`,
  )
  expect(told).toEqual([])
}

/** Watches what jumps on the page from now on; gives how much did so far. */
export async function watchShifts(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const all: number[] = []
    Object.assign(window, { shifts: all })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const shift = entry as PerformanceEntry & { value: number; hadRecentInput: boolean }
        if (!shift.hadRecentInput) all.push(shift.value)
      }
    }).observe({ type: 'layout-shift', buffered: false })
  })
  return async () => {
    const shifts = await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts)
    return shifts.reduce((sum, one) => sum + one, 0)
  }
}
