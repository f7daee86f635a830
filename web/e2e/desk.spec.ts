/** A staffed table from its opening to its closing, with mistakes, and what a player sees of it. */
import { expect, test, type Browser, type Page } from '@playwright/test'
import { Floor } from './floor'
import { House } from './house'
import { accessible, lie, open, sit, still } from './table'

async function comeIn(page: Page, url: string, name: string): Promise<void> {
  await page.goto(url)
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Password').fill(`a long pass phrase of ${name}`)
  await page.getByRole('button', { name: 'Come in' }).click()
  await expect(page.getByRole('heading', { name: 'The floor' })).toBeVisible()
}

async function invite(operator: Page, role: string): Promise<string> {
  const code = operator.locator('.invite code')
  const before = (await code.count()) > 0 ? await code.innerText() : ''
  await operator.getByLabel('A one-time link for a').selectOption(role)
  await operator.getByRole('button', { name: 'Invite' }).click()
  await expect(code).not.toHaveText(before)
  return new URL(await code.innerText()).pathname
}

async function staff(
  browser: Browser,
  floor: Floor,
  operator: Page,
  role: string,
  name: string,
): Promise<Page> {
  const link = await invite(operator, role)
  const page = await (await browser.newContext()).newPage()
  await comeIn(page, floor.url + link, name)
  return page
}

const line = (page: Page) => page.getByLabel('Say what happens')

async function say(page: Page, text: string): Promise<void> {
  await line(page).fill(text)
  await line(page).press('Enter')
  await expect(line(page)).toHaveValue('')
}

