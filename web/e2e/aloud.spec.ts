/** What is said aloud: the coup as a good dealer tells it, and no more. */
import { expect, test, type Page } from '@playwright/test'
import { Floor, tablesOfEveryBook } from './floor'
import { House } from './house'
import { open, sit } from './table'

/** Keeps everything that the live region ever said. */
async function listen(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const heard: string[] = []
    Object.assign(window, { heard })
    new MutationObserver(() => {
      const said = document.querySelector('[data-testid="voice"]')?.textContent ?? ''
      const plain = said.replaceAll('\u200b', '')
      if (plain && said !== document.documentElement.dataset['heard']) {
        document.documentElement.dataset['heard'] = said
        heard.push(plain)
      }
    }).observe(document, { childList: true, characterData: true, subtree: true })
  })
  return () => page.evaluate(() => (window as unknown as { heard: string[] }).heard)
}

test('a coup at the usual pace is told: time, call, totals, result, money', async ({ page }) => {
  const heard = await listen(page)
  const floor = await Floor.open(tablesOfEveryBook('usual').slice(0, 1))
  try {
    await sit(page, floor.url, 'Canberra')
    await open(page)
    await page.keyboard.press('b')
    await expect(page.getByTestId('net')).toBeVisible({ timeout: 80_000 })
    await expect(page.getByTestId('voice')).toContainText(/You (win|lose|keep)/)
    const all = await heard()
    const place = (what: RegExp) => all.findIndex((said) => what.test(said))
    const order = [
      /Bets are open\./,
      /^10 on Banker, accepted\.$/,
      /^10 seconds\.$/,
      /^5 seconds\.$/,
      /^No more bets\.$/,
      /^Player: \w+ of \w+, \w+ of \w+, \d\. Banker: \w+ of \w+, \w+ of \w+, \d\./,
      /(Banker wins|Player wins), \d over \d\.|A tie at \d\./,
    ].map(place)
    expect(order, all.join(' | ')).not.toContain(-1)
    expect(order, all.join(' | ')).toEqual([...order].sort((a, b) => a - b))
    // Nothing is said twice in a coup, and the seconds only at the marks.
    expect(all.filter((said) => /seconds\.$/.test(said))).toEqual(['10 seconds.', '5 seconds.'])
    expect(all.filter((said) => said.includes('No more bets.'))).toHaveLength(1)
    const money = all.findLast((said) => /You /.test(said)) ?? ''
    expect(money).toMatch(
      /You win 9\.50 on Banker, commission 0\.50\.|You lose 10\.00 on Banker\.|You keep 10\.00 on Banker\./,
    )
  } finally {
    await floor.close()
  }
})

test('third cards, a natural, a void and the last coup are told as they come', async ({ page }) => {
  const heard = await listen(page)
  const floor = await Floor.open([
    {
      title: 'Told',
      opens: 'operator opens act-2018',
      sign: ['operator posts main 5..500', 'operator posts tie 5..100'],
      deals: 'keyed',
    },
  ])
  try {
    const house = await House.of(floor)
    const told = async (line: string, text: string | RegExp) => {
      await house.say('t1', line)
      await expect(page.getByTestId('voice')).toContainText(text)
    }
    await sit(page, floor.url, 'Told')
    await house.say('t1', 'fresh shoe')
    await open(page)
    await page.keyboard.press('p')
    await expect(page.getByTestId('voice')).toContainText('10 on Player, accepted.')
    await told('dealer calls no more bets', 'No more bets.')
    await told(
      'dealer deals 2h Kd 3c 2s',
      'Player: two of hearts, three of clubs, 5. Banker: king of diamonds, two of spades, 2.',
    )
    await told('dealer draws 4h to player', 'Third card to Player: four of hearts.')
    await told('dealer draws 6d to banker', 'Third card to Banker: six of diamonds.')
    await expect(page.getByTestId('voice')).toContainText('Player wins, 9 over 8.')
    await expect(page.getByTestId('voice')).toContainText('You win 10.00 on Player.')
    await open(page)
    await page.keyboard.press('b')
    await expect(page.getByTestId('voice')).toContainText('10 on Banker, accepted.')
    await house.say('t1', 'dealer calls no more bets')
    await told('dealer deals Kh 9d 2c Ks', /A natural\..*Banker wins, 9 over 2\./)
    // An error that is found later is told with what it did to me.
    await house.together('t1', 'supervisor finds an error in coup 1')
    await expect(page.getByTestId('voice')).toContainText('Coup 1 is void.')
    await expect(page.getByTestId('voice')).toContainText('Your chips: −10.00.')
    await told('cutting card appears', 'Last coup of the shoe.')
    const all = await heard()
    expect(all.filter((said) => said.includes('Third card'))).toHaveLength(2)
  } finally {
    await floor.close()
  }
})
