import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { chipsFor, face, money, pile, plain, short, signed, typed } from '../src/lib/money'
import { beadAt, firstColumn } from '../src/lib/roads'
import { Play, isBroke, leastBet, untilPause } from '../src/lib/play.svelte'
import { session } from '../src/lib/session.svelte'
import { lastRuling, myAnswer, net, tell, toMe } from '../src/lib/speech'
import { TableClient } from '../src/lib/table.svelte'
import { account } from '../src/lib/texts/account'
import { en } from '../src/lib/texts/en'
import { helps } from '../src/lib/texts/helps'
import { proof } from '../src/lib/texts/proof'
import { pages } from '../src/lib/texts/pages'
import { staff } from '../src/lib/texts/staff'
import { zh } from '../src/lib/texts/zh'
import { nearest } from '../src/lib/books.svelte'
import { parts, router, twice } from '../src/lib/router.svelte'
import { Visit } from '../src/lib/visit.svelte'
import { betIn, coupsOf, feltAfter, netOf, netOfCoup } from '../src/lib/coups'
import type { EventView, FeltView, Me, PaidView, SpotView, TableView } from '../src/lib/types'

describe('amounts', () => {
  it('are exact to the cent and read as people type them', () => {
    expect(money(123_456)).toBe('1,234.56')
    expect(short(500)).toBe('5')
    expect(short(250)).toBe('2.50')
    expect(plain(250)).toBe('2.50')
    expect(signed(-1550)).toBe('−15.50')
    expect(signed(950)).toBe('+9.50')
    expect(typed('2.5')).toBe(250)
    expect(typed('2,50')).toBe(250)
    expect(typed('1e3')).toBeNull()
    expect(typed('-1')).toBeNull()
    expect(face(100_000)).toBe('1k')
  })
  it('are read in groups of thousands, as the page writes them, and otherwise not at all', () => {
    const read = ['1,000', '1 000', '1,000.50', '1 000,50', '1 234 567', '12.', '１，０００']
    expect(read.map(typed)).toEqual([
      100_000, 100_000, 100_050, 100_050, 123_456_700, 1200, 100_000,
    ])
    const wrong = ['', 'abc', '-5', '12.345', '1.000', '1,0000', '10,00,000', '1 00', '1,000,50']
    expect(wrong.map(typed)).toEqual(wrong.map(() => null))
  })
  it('chips come from the sign, or lie between the limits', () => {
    expect(chipsFor([250, 500], 500, 50_000)).toEqual([250, 500])
    expect(chipsFor([], 500, 20_000)).toEqual([500, 1000, 2500, 10_000])
    expect(pile(3500, [500, 1000, 2500])).toEqual([2500, 1000])
  })
})

describe('roads on the board', () => {
  it('fill six rows and keep the last columns in sight', () => {
    expect(beadAt(7)).toEqual({ column: 1, row: 1 })
    expect(firstColumn([0, 1, 2], 10)).toBe(0)
    expect(firstColumn([0, 5, 12], 10)).toBe(3)
    expect(firstColumn([], 10)).toBe(0)
  })
})

describe('texts', () => {
  const names = (value: object, path = ''): string[] =>
    Object.entries(value).flatMap(([name, inner]) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? names(inner as object, `${path}${name}.`)
        : [`${path}${name}`],
    )
  const words = (value: unknown, path = ''): [string, string][] =>
    typeof value === 'string'
      ? [[path, value]]
      : typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([name, inner]) => words(inner, `${path}.${name}`))
        : []
  it('are the same ones in both languages', () => {
    expect(names(zh)).toEqual(names(en))
  })
  it('are Chinese where the page is Chinese', () => {
    const all = words([zh, proof.zh, account.zh, staff.zh, pages.zh, helps.zh.roads])
    const foreign = all.filter(([, text]) => text !== '' && !/[\u3001\u4e00-\u9fff]/.test(text))
    expect(foreign).toEqual([])
    // The house is not the Banker: 庄家 would be read as the hand.
    expect(all.filter(([, text]) => text.includes('庄家'))).toEqual([])
  })
  it('promise nobody a result, and say that roads are history and money is play money', () => {
    const promises = /\b(is due|overdue|hot|cold|lucky|streak|sure thing|can't lose|guaranteed)\b/i
    const all = words([en, proof.en, account.en, staff.en, pages.en, helps.en])
    expect(all.filter(([, text]) => promises.test(text))).toEqual([])
    expect(JSON.stringify([en.roads, helps.en.roads])).not.toMatch(/\bdue\b|likely|overdue/)
    expect(en.roads.note).toContain('history')
    expect(en.lobby.what).toContain('play money')
    expect([zh.roads.note, zh.playMoney].every((text) => text.length > 0)).toBe(true)
  })
})

it('a part that cannot be fetched is asked for once more', async () => {
  const load = vi.fn(() => Promise.resolve('there'))
  load.mockImplementationOnce(() => Promise.reject(new Error('gone')))
  expect(await twice(load)).toBe('there')
  expect(load).toHaveBeenCalledTimes(2)
})

it('a path has parts', () => {
  expect(parts('/table/t1', 'table')).toEqual(['t1'])
  expect(parts('/', 'table')).toBeNull()
})