test('a staffed table from opening to closing, a wrong third card and an error found later', async ({
  page: operator,
  browser,
}) => {
  test.setTimeout(300_000)
  const floor = await Floor.open([
    { title: 'Other', opens: 'operator opens act-2018', sign: ['operator posts main 5..500'] },
  ])
  try {
    await comeIn(operator, floor.url + floor.link, 'Olga')
    const dealer = await staff(browser, floor, operator, 'dealer', 'Dora')
    const vera = await staff(browser, floor, operator, 'supervisor', 'Vera')
    const sven = await staff(browser, floor, operator, 'supervisor', 'Sven')

    await test.step('the operator opens the table by filling in its sign', async () => {
      await operator.getByLabel('Name').fill('Salon')
      await operator.getByRole('combobox', { name: /^Book/ }).selectOption('act-2018')
      await operator.getByLabel('Who deals').selectOption('keyed')
      await accessible(operator)
      await operator.getByRole('button', { name: 'Open it' }).click()
      await expect(operator.getByRole('heading', { name: /^Salon/ })).toBeVisible()
    })
    for (const page of [dealer, vera, sven]) {
      await page.goto(`${floor.url}/staff`)
      await page.getByRole('link', { name: 'Run Salon' }).click()
      await expect(line(page)).toBeVisible()
    }
    const player = await (await browser.newContext()).newPage()
    await sit(player, floor.url, 'Salon')
    const margin = player.locator('.law-column')
    const stack = player.getByTestId('stack')

    await test.step('coup 1: a third card that was not due', async () => {
      await say(dealer, 'fresh shoe')
      await open(player)
      await player.keyboard.press('b')
      await expect(player.locator('[data-spot="banker"]')).toHaveAttribute('aria-label', /accepted/)
      await dealer.getByRole('button', { name: /no more bets/i }).click()
      await expect(player.getByTestId('ask')).toHaveText('No more bets')
      await say(dealer, 'dealer deals 3h Kd 3c 2s')
      await lie(player, 4)
      await say(dealer, 'dealer draws 5h to player')
      await expect(dealer.getByTestId('ruled')).toContainText('act-2018 13.1')
      await expect(dealer.getByTestId('ruled')).toContainText('wins 9.50')
      await expect(player.getByText('Banker wins, 7 over 6', { exact: true })).toBeVisible()
      // The player reads what happened and the clause, and what the clause says.
      await expect(margin).toContainText('13.1')
      await expect(margin.locator('li', { hasText: '13.1' }).locator('.gist')).toBeVisible()
      await expect(stack).toHaveText('509.50')
      await expect(player.getByTestId('ruling')).toBeInViewport({ ratio: 1 })
      await still(player)
      const hidden = await player
        .locator('main.cloth')
        .evaluate((one) => [one.scrollHeight - one.clientHeight, one.scrollWidth - one.clientWidth])
      expect(hidden).toEqual([0, 0])
      await expect(player.getByTestId('ruling')).toContainText('5♥ was not due to Player')
      await accessible(dealer)
      await accessible(player)
    })

    await test.step('coup 2 is dealt rightly', async () => {
      await open(player)
      await player.keyboard.press('p')
      await expect(player.locator('[data-spot="player"]')).toHaveAttribute('aria-label', /accepted/)
      await say(dealer, 'dealer calls no more bets')
      await say(dealer, 'dealer deals Kh Kd 9c 7s')
      await expect(stack).toHaveText('519.50')
    })

    await test.step('an error in coup 1 is found: asked twice, and said by two people', async () => {
      await line(vera).fill('supervisor finds an error in coup 1')
      await line(vera).press('Enter')
      const confirm = vera.getByRole('alertdialog')
      await expect(confirm).toContainText('takes something back')
      // What it would do, before anything is taken back, and that one person is not enough.
      await expect(confirm.getByTestId('would')).toContainText('act-2018 13.5')
      await expect(confirm).toContainText('9.50')
      await expect(confirm).toContainText('second person')
      await accessible(vera)
      await confirm.getByRole('button', { name: 'Leave it' }).click()
      await expect(confirm).toBeHidden()
      await expect(stack).toHaveText('519.50')
      await line(vera).press('Enter')
      await confirm.getByRole('button', { name: 'Do it' }).click()
      await expect(vera.getByTestId('waits')).toContainText('second person')
      await accessible(vera)
      await expect(stack).toHaveText('519.50')

      // The other supervisor is shown what waits, what it would do, and confirms it with a button.
      await expect(vera.getByTestId('proposed')).toContainText('Somebody else must confirm it')
      await expect(dealer.getByTestId('proposed')).toContainText('finds an error in coup 1')
      await expect(dealer.getByTestId('proposed').getByRole('button')).toHaveCount(0)
      await accessible(sven)
      await sven.getByTestId('proposed').getByRole('button').click()
      await sven.getByRole('alertdialog').getByRole('button', { name: 'Do it' }).click()
      await expect(sven.getByTestId('ruled')).toContainText('act-2018 13.5')
      await expect(sven.getByTestId('ruled')).toContainText('−9.50')
      await expect(vera.getByTestId('proposed')).toBeHidden()
      await expect(stack).toHaveText('510.00')
      await expect(margin).toContainText('13.5')
      await expect(player.getByTestId('voice')).toContainText('Coup 1 is void.')
      await accessible(player)
    })

    await test.step('anybody can read it at the coup’s own link', async () => {
      const stranger = await (await browser.newContext()).newPage()
      await stranger.goto(`${floor.url}/coup/t2/1`)
      await expect(stranger.getByText(/Step/)).toBeVisible()
      await stranger.keyboard.press('End')
      await expect(stranger.locator('main')).toContainText('13.5')
      await expect(stranger.getByRole('heading', { name: /The coup is void/ })).toBeVisible()
      await expect(stranger.locator('.hand.wins')).toHaveCount(0)
      await accessible(stranger)
      await stranger.goto(`${floor.url}/coup/t2/2`)
      await expect(stranger.locator('.hand.wins')).toContainText('Player')
      await expect(stranger.getByText('The coup is void')).toHaveCount(0)
    })

    await test.step('the player’s history has both coups, and what was taken back', async () => {
      const history = await player.context().newPage()
      await history.goto(`${floor.url}/history/t2`)
      const row = (coup: string) => history.locator('tbody tr', { hasText: coup })
      await expect(row('3♥ 3♣')).toContainText('The coup is void')
      await expect(row('3♥ 3♣').locator('.net')).toHaveText('0.00')
      await expect(row('K♥ 9♣')).not.toContainText('void')
      await expect(row('K♥ 9♣').locator('.net')).toHaveText('+10.00')
      await expect(history.locator('tfoot .net')).toHaveText('+10.00')
      await accessible(history)
      await history.close()
    })

    await test.step('the table closes after notice', async () => {
      await say(operator, 'operator gives notice of closing')
      await expect(player.getByText('The table closes after this coup').first()).toBeVisible()
      await line(operator).fill('operator closes the table')
      await line(operator).press('Enter')
      await operator.getByRole('alertdialog').getByRole('button', { name: 'Do it' }).click()
      await expect(operator.getByTestId('ruled')).toContainText('14.2')
      await expect(player.getByTestId('ask')).toHaveText('The table is closed')
      await say(dealer, 'dealer checks the cards')
      await expect(dealer.getByTestId('ruled')).toContainText('2.5')
      await accessible(player)
      await accessible(operator)
    })
  } finally {
    await floor.close()
  }
})

