import { expect, test, type Page } from '@playwright/test'
import { Floor, tablesOfEveryBook } from './floor'
import { accessible, sit } from './table'

type Seen = { shoe: { number: number }; coup: number; mine: Stake | null }
type Stake = { stack_cents: number; wagers: { stake_cents: number }[] }

async function look(page: Page, url: string, id: string): Promise<Seen> {
  const answer = await page.request.get(`${url}/api/v1/tables/${id}?as=player`)
  return (await answer.json()) as Seen
}

/** An amount with its sign, as the page writes it, in cents. */
function plainCents(text: string): number {
  return Math.round(Number(text.replaceAll(',', '').replace('−', '-').replace('±', '')) * 100)
}

/** Bets the least on every coup until bets are open in the next shoe; gives the number of bets. */
async function playShoe(page: Page, shoe: number): Promise<number> {
  const open = page.locator('.spot.open').first()
  const ended = page.getByText(`Shoe ${shoe} was opened at its end`).first()
  const end = Date.now() + 150_000
  let bets = 0
  while (Date.now() < end) {
    if ((await ended.isVisible()) && (await open.isVisible())) return bets
    if (await open.isVisible()) {
      await page.keyboard.press('1')
      await page.keyboard.press(bets % 7 === 6 ? 't' : bets % 2 === 0 ? 'b' : 'p')
      bets += 1
    }
    // The coup that was bet on, or the shuffle, takes its time.
    await page.waitForTimeout(120)
  }
  throw new Error(`the shoe did not end; ${bets} bets`)
}

test('a whole shoe under every book, to its end and the next shuffle, checked by the browser', async ({
  browser,
}) => {
  test.setTimeout(480_000)
  const tables = tablesOfEveryBook('at-once')
  const floor = await Floor.open(tables)
  try {
    const seats = await Promise.all(
      tables.map(async ({ title }, i) => {
        const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
        const faults: string[] = []
        page.on('pageerror', (fault) => faults.push(fault.message))
        await sit(page, floor.url, title)
        return { page, faults, title, id: `t${i + 1}` }
      }),
    )
    // Somebody watches the first table, and is given a false opening at the end.
    const cheated = await (await browser.newContext()).newPage()
    await cheated.route('**/api/v1/tables/t1/shoe/last', async (route) => {
      const answer = await route.fetch()
      const document = (await answer.json()) as { shoe: { entropy: string | null } }
      const { entropy } = document.shoe
      if (entropy) document.shoe.entropy = entropy.replace(/^./, entropy[0] === '0' ? '1' : '0')
      await route.fulfill({ response: answer, json: document })
    })
    await cheated.goto(`${floor.url}/table/t1`)
    await expect(cheated.locator('.hands')).toBeVisible()

    await Promise.all(
      seats.map(async ({ page, faults, title, id }) => {
        await playShoe(page, 1)
        const seen = await look(page, floor.url, id)
        expect(seen.shoe.number, title).toBe(2)
        expect(seen.coup, title).toBeGreaterThan(40)
        // What the browser checked by itself, and nothing that it found wrong.
        await expect(page.getByText('Shoe 1 was opened at its end').first()).toBeVisible()
        expect(await page.locator('.banner.alarm').count(), title).toBe(0)
        expect(await page.locator('.card.bad').count(), title).toBe(0)
        expect(faults, title).toEqual([])
        // Every cent is accounted for: the history says what stack and stakes say.
        await expect(async () => {
          await page.goto(`${floor.url}/history/${id}`)
          const together = await page.locator('tfoot .net').innerText({ timeout: 5000 })
          const now = (await look(page, floor.url, id)).mine
          const lying = now?.wagers.reduce((sum, laid) => sum + laid.stake_cents, 0) ?? 0
          expect(plainCents(together), title).toBe((now?.stack_cents ?? 0) + lying - 50_000)
        }).toPass({ timeout: 30_000 })
        // The shoe that is over is gone through once more on the page of the proof.
        await page.goto(`${floor.url}/proof/${id}/last`)
        const verdict = page.getByTestId('verdict')
        await expect(verdict).toContainText('Everything that was published holds')
        await expect(verdict).toContainText('The order made from it has the published root')
        await expect(verdict).toContainText('Every shown card is the card of its place')
        expect(await verdict.locator('li:not(.good)').count(), title).toBe(0)
      }),
    )

    const alarm = cheated.locator('.banner.alarm')
    await expect(alarm).toBeVisible()
    await expect(alarm).toContainText('The proof does not hold')
    await expect(alarm).toHaveAttribute('role', 'alert')
    await accessible(cheated)
    // The page of the proof says which sentence of the house is false, in red.
    await cheated.goto(`${floor.url}/proof/t1/last`)
    const verdict = cheated.getByTestId('verdict')
    await expect(verdict).toHaveClass(/bad/)
    await expect(verdict.locator('li.bad').first()).toContainText('the one it committed to')
    await accessible(cheated)
  } finally {
    await floor.close()
  }
})