it('a link keeps the clause that it names, and the book finds the one that has its words', () => {
  const link = document.createElement('a')
  link.href = '/book/act-2018#6.2(a)'
  document.body.append(link)
  link.addEventListener('click', router.follow)
  link.click()
  expect([router.path, router.hash]).toEqual(['/book/act-2018', '6.2(a)'])
  const has = (number: string) => ['6', '6.2', '7.1(b)'].includes(number)
  expect(nearest('6.2(a)', has)).toBe('6.2')
  expect(nearest('7.1(b)', has)).toBe('7.1(b)')
  expect(nearest('9.9', has)).toBeNull()
})

function felt(more: Partial<FeltView> = {}): FeltView {
  const hand = { cards: [], total: null, pair: null, passed_to: null }
  return {
    coup: 1,
    began: 0,
    over: false,
    no_bet: null,
    last: false,
    player: hand,
    banker: hand,
    natural: false,
    outcome: null,
    void: null,
    paid: [],
    ...more,
  }
}

function view(more: Partial<TableView> = {}): TableView {
  return {
    version: 1,
    phase: 'betting',
    coup: 1,
    no_bet: false,
    last: false,
    felt: felt(),
    spots: [],
    players: [],
    asked: [],
    lawful: [],
    mine: { seat: 1, standing: false, stack_cents: 1000, owes_cents: 0, wagers: [], limits: [] },
    ...more,
  } as unknown as TableView
}

function event(kind: string, more: Partial<EventView> = {}): EventView {
  return {
    form: 1,
    at: 0,
    kind,
    weight: 'play',
    what: kind,
    mine: false,
    cards: [],
    clauses: [],
    postings: [],
    fact: null,
    ...more,
  }
}

const laid = { player: 'me', mine: true, spot: 'banker', place: 1 }

describe('the live region', () => {
  it('tells hands, result and what each wager did, in the order of play', () => {
    const cards = (...all: string[]) => all.map((card) => ({ card }))
    const after = view({
      felt: felt({
        over: true,
        outcome: 'banker',
        player: { cards: cards('3h', '3c'), total: 6 },
        banker: { cards: cards('Kd', '7s'), total: 7 },
        paid: [
          {
            ...laid,
            stake_cents: 10_000,
            verdict: 'won',
            won_cents: 9500,
            lost_cents: 0,
            commission_cents: 500,
            lies: false,
            outcome_clauses: [],
            price_clauses: [],
            why: [],
          },
        ],
      }),
    })
    const events = ['totals', 'result', 'settled', 'coup-ended', 'bets-opened'].map((k) => event(k))
    expect(tell(events, after, en)).toEqual([
      'Player: three of hearts, three of clubs, 6. Banker: king of diamonds, seven of spades, 7.',
      'Banker wins, 7 over 6.',
      'You win 95.00 on Banker, commission 5.00.',
      'Bets are open.',
    ])
    expect(net(after.felt)).toBe(9500)
  })
  it('says what was accepted, and when bets are closed', () => {
    const placed = event('placed', { mine: true, spot: 'tie', amount_cents: 2500 })
    expect(tell([placed], view(), en)).toEqual(['25 on Tie, accepted.'])
    expect(tell([event('bets-closed')], view(), en)).toEqual(['No more bets.'])
  })
  it('keeps the order of play where much came at once, and no total that is not of these cards', () => {
    const shows = (cards: string[], total: number) => ({
      ...felt().player,
      cards: cards.map((card) => ({ ...felt().player.cards[0], card })),
      total,
    })
    const after = {
      ...view(),
      felt: {
        ...felt(),
        player: shows(['2h', '3c', '4h'], 9),
        banker: shows(['Kd', '2s', '6d'], 8),
        outcome: 'player',
      },
    } as TableView
    const dealt = ['2h', 'Kd', '3c', '2s', '4h', '6d'].map((card, i) =>
      event('dealt', { hand: i % 2 ? 'banker' : 'player', cards: [card] }),
    )
    const events = [event('bets-closed'), ...dealt, event('totals'), event('result')]
    expect(tell(events, after, en)).toEqual([
      'No more bets.',
      'Player: two of hearts, three of clubs. Banker: king of diamonds, two of spades.',
      'Third card to Player: four of hearts.',
      'Third card to Banker: six of diamonds.',
      'Player wins, 9 over 8.',
    ])
  })
  it('tells a third card that is turned where cards are dealt face down', () => {
    const shows = (cards: (string | null)[]) => ({
      ...felt().player,
      cards: cards.map((card) => ({ card })),
    })
    const player = shows(['2h', '3c', '4h'])
    const after = view({ felt: felt({ player, banker: shows(['Kd', '2s', null]) }) })
    const hidden = event('dealt', { hand: 'player' })
    const turned = event('turned', { hand: 'player', cards: ['4h'] })
    const first = event('turned', { hand: 'banker', cards: ['2s'] })
    expect(tell([hidden, turned, first], after, en)).toEqual([
      'Third card to Player: four of hearts.',
    ])
  })
  it('says you of me, and the sentence holds', () => {
    const said = (what: string) => toMe(what, 'Lucky-7')
    expect(said("Banker's cards go to Lucky-7")).toBe("Banker's cards go to you")
    expect(said('Lucky-7 cuts at 208')).toBe('you cut at 208')
    expect(said('Lucky-7 has 3, not 5')).toBe('you have 3, not 5')
    expect(said('Lucky-7 refuses Player’s cards')).toBe('you refuse Player’s cards')
    expect(said('Lucky-7 may wager on both sides')).toBe('you may wager on both sides')
    expect(said("Lucky-7's stack stays")).toBe('your stack stays')
    expect(said('5 on tie goes back to Lucky-7: void')).toBe('5 on tie goes back to you: void')
    expect(said('10 of Lucky-7 lies on banker again')).toBe('10 of you lies on banker again')
    expect(said('Lucky-77 cuts at 208')).toBe('Lucky-77 cuts at 208')
    expect(toMe('Bo cuts at 208', null)).toBe('Bo cuts at 208')
    const players = [{ player: 'Bo', me: true }] as TableView['players']
    const told = event('advised', { mine: true, what: 'Bo is told: the sign is to change' })
    expect(tell([told], view({ players }), en)).toEqual(['You are told: the sign is to change.'])
  })
  it('says that a stake lies, and what was ruled and taken back', () => {
    const paid = { ...laid, stake_cents: 1000, won_cents: 0, lost_cents: 0, verdict: 'kept' }
    const after = { ...view(), felt: { ...felt(), paid: [{ ...paid, lies: true }] as PaidView[] } }
    expect(tell([event('lies')], after, en)).toEqual([
      'Your 10.00 on Banker lies for the next coup.',
    ])
    const ruled = event('given-to-banker', { what: '5h was not due to Player; it is Banker’s' })
    const advised = event('advised', { what: 'Bo is told' })
    expect(tell([ruled, advised], view(), en)).toEqual([
      '5h was not due to Player; it is Banker’s.',
    ])
    const postings = [{ account: 'stack', player: 'me', gained_cents: -950 }]
    const found = [
      event('voided', { fact: { voided: { number: 7, why: 'x' } } }),
      event('reversed', { mine: true, postings }),
    ]
    expect(tell(found, view(), en)).toEqual(['Coup 7 is void.', 'Your chips: −9.50.'])
  })
})