test('a disputed coup stands first on the floor, leads to its table, and goes when it is decided', async ({
  page: player,
  browser,
}) => {
  const floor = await Floor.open([
    {
      title: 'Salon',
      opens: 'operator opens act-2018',
      sign: ['operator posts main 5..500', 'operator posts tie 5..100'],
      deals: 'keyed',
    },
  ])
  try {
    const house = await House.of(floor)
    await sit(player, floor.url, 'Salon')
    await house.say('t1', 'fresh shoe')
    await open(player)
    await player.keyboard.press('b')
    await expect(player.locator('[data-spot="banker"]')).toHaveAttribute('aria-label', /accepted/)
    await house.say('t1', 'dealer calls no more bets')
    await house.say('t1', 'dealer deals Kh 3d 9c 4s')
    await expect(player.getByTestId('net')).toBeVisible()
    await player.goto(`${floor.url}/coup/t1/1`)
    // Their own lines are marked; the others are not, and the link itself has no names.
    await expect(player.locator('.list li.mine', { hasText: 'bets 10 on banker' })).toBeVisible()
    await expect(player.locator('.list li', { hasText: '9♣' }).first()).not.toHaveClass(/mine/)
    await player.getByRole('button', { name: 'Dispute this coup' }).click()
    await expect(player.getByText('Your dispute is recorded')).toBeVisible()
    await player.reload()
    await expect(player.getByText('Your dispute is recorded')).toBeVisible()
    await expect(player.getByRole('button', { name: 'Dispute this coup' })).toHaveCount(0)
    // Whoever had no bet in it has nothing to dispute.
    const idle = await (await browser.newContext()).newPage()
    await sit(idle, floor.url, 'Salon')
    await idle.goto(`${floor.url}/coup/t1/1`)
    await expect(idle.getByText(/Step/)).toBeVisible()
    await idle.waitForLoadState('networkidle')
    await expect(idle.getByRole('button', { name: 'Dispute this coup' })).toHaveCount(0)
    await idle.close()

    const vera = await (await browser.newContext()).newPage()
    await comeIn(vera, floor.url + (await house.invited('supervisor')), 'Vera')
    const alarms = vera.locator('.alarms')
    await expect(alarms).toContainText('Salon: 1 disputed coup to decide')
    await accessible(vera)
    await alarms.getByRole('link', { name: 'Salon' }).click()
    await expect(vera.locator('.console')).toBeVisible()
    await expect(vera.getByRole('link', { name: /^Coup 1:/ })).toBeVisible()

    await house.say('t1', 'operator decides the dispute over coup 1: the cards lie as written')
    await vera.goto(`${floor.url}/staff`)
    await expect(vera.getByRole('heading', { name: 'The floor' })).toBeVisible()
    await expect(vera.getByText('Salon')).toBeVisible()
    await expect(alarms).toHaveCount(0)
  } finally {
    await floor.close()
  }
})

test('what is refused is told where it was asked for, once, and the felt stays in sight', async ({
  page,
  browser,
}) => {
  const floor = await Floor.open([
    {
      title: 'Salon',
      opens: 'operator opens act-2018',
      sign: ['operator posts main 5..500'],
      deals: 'keyed',
    },
  ])
  try {
    await comeIn(page, floor.url + floor.link, 'Olga')
    await page.getByLabel('Name').fill('Wrong')
    await page.getByLabel(/^Side bets/).fill('no-such-thing')
    await page.getByRole('button', { name: 'Open it' }).click()
    const refusal = page.locator('.sign').getByRole('alert')
    await expect(refusal).toBeFocused()
    await expect(refusal).toBeInViewport({ ratio: 1 })
    await accessible(page)
    await page.getByLabel(/^Side bets/).fill('')
    await page.getByRole('button', { name: 'Open it' }).click()
    await expect(page.getByRole('heading', { name: /^Wrong/ })).toBeVisible()
    await page.goBack()
    await expect(page.getByRole('heading', { name: 'The floor' })).toBeVisible()
    await expect(page.getByRole('alert')).toHaveCount(0)

    const player = await (await browser.newContext()).newPage()
    await sit(player, floor.url, 'Salon')
    const dealer = await staff(browser, floor, page, 'dealer', 'Dora')
    await dealer.setViewportSize({ width: 1280, height: 800 })
    await dealer.getByRole('link', { name: 'Run Salon' }).click()
    await say(dealer, 'fresh shoe')
    await open(player)
    await player.keyboard.press('b')
    await expect(player.locator('[data-spot="banker"]')).toHaveAttribute('aria-label', /accepted/)
    await line(dealer).fill('dealer dels 3h')
    await line(dealer).press('Enter')
    const ruling = dealer.locator('.ruling.bad')
    await expect(ruling).toContainText('`dels` is not understood')
    const told = await ruling.innerText()
    expect(told.split('`deals`')).toHaveLength(2)
    expect(told.length).toBeLessThan(250)

    // A click far down the list: the cards that are keyed in are seen to lie on the felt.
    await line(dealer).fill('')
    await dealer.getByRole('button', { name: /no more bets/i }).click()
    const first = dealer.getByRole('button', { name: /first four cards/ })
    await dealer.evaluate(() => scrollTo(0, document.body.scrollHeight))
    await first.click()
    await expect(line(dealer)).toBeFocused()
    await expect(line(dealer)).toBeInViewport({ ratio: 1 })
    await expect(dealer.locator('.cloth .hands')).toBeInViewport({ ratio: 1 })
    await line(dealer).fill('dealer deals 3h Kd 3c 2s')
    await line(dealer).press('Enter')
    await lie(dealer, 4)
    await say(dealer, 'dealer draws 5h to banker')
    await lie(dealer, 5)

    // On a phone the third card keeps away from the frame of its hand.
    await dealer.setViewportSize({ width: 390, height: 844 })
    await still(dealer)
    const hand = await dealer.locator('.hand.c-banker').boundingBox()
    const third = await dealer.locator('.hand.c-banker .card').last().boundingBox()
    if (!hand || !third) throw new Error('the hand is there')
    expect(third.x + third.width).toBeLessThan(hand.x + hand.width - 2)
  } finally {
    await floor.close()
  }
})
