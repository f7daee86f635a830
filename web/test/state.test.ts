import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { chipsFor, face, money, pile, plain, short, signed, typed } from '../src/lib/money'
import { beadAt, firstColumn } from '../src/lib/roads'
import { Play } from '../src/lib/play.svelte'
import { lastRuling, myAnswer, net, tell } from '../src/lib/speech'
import { TableClient } from '../src/lib/table.svelte'
import { en } from '../src/lib/texts/en'
import { zh } from '../src/lib/texts/zh'
import { nearest } from '../src/lib/books.svelte'
import { parts, router } from '../src/lib/router.svelte'
import { coupsOf, feltAfter, netOf, netOfCoup } from '../src/lib/coups'
import type { EventView, FeltView, PaidView, TableView } from '../src/lib/types'

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
    const foreign = words(zh).filter(
      ([, text]) => text !== '' && !/[\u3001\u4e00-\u9fff]/.test(text),
    )
    expect(foreign).toEqual([])
    // The house is not the Banker: 庄家 would be read as the hand.
    expect(words(zh).filter(([, text]) => text.includes('庄家'))).toEqual([])
  })
  it('promise nobody a result, and say that roads are history and money is play money', () => {
    const promises = /\b(is due|overdue|hot|cold|lucky|streak|sure thing|can't lose|guaranteed)\b/i
    expect(words(en).filter(([, text]) => promises.test(text))).toEqual([])
    expect(JSON.stringify(en.roads)).not.toMatch(/\bdue\b|likely|overdue/)
    expect(en.roads.note).toContain('history')
    expect(en.lobby.what).toContain('play money')
    expect([zh.roads.note, zh.playMoney].every((text) => text.length > 0)).toBe(true)
  })
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

    it('forgets a bet that somebody else took away', async () => {
      const { client, play } = await twoBets()
      await lies(4, 0)
      expect(play.canUndo).toBe(false)
      await play.undo()
      expect(lines().length).toBe(2)
      client.stop()
    })
  })

  it('takes a silent line for broken', async () => {
    const client = follow()
    await vi.advanceTimersByTimeAsync(25_000)
    expect(client.status).not.toBe('live')
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