describe('a coup without bets', () => {
  const asked = event('no-bet-asked', { player: 'Ann' })
  const answer = (yes: boolean, mine: boolean) =>
    event('no-bet-answered', { mine, player: 'Bo', fact: { 'no-bet-answered': [1, yes] } })
  it('is told: who asks, and what is answered', () => {
    expect(tell([asked], view(), en)).toEqual(['Ann asks for a coup without bets.'])
    expect(tell([answer(true, false)], view(), en)).toEqual(['Bo agrees.'])
    expect(tell([answer(false, true)], view(), en)).toEqual(['You object.'])
  })
  it('is not asked of whoever asked or answered', () => {
    expect(myAnswer([asked])).toBeNull()
    expect(myAnswer([{ ...asked, mine: true }])).toBe('asked')
    expect(myAnswer([asked, answer(false, true), answer(true, false)])).toBe('answered')
    expect(myAnswer([asked, answer(true, true), event('coup-began')])).toBeNull()
  })
})

it('the last ruling of a coup is the one that is shown', () => {
  const wrong = event('given-to-banker', { what: 'it is Banker’s' })
  const told = event('advised', { what: 'Bo is told' })
  expect(lastRuling([wrong, told, event('settled')])).toBe(wrong)
  expect(lastRuling([wrong, event('coup-began')])).toBeNull()
})

describe('a visit', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
    session.me = null
    localStorage.clear()
  })
  const mine = (stack_cents: number) => ({ ...view().mine, stack_cents }) as TableView['mine']
  const left = event('left', {
    version: 9,
    mine: true,
    postings: [
      { account: 'stack', player: 'me', gained_cents: -50_000 },
      { account: 'outside', gained_cents: 50_000 },
    ],
  })
  const visit = (said: string[] = []) => {
    vi.stubGlobal('fetch', () => Promise.reject(new Error('nobody')))
    session.me = { account: 'a1' } as Me
    return new Visit('t1', (...sentences) => said.push(...sentences.filter((one) => one !== '')))
  }

  it('ends with what was taken away, bets that came back included, in every tab', () => {
    const [one, other] = [visit(), visit()]
    const came = event('arrived', { mine: true, amount_cents: 50_000, version: 5 })
    one['told']([came], view({ mine: null }), view({ mine: mine(50_000) }))
    for (const tab of [one, other]) {
      tab['told']([left], view({ mine: mine(47_500) }), view({ mine: null }))
      expect(tab.open).toEqual({ kind: 'left', brought: 50_000, took: 50_000 })
    }
    // Another account in this browser brought something else.
    session.me = { account: 'a2' } as Me
    one['told']([left], view({ mine: mine(47_500) }), view({ mine: null }))
    expect(one.open).toEqual({ kind: 'left', brought: null, took: 50_000 })
  })
  it('counts all chips that were bought in it, and tells the result once', () => {
    const [one, other] = [visit(), visit()]
    const tabs = [one, other]
    let version = 10
    const hear = (event: EventView, was: TableView, is: TableView) => {
      version += 1
      for (const tab of tabs) tab['told']([{ ...event, version }], was, is)
    }
    const away = view({ mine: null })
    const leave = (cents: number) => {
      const postings = [{ account: 'outside', gained_cents: cents }]
      hear({ ...left, postings }, view({ mine: mine(cents) }), away)
    }
    const sit = (amount_cents: number) =>
      hear(event('arrived', { mine: true, amount_cents }), away, view({ mine: mine(amount_cents) }))
    sit(50_000)
    one.buy()
    leave(300)
    expect(one.open).toEqual({ kind: 'seat' })
    sit(20_000)
    leave(25_000)
    for (const tab of tabs)
      expect(tab.open).toEqual({ kind: 'left', brought: 70_000, took: 25_300 })
    // After the result another visit begins.
    sit(10_000)
    leave(9000)
    expect(one.open).toEqual({ kind: 'left', brought: 10_000, took: 9000 })
    // Whoever wants new chips and then takes none has left.
    sit(10_000)
    other.buy()
    leave(100)
    other.close()
    expect(other.open).toEqual({ kind: 'left', brought: 10_000, took: 100 })
    sit(5000)
    leave(5000)
    expect(other.open).toEqual({ kind: 'left', brought: 5000, took: 5000 })
  })
  it('keeps what was seen until the table answers to whoever sits down', () => {
    vi.stubGlobal('WebSocket', Line)
    const one = visit()
    const come = (as: string) => {
      one['start'](as)
      return Line.all.at(-1) as Line
    }
    const answer = (to: Line, version: number) => {
      to.open()
      to.say({ kind: 'view', table: 't1', version, view: view({ version }), until: null })
    }
    answer(come('spectator'), 3)
    const second = come('player')
    // A sheet that is open over the table, and what was typed into it, stay.
    expect(one.view?.version).toBe(3)
    answer(second, 4)
    expect(one.view?.version).toBe(4)
    // Whoever comes back as somebody else sees nothing of what was theirs.
    come('player')
    expect(one.view).toBeNull()
    one.client?.stop()
  })
  it('hears of the shuffle, once', () => {
    const said: string[] = []
    const [before, after] = [view(), view({ phase: 'preparing' })]
    const told = visit(said)['told']
    told([event('shoe-over')], before, after)
    told([event('prepared')], after, after)
    expect(said).toEqual(['The shoe is being shuffled.'])
  })
})

