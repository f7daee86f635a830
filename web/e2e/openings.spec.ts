/**
 * Every view, and everything that opens over one, in both languages: no violation of the rules of
 * accessibility in the dark or in the light. The words of the buttons are the page's own texts.
 */
import { expect, test, type Locator, type Page } from '@playwright/test'
import { en } from '../src/lib/texts/en'
import { zh } from '../src/lib/texts/zh'
import { Floor } from './floor'
import { House } from './house'
import { accessible, lie, open, spot } from './table'

const SIGN = ['operator posts main 5..500', 'operator posts tie 5..100']
const SIDES = ['operator posts dragon 5..50', 'operator posts pairs 5..50']

const button = (page: Page | Locator, name: string) =>
  page.getByRole('button', { name, exact: true }).first()

for (const [locale, t] of [
  ['en-GB', en],
  ['zh-CN', zh],
] as const) {
  test(`every view and every panel has no violation, ${locale}`, async ({ browser }) => {
    test.setTimeout(600_000)
    const opens = 'operator opens act-2018 with dragon, pairs=perfect'
    const floor = await Floor.open([
      { title: 'Keyed', opens, sign: [...SIGN, ...SIDES], deals: 'keyed' },
      { title: 'Swift', opens: 'operator opens act-2018', sign: SIGN, pace: 'at-once' },
      { title: 'Broke', opens: 'operator opens act-2018', sign: SIGN, deals: 'keyed' },
    ])
    try {
      const house = await House.of(floor)
      const page = await (await browser.newContext({ locale })).newPage()
      /** Looks at what is open now; the name says where a violation is. */
      const look = (name: string, at = page) => test.step(name, () => accessible(at))
      /** Looks at what lies over the page, and closes it. */
      const sheet = async (name: string, at = page) => {
        await expect(at.getByRole('dialog')).toBeVisible()
        await look(name, at)
        await at.keyboard.press('Escape')
        await expect(at.getByRole('dialog')).toHaveCount(0)
      }
      const laid = (name: string) =>
        expect(page.locator(`[data-spot="${name}"] .lying:not(.sending)`)).toBeVisible()

      await page.goto(floor.url)
      await expect(page.locator('html')).toHaveAttribute('lang', t === en ? 'en' : 'zh-Hans')
      await expect(page.locator('.row h2').first()).toBeVisible()
      await look('the lobby of a stranger')
      await button(page, t.settings.title).click()
      await sheet('the settings of a stranger')
      await button(page, t.intro.skip).click()
      await look('the lobby')
      for (const path of [
        ...['/book', '/book/act-2018', '/book/no-such-book', '/proof'],
        ...['/sign-in', '/account', '/nothing/here', '/link/cut-off', '/staff', '/history/t1'],
        ...['/coup/t1/999', '/table/nowhere'],
      ]) {
        await page.goto(floor.url + path)
        await expect(page.getByRole('heading', { level: 1 }), path).toBeVisible()
        await page.waitForLoadState('networkidle')
        await look(path)
      }

      await page.goto(`${floor.url}/table/t1`)
      await expect(page.locator('.hands')).toBeVisible()
      await look('a table, watched')
      await button(page, t.seat.title).click()
      await sheet('taking a seat')
      await button(page, t.seat.title).click()
      await button(page.getByRole('dialog'), t.seat.sit).click()
      await expect(page.getByTestId('stack')).toBeVisible()
      await look('a table that waits for the dealer')
      await house.say('t1', 'dealer checks the cards')
      await house.say('t1', 'dealer shuffles')
      await expect(page.locator('.cut')).toBeVisible()
      await look('the cut')
      await button(page, t.cut.at(208)).click()
      await expect(page.locator('.cut')).toHaveCount(0)
      await house.say('t1', 'dealer places the cutting card at 12')
      await house.say('t1', 'dealer burns unseen')
      await open(page)
      await look('bets are open')

      for (const [name, word] of [
        ['the sign', t.top.sign],
        ['the settings of a guest', t.top.settings],
        ['leaving', t.top.leave],
      ] as const) {
        await button(page, word).click()
        await sheet(name)
      }
      await page.keyboard.press('?')
      await sheet('the keys')
      await button(page, t.ask.noBetAsk).click()
      await expect(page.getByTestId('ask')).toHaveText(t.ask.noBetMine)
      await look('a coup without bets, asked for')
      await page.keyboard.press('b')
      await laid('banker')
      await spot(page, 'banker-dragon').click()
      await laid('banker-dragon')
      await look('bets lie')
      await page.keyboard.press('p')
      await expect(page.locator('.bubble')).toBeVisible()
      await look('a bet is refused')
      await page.locator('.bubble button:not(.away)').click()
      await sheet('why it is refused')
      await house.say('t1', 'dealer calls no more bets')
      await expect(page.getByTestId('ask')).toHaveText(t.ask.noMore)
      await look('no more bets')
      await house.say('t1', 'dealer deals 3h Kd 3c 2s')
      await lie(page, 4)
      await look('cards lie')
      await button(page, t.top.leave).click()
      await sheet('leaving while bets are in play')
      await house.say('t1', 'dealer draws 5h to player')
      await expect(page.getByTestId('net')).toBeVisible()
      await look('a ruling and a result')
      await button(page, `${t.why} ${t.side('banker')}`).click()
      await sheet('why a spot was paid')
      for (const road of await page.locator('.road').all()) {
        const mark = road.locator('[data-mark]').first()
        if ((await mark.count()) === 0) continue
        await mark.focus()
        await page.keyboard.press('Enter')
        await sheet('a mark of a road')
      }
      await page.locator('.road figcaption button').last().click()
      await sheet('a road without marks')

      await page.setViewportSize({ width: 390, height: 844 })
      await look('the table on a phone')
      await button(page, t.top.menu).click()
      await sheet('the menu')
      await button(page, t.why).click()
      await sheet('the margin on a phone')
      await page.setViewportSize({ width: 1280, height: 800 })

      // The shoe of the system, its proofs, and the history.
      await page.goto(`${floor.url}/table/t2?sit`)
      await open(page)
      await page.keyboard.press('b')
      await expect(page.getByTestId('net')).toBeVisible()
      await look('a table of the system')
      for (const [path, there] of [
        ['/proof/t2', '[data-testid=verdict]'],
        ['/proof/t2/last', '.problem, [data-testid=verdict]'],
        ['/history/t2', 'tbody tr'],
        ['/coup/t2/1', '.steps, .list'],
      ] as const) {
        await page.goto(floor.url + path)
        await expect(page.locator(there).first()).toBeVisible()
        await look(path)
      }
      await page.keyboard.press('End')
      await look('the last step of a coup')
      await button(page, t.coup.dispute).click()
      await expect(page.getByText(t.coup.disputed)).toBeVisible()
      await look('a coup that is disputed')
      await page.goto(floor.url)
      await expect(page.getByText(t.lobby.here).first()).toBeVisible()
      await look('the lobby of somebody who sits')
      await page.goto(`${floor.url}/account`)
      await expect(page.locator('#pause button')).toBeVisible()
      await look('the account of a guest')
      await page.locator('#limits input').first().fill('much')
      await page.locator('#limits .main').click()
      await expect(page.locator('#limits .problem')).toBeVisible()
      await look('a limit that cannot be read')
      await page.locator('#pause button').click()
      await expect(page.locator('#pause [role=alert]')).toBeVisible()
      await look('a pause, asked once more')
      await page.locator('#pause .main').click()
      await expect(page.locator('#pause .done')).toBeVisible()
      await look('a pause')
      await page.goto(`${floor.url}/table/t1`)
      await expect(page.getByTestId('stack')).toBeVisible()
      await button(page, t.top.leave).click()
      await button(page.getByRole('dialog'), t.leave.now).click()
      await expect(page.getByRole('dialog')).toContainText(t.leave.done)
      await sheet('the result of a visit')

      // The people of the house. What was paid two coups ago is taken back by two of them.
      await house.say('t1', 'dealer deals Kh 3d 9c 4s')
      const vera = await (await browser.newContext({ locale })).newPage()
      await vera.goto(floor.url + (await house.invited('supervisor')))
      const form = vera.locator('form')
      await expect(form.getByRole('textbox').first()).toBeVisible()
      await look('a one-time link', vera)
      await form.getByRole('textbox').first().fill('Vera')
      await form.locator('input[type=password]').fill('a long pass phrase of Vera')
      await form.locator('.main').click()
      await expect(vera.locator('.alarms')).toContainText('Swift')
      await look('the floor of a supervisor, with a dispute', vera)
      await vera.goto(`${floor.url}/account`)
      await expect(vera.locator('input[type=password]').first()).toBeVisible()
      await look('the account of a member', vera)
      await vera.goto(`${floor.url}/staff/t1`)
      const line = vera.locator('#line')
      await expect(line).toBeVisible()
      await look('the console', vera)
      await line.fill('supervisor dels 3h')
      await line.press('Enter')
      await expect(vera.locator('.ruling.bad')).toBeVisible()
      await look('the console refuses', vera)
      await line.fill('supervisor finds an error in coup 1')
      await line.press('Enter')
      await expect(vera.getByRole('alertdialog')).toBeVisible()
      await look('the console asks once more', vera)
      await vera.getByRole('alertdialog').locator('.main').click()
      await expect(vera.getByTestId('proposed')).toBeVisible()
      await look('the console waits for a second person', vera)
    } finally {
      await floor.close()
    }
  })
}