it('chips that are too few for any bet are none', () => {
  const limits = (least_cents: number) => ({ group: 'x', least_cents, most_cents: 50_000 })
  const spots = [{ limits: limits(1000) }, { limits: limits(500) }, {}] as unknown as SpotView[]
  const holding = (stack_cents: number, wagers: unknown[] = []) =>
    view({ spots, mine: { ...view().mine, stack_cents, wagers } as TableView['mine'] })
  expect(leastBet(holding(0))).toBe(500)
  expect([300, 499, 500].map((cents) => isBroke(holding(cents)))).toEqual([true, true, false])
  expect(isBroke(holding(300, [{ ...laid, stake_cents: 500 }]))).toBe(false)
  expect(isBroke({ ...holding(300), mine: null })).toBe(false)
})

class Line {
  static all: Line[] = []
  static OPEN = 1
  readyState = 0
  sent: Record<string, unknown>[] = []
  onopen: (() => void) | null = null
  onclose: (() => void) | null = null
  onmessage: ((event: { data: string }) => void) | null = null
  constructor(readonly url: string) {
    Line.all.push(this)
  }
  send(text: string) {
    this.sent.push(JSON.parse(text) as Record<string, unknown>)
  }
  close() {
    if (this.readyState === 3) return
    this.readyState = 3
    this.onclose?.()
  }
  open() {
    this.readyState = 1
    this.onopen?.()
  }
  say(message: unknown) {
    this.onmessage?.({ data: JSON.stringify(message) })
  }
}

describe('a table that is followed', () => {
  beforeEach(() => {
    vi.useFakeTimers()
    vi.stubGlobal('WebSocket', Line)
    vi.stubGlobal('fetch', () => Promise.reject(new Error('nobody')))
    Line.all = []
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })
  const line = () => Line.all[Line.all.length - 1] as Line
  function follow() {
    const client = new TableClient('t1', 'player', () => undefined)
    client.start()
    line().open()
    line().say({ kind: 'view', table: 't1', version: 1, view: view(), until: 5_000_000 })
    return client
  }
  const orderOf = (of: Line) => of.sent.find((one) => one['do'] === 'order')

  it('shows a bet as sent until the view has it, and then as accepted', async () => {
    const client = follow()
    const play = new Play(client, () => undefined)
    const made = play.bet('banker', 500)
    expect(play.sending('banker')).toBe(500)
    expect(orderOf(line())?.['line']).toBe('bets 5 on banker')
    const answer = { version: 2, repeated: false, events: [], clauses: [], lawful: [] }
    line().say({ kind: 'answer', table: 't1', key: orderOf(line())?.['key'], answer })
    await made
    // The answer came first: the chip does not vanish between answer and view.
    expect(play.sending('banker')).toBe(500)
    const mine = { ...view().mine, wagers: [{ ...laid, stake_cents: 500 }] }
    line().say({
      kind: 'update',
      table: 't1',
      version: 2,
      events: [],
      changed: { mine },
      until: null,
    })
    expect(play.sending('banker')).toBe(0)
    expect(play.accepted('banker')).toBe(500)
    client.stop()
  })

  it('keeps a refusal at its spot and takes the chip away', async () => {
    const client = follow()
    const play = new Play(client, () => undefined)
    const made = play.bet('tie', 100)
    const problem = {
      type: '',
      status: 422,
      code: 'x',
      title: 'too little',
      clauses: [],
      instead: '5',
    }
    line().say({ kind: 'problem', table: 't1', key: orderOf(line())?.['key'], problem })
    expect(await made).toBe(false)
    expect(play.refused?.spot).toBe('tie')
    expect(play.sending('tie')).toBe(0)
    client.stop()
  })

  it('sends nothing while the line is broken, and believes only the view afterwards', async () => {
    const client = follow()
    const play = new Play(client, () => undefined)
    const made = play.bet('banker', 500)
    line().close()
    expect(client.status).toBe('lost')
    expect(await made).toBe(false)
    expect(client.unsure).toBe(true)
    expect(await play.bet('banker', 500)).toBe(false)
    await vi.advanceTimersByTimeAsync(1000)
    const again = line()
    again.open()
    const asked = again.sent.find((one) => one['do'] === 'subscribe')
    expect(asked?.['after']).toBe(1)
    again.say({ kind: 'gap', table: 't1', version: 9, events: [event('coup-ended')] })
    const later = view({ version: 9, coup: 2 })
    again.say({ kind: 'view', table: 't1', version: 9, view: later, until: null })
    expect(client.status).toBe('live')
    expect(client.missed).toBe(1)
    expect(play.sending('banker')).toBe(0)
    expect(play.accepted('banker')).toBe(0)
    expect(orderOf(again)).toBeUndefined()
    client.stop()
  })

  it('tells what one break cost, and not what an earlier one did', async () => {
    const client = follow()
    const play = new Play(client, () => undefined)
    const back = async (coup: number) => {
      line().close()
      await vi.advanceTimersByTimeAsync(1000)
      line().open()
      // A server does not tell a gap of more than 10,000 records.
      const next = view({ version: 20_000 * coup, coup })
      line().say({ kind: 'view', table: 't1', version: next.version, view: next, until: null })
    }
    const made = play.bet('banker', 500)
    await back(4)
    await made
    expect([client.missed, client.unsure]).toEqual([3, true])
    await back(4)
    expect([client.missed, client.unsure]).toEqual([0, false])
    client.forgetBreak()
    expect(client.missed).toBeNull()
    client.stop()
  })

  it('stops trying when the session is nobody’s any more', async () => {
    const client = follow()
    line().close()
    await vi.advanceTimersByTimeAsync(1000)
    line().open()
    const problem = {
      type: '',
      status: 401,
      code: 'signed-out',
      title: 'nobody is signed in',
      clauses: [],
      instead: 'sign in',
    }
    line().say({ kind: 'problem', table: 't1', key: null, problem })
    expect(client.status).toBe('signed-out')
    const lines = Line.all.length
    await vi.advanceTimersByTimeAsync(60_000)
    expect(Line.all.length).toBe(lines)
    expect(client.status).toBe('signed-out')
    client.stop()
  })

  it('puts advice at the spot of the bet that it is about', async () => {
    const client = follow()
    const play = new Play(client, () => undefined)
    void play.bet('tie', 500)
    play.advise('you are told that the bet is below the minimum', ['act-2018 5.2'])
    expect(play.refused?.spot).toBe('tie')
    play.dismiss()
    expect(play.refused).toBeNull()
    client.stop()
  })

  it('says at a spot that the coup is one without bets, and sends nothing', async () => {
    const client = follow()
    const play = new Play(client, () => undefined)
    const next = view({ no_bet: true })
    line().say({ kind: 'view', table: 't1', version: next.version, view: next, until: null })
    expect(await play.bet('tie', 500)).toBe(false)
    expect(play.refused?.problem.title).toBe('A coup without bets')
    expect(client.sent).toEqual([])
    client.stop()
  })

  it('tells the end of a pause by the clock, where the account knows it', () => {
    const refused = { type: '', status: 422, code: 'own-limit', title: 'a pause', clauses: [] }
    const problem = { ...refused, instead: 'allowed in 24 h' }
    expect(untilPause(problem)).toBe(problem)
    session.me = { paused_until: 1000 * Date.UTC(2100, 0, 2, 12) } as Me
    expect(untilPause(problem).instead).toMatch(/^allowed from .*2100.* on$/)
    session.forget()
  })

  describe('undo', () => {
    const problem = {
      type: '',
      status: 422,
      code: 'closed',
      title: 'bets are closed',
      clauses: ['act-2018 6.2'],
      instead: '',
    }
    const orders = () => line().sent.filter((one) => one['do'] === 'order')
    const lines = () => orders().map((one) => one['line'])
    const settle = () => vi.advanceTimersByTimeAsync(0)
    const answer = async (version: number) => {
      const done = { version, repeated: false, events: [], clauses: [], lawful: [] }
      line().say({ kind: 'answer', table: 't1', key: orders().at(-1)?.['key'], answer: done })
      await settle()
    }
    const refuse = async () => {
      line().say({ kind: 'problem', table: 't1', key: orders().at(-1)?.['key'], problem })
      await settle()
    }
    const lies = async (version: number, cents: number, more: Partial<TableView> = {}) => {
      const wagers = cents > 0 ? [{ ...laid, stake_cents: cents }] : []
      const changed = { mine: { ...view().mine, wagers }, ...more }
      line().say({ kind: 'update', table: 't1', version, events: [], changed, until: null })
      await settle()
    }
    /** Ten lie on Banker, then twenty-five more. */
    async function twoBets() {
      const said: string[] = []
      const client = follow()
      const play = new Play(client, (told) => said.push(told.title))
      void play.bet('banker', 1000)
      await answer(2)
      await lies(2, 1000)
      void play.bet('banker', 2500)
      await answer(3)
      await lies(3, 3500)
      return { client, play, said }
    }
    const shown = (play: Play) => [play.accepted('banker'), play.sending('banker')]

    it('takes the spot back and lays again what lay before; no moment shows more', async () => {
      const { client, play } = await twoBets()
      void play.undo()
      await settle()
      await answer(4)
      // The answer is there and the view is not: nothing is laid on what still seems to lie.
      expect(lines().at(-1)).toBe('takes back banker')
      expect(shown(play)).toEqual([3500, 0])
      await lies(4, 0)
      expect(lines().at(-1)).toBe('bets 10 on banker')
      expect(shown(play)).toEqual([0, 1000])
      await answer(5)
      await lies(5, 1000)
      expect(shown(play)).toEqual([1000, 0])
      expect([play.refused, play.canUndo]).toEqual([null, true])
      client.stop()
    })

    it('waits for a bet that is under way, and undoes that one', async () => {
      const { client, play } = await twoBets()
      void play.bet('banker', 500)
      void play.undo()
      await settle()
      expect(lines().at(-1)).toBe('bets 5 on banker')
      await answer(4)
      await lies(4, 4000)
      expect(lines().at(-1)).toBe('takes back banker')
      await answer(5)
      await lies(5, 0)
      expect(lines().at(-1)).toBe('bets 35 on banker')
      client.stop()
    })

    it('does one after the other when it is pressed twice', async () => {
      const { client, play } = await twoBets()
      void play.undo()
      void play.undo()
      await settle()
      await answer(4)
      await lies(4, 0)
      await answer(5)
      await lies(5, 1000)
      await answer(6)
      await lies(6, 0)
      const undone = ['takes back banker', 'bets 10 on banker', 'takes back banker']
      expect(lines().slice(2)).toEqual(undone)
      expect([shown(play), play.canUndo]).toEqual([[0, 0], false])
      client.stop()
    })

    it('refused at first: all lies as before, and it can be tried again', async () => {
      const { client, play, said } = await twoBets()
      void play.undo()
      await settle()
      await refuse()
      expect([shown(play), play.canUndo]).toEqual([[3500, 0], true])
      expect(said).toEqual(['bets are closed'])
      client.stop()
    })

    it('done by half: the spot is empty, and that is said until somebody has seen it', async () => {
      const { client, play, said } = await twoBets()
      void play.undo()
      await settle()
      await answer(4)
      await lies(4, 0)
      await refuse()
      expect([shown(play), play.canUndo]).toEqual([[0, 0], false])
      expect(said).toEqual(['Undo took back 35; 10 of it was not laid again'])
      await vi.advanceTimersByTimeAsync(15_000)
      expect(play.refused?.spot).toBe('banker')
      expect(play.refused?.problem.instead).toBe('bets are closed')
      expect(play.refused?.problem.clauses).toEqual(['act-2018 6.2'])
      client.stop()
    })

    it('closed or another coup between: nothing is laid, and that is said', async () => {
      for (const more of [{ phase: 'called' as const }, { coup: 2 }]) {
        const { client, play } = await twoBets()
        void play.undo()
        await settle()
        await answer(4)
        await lies(4, 0, more)
        expect(lines().at(-1)).toBe('takes back banker')
        expect(play.refused?.problem.title).toContain('10 of it was not laid again')
        client.stop()
      }
    })

    it('waits while the inspector is away: what lay before could not be laid again', async () => {
      const { client, play } = await twoBets()
      await lies(4, 3500, { inspector_away: true })
      expect([play.open, play.canUndo, play.canDouble]).toEqual([true, false, false])
      void play.undo()
      await settle()
      expect(lines()).toHaveLength(2)
      client.stop()
    })

    it('a line that breaks between: not laid, and what is not known is said so', async () => {
      const { client, play } = await twoBets()
      void play.undo()
      await settle()
      await answer(4)
      line().close()
      await settle()
      expect(play.refused?.problem.title).toContain('10 of it was not laid again')
      client.stop()
      const other = await twoBets()
      void other.play.undo()
      await settle()
      await answer(4)
      await lies(4, 0)
      line().close()
      await settle()
      expect(other.play.refused?.problem.title).toContain('is not known')
      expect([other.client.unsure, other.play.canUndo]).toEqual([true, false])
      other.client.stop()
    })

    it('takes back all that one act laid, and after a reload what lies on one spot', async () => {
      const client = follow()
      const play = new Play(client, () => undefined)
      const on = (spot: string, stake_cents: number) => ({ ...laid, spot, stake_cents })
      let version = 1
      const show = async (...wagers: object[]) => {
        version += 1
        const lawful = [
          { line: '"An n" takes back tie' },
          { line: '"An n" takes back banker' },
        ] as TableView['lawful']
        const changed = { lawful, mine: { ...view().mine, stack_cents: 50_000, wagers } }
        line().say({ kind: 'update', table: 't1', version, events: [], changed, until: null })
        await settle()
      }
      // The page has just come: these bets were made before.
      await show(on('banker', 1000), on('tie', 500))
      expect(play.canUndo).toBe(true)
      void play.double()
      await settle()
      await answer(2)
      await answer(2)
      await show(on('banker', 2000), on('tie', 1000))
      expect(lines()).toEqual(['bets 10 on banker', 'bets 5 on tie'])
      void play.undo()
      await settle()
      await answer(version)
      await show(on('banker', 2000))
      await answer(version)
      await show(on('banker', 2000), on('tie', 500))
      await answer(version)
      await show(on('tie', 500))
      await answer(version)
      await show(on('banker', 1000), on('tie', 500))
      expect(lines().slice(2)).toEqual([
        'takes back tie',
        'bets 5 on tie',
        'takes back banker',
        'bets 10 on banker',
      ])
      void play.undo()
      await settle()
      expect(lines().at(-1)).toBe('takes back tie')
      client.stop()
    })

    it('forgets a bet that somebody else took away', async () => {
      const { client, play } = await twoBets()
      await lies(4, 0)
      expect(play.canUndo).toBe(false)
      await play.undo()
      expect(lines().length).toBe(2)
      client.stop()
    })
  })

  it('says in whole sentences that my chips are too few, and what would do', async () => {
    const client = follow()
    const play = new Play(client, () => undefined)
    const limits = { group: 'main', least_cents: 500, most_cents: 50_000 }
    const spots = [{ spot: 'banker', limits }]
    const problem = {
      type: '',
      status: 422,
      code: 'not-enough-chips',
      title: 'me has 3, not 5',
      clauses: [],
      instead: 'allowed: less',
    }
    const told = async (stack_cents: number) => {
      const changed = { spots, mine: { ...view().mine, stack_cents } }
      line().say({ kind: 'update', table: 't1', version: 2, events: [], changed, until: null })
      const made = play.bet('banker', 2500)
      const orders = line().sent.filter((one) => one['do'] === 'order')
      line().say({ kind: 'problem', table: 't1', key: orders.at(-1)?.['key'], problem })
      await made
      return [play.refused?.problem.title, play.refused?.problem.instead]
    }
    expect(await told(1000)).toEqual([
      'you have 10.00, and this bet is 25.00',
      'allowed: up to 10.00',
    ])
    expect(await told(300)).toEqual([
      'you have 3.00, and this bet is 25.00',
      'leave and sit down with more chips',
    ])
    client.stop()
  })

  it('shows when the server was heard by its own clock, and counts silence by none', async () => {
    const client = follow()
    const [off, server] = [Date.now(), 1_700_000_000_000]
    line().say({ kind: 'pong', now: server * 1000 })
    await vi.advanceTimersByTimeAsync(5000)
    line().say({ kind: 'pong', now: (server + 5000) * 1000 })
    expect(Math.round(client.lastHeard)).toBe(server + 5000)
    expect(Math.abs(client.clockOff)).toBeGreaterThan(Math.abs(server - off) / 2)
    client.stop()
  })

  it('takes a silent line for broken', async () => {
    const client = follow()
    // Also where the machine's clock is set back meanwhile.
    vi.setSystemTime(Date.now() - 3_600_000)
    await vi.advanceTimersByTimeAsync(25_000)
    expect(client.status).not.toBe('live')
    client.stop()
  })

  it('asks anew after the machine slept, also where its own count stood still', async () => {
    const client = follow()
    await vi.advanceTimersByTimeAsync(3000)
    expect(client.status).toBe('live')
    // Nothing ran for a minute, and the clock of the machine went on.
    vi.setSystemTime(Date.now() + 60_000)
    await vi.advanceTimersByTimeAsync(1000)
    expect(client.status).toBe('lost')
    await vi.advanceTimersByTimeAsync(1000)
    line().open()
    line().say({ kind: 'view', table: 't1', version: 9, view: view({ version: 9, coup: 3 }) })
    expect([client.status, client.missed]).toEqual(['live', 2])
    // A second that was only late is no sleep.
    vi.setSystemTime(Date.now() + 5000)
    await vi.advanceTimersByTimeAsync(1000)
    expect(client.status).toBe('live')
    client.stop()
  })

  it('lays again what lay before, less what lies there still', () => {
    const client = follow()
    const play = new Play(client, () => undefined)
    const paid = { ...laid, stake_cents: 1000, won_cents: 0, lost_cents: 0, verdict: 'kept' }
    const mine = { ...view().mine, wagers: [{ ...laid, stake_cents: 400 }] }
    const changed = { mine, felt: { ...felt(), over: true, paid: [paid] } }
    line().say({ kind: 'update', table: 't1', version: 2, events: [], changed, until: null })
    expect(play.again).toEqual([{ spot: 'banker', cents: 600 }])
    // No more than there are chips for.
    expect([play.canRebet, play.canDouble]).toEqual([true, true])
    const few = { ...mine, stack_cents: 300 }
    const poor = { mine: few }
    line().say({ kind: 'update', table: 't1', version: 3, events: [], changed: poor, until: null })
    expect([play.canRebet, play.canDouble]).toEqual([false, false])
    client.stop()
  })

  it('lays again what lay in my last coup, also after one that I sat out', () => {
    const client = follow()
    const play = new Play(client, () => undefined)
    const next = (coup: number, paid: object[]) => {
      const before = client.view
      const changed = { coup, felt: { ...felt(), coup, paid } }
      line().say({ kind: 'update', table: 't1', version: coup, events: [], changed, until: null })
      play.follow(before)
    }
    const paid = { ...laid, stake_cents: 1000, won_cents: 0, lost_cents: 0, verdict: 'kept' }
    next(2, [paid])
    next(3, [{ ...paid, mine: false }])
    next(4, [])
    expect(play.again).toEqual([{ spot: 'banker', cents: 1000 }])
    client.stop()
  })
})

describe('coups of a log', () => {
  const log = [
    event('placed', { spot: 'banker' }),
    event('coup-began', { fact: { 'coup-began': { number: 1 } } }),
    event('dealt', { hand: 'player', cards: ['2c'] }),
    event('dealt', { hand: 'banker', cards: [] }),
    event('turned', { cards: ['6h'], fact: { turned: { index: 1, card: '6h' } } }),
    event('totals', { fact: { totals: { player: 2, banker: 6 } } }),
    event('result', { fact: { result: { won: 'banker' } } }),
    event('settled', {
      mine: true,
      spot: 'banker',
      fact: { settled: { stake: 1000, verdict: 'won' } },
      postings: [{ account: 'stack', player: 'me', gained_cents: 1950 }],
    }),
    event('coup-ended', { fact: { 'coup-ended': { number: 1, outcome: { won: 'banker' } } } }),
    event('disputed', { what: 'Ann disputes coup 1' }),
  ]
  it('have their bets, their cards and what was said of them later', () => {
    const [coup] = coupsOf(log)
    expect(coup?.number).toBe(1)
    expect(coup?.bets.length).toBe(1)
    expect(coup?.outcome).toBe('banker')
    expect(coup?.after.map((one) => one.kind)).toEqual(['disputed'])
    const after = feltAfter(coup?.events ?? [])
    expect(after.player).toEqual(['2c'])
    expect(after.banker).toEqual(['6h'])
    expect(after.totals).toEqual([2, 6])
    expect(after.outcome).toBe('banker')
    expect(coup?.void).toBe(false)
    expect(netOf(log[7] as EventView)).toBe(950)
  })
  it('are mine where a wager of mine lay, and not where it was taken back before', () => {
    const bet = event('placed', { mine: true, spot: 'tie', amount_cents: 500 })
    const back = event('returned', { mine: true, spot: 'tie', amount_cents: 500 })
    const began = event('coup-began', { fact: { 'coup-began': { number: 1 } } })
    const whose = (...events: EventView[]) => coupsOf(events).map(betIn)
    expect(coupsOf(log).map(betIn)).toEqual([true])
    expect(whose({ ...bet, mine: false }, began)).toEqual([false])
    expect(whose(bet, began)).toEqual([true])
    expect(whose(bet, back, began)).toEqual([false])
    // A void coup gives it back after its first card.
    expect(whose(bet, began, back)).toEqual([true])
  })
  it('show cards where they lie after what was put right', () => {
    const hands = (...later: EventView[]) => {
      const dealt = ['2c', '6h', '3d', '4s', 'Kd'].map((card, i) =>
        event('dealt', { hand: i % 2 === 0 ? 'player' : 'banker', cards: [card] }),
      )
      const { player, banker } = feltAfter([...dealt, ...later])
      return [player, banker]
    }
    expect(hands()).toEqual([
      ['2c', '3d', 'Kd'],
      ['6h', '4s'],
    ])
    expect(hands(event('third-moved', { hand: 'banker' }))).toEqual([
      ['2c', '3d'],
      ['6h', '4s', 'Kd'],
    ])
    const corrected = { 'card-corrected': { index: 3, card: '5s' } }
    expect(hands(event('card-corrected', { cards: ['5s'], fact: corrected }))[1]).toEqual([
      '6h',
      '5s',
    ])
    const rearranged = [
      [1, 'player'],
      [0, 'banker'],
    ]
    expect(hands(event('rearranged', { fact: { rearranged } }))).toEqual([['6h'], ['2c']])
    const wrong = [
      event('dealt', { hand: 'banker', cards: ['2c'] }),
      event('dealt', { hand: 'player', cards: ['6h'] }),
    ]
    const put = feltAfter([...wrong, event('reconstructed')])
    expect([put.player, put.banker]).toEqual([['2c'], ['6h']])
  })
  it('that are void by an error found in a later coup say so, and what was taken back', () => {
    const later = [
      event('coup-began', { fact: { 'coup-began': { number: 2 } } }),
      event('error-found', { fact: { 'error-found': { number: 1 } } }),
      event('voided', { fact: { voided: { number: 1, why: 'error' } } }),
      event('reversed', {
        mine: true,
        fact: { reversed: { player: 0, number: 1 } },
        postings: [{ account: 'stack', player: 'me', gained_cents: -950 }],
      }),
      event('result', { fact: { result: 'tie' } }),
      event('coup-ended', { fact: { 'coup-ended': { number: 2, outcome: 'tie' } } }),
    ]
    const [first, second] = coupsOf([...log, ...later])
    expect(first?.void).toBe(true)
    expect(first?.after.map((one) => one.kind)).toEqual([
      'disputed',
      'error-found',
      'voided',
      'reversed',
    ])
    expect(first && netOfCoup(first)).toBe(0)
    expect(feltAfter([...(first?.events ?? []), ...(first?.after ?? [])]).outcome).toBeNull()
    expect(second?.void).toBe(false)
    expect(second?.events.map((one) => one.kind)).toEqual(['coup-began', 'result', 'coup-ended'])
  })
})
