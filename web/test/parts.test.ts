/** Parts of the page, as people and keys meet them. */
import { fireEvent, render, screen, within } from '@testing-library/svelte'
import { describe, expect, it, vi } from 'vitest'
import Hand from '../src/parts/Hand.svelte'
import Margin from '../src/parts/Margin.svelte'
import Refusal from '../src/parts/Refusal.svelte'
import Road, { type Cell } from '../src/parts/Road.svelte'
import Roads from '../src/parts/Roads.svelte'
import SeatPanel from '../src/parts/SeatPanel.svelte'
import Spot from '../src/parts/Spot.svelte'
import Tray from '../src/parts/Tray.svelte'
import { press } from '../src/parts/table/keys'
import Banners from '../src/parts/table/Banners.svelte'
import SpotWhy from '../src/parts/table/SpotWhy.svelte'
import Confirm from '../src/views/staff/Confirm.svelte'
import { isGrave, movedBy } from '../src/views/staff/confirm'
import { Refused } from '../src/lib/api'
import type { TableClient } from '../src/lib/table.svelte'
import type { Visit } from '../src/lib/visit.svelte'
import type { EventView, RoadsView, TableView } from '../src/lib/types'

describe('a road', () => {
  const cells = (n: number): Cell[] =>
    Array.from({ length: n }, (_, i) => ({
      column: Math.floor(i / 6),
      row: i % 6,
      kind: 'bead',
      side: i % 2 ? 'player' : 'banker',
      title: `Coup ${i + 1}`,
    }))
  const show = (n: number) => {
    const onexplain = vi.fn()
    render(Road, { name: 'Bead plate', cells: cells(n), min: 6, onexplain })
    return onexplain
  }

  it('has one stop of the tab key, at the latest mark, and arrows go to the others', async () => {
    const onexplain = show(9)
    const marks = within(screen.getByRole('group')).getAllByRole('button')
    const stops = () => marks.filter((mark) => mark.getAttribute('tabindex') === '0')
    expect(stops()).toEqual([marks[8]])
    marks[8]?.focus()
    await fireEvent.keyDown(marks[8] as Element, { key: 'ArrowLeft' })
    expect(stops()).toEqual([marks[7]])
    expect(document.activeElement).toBe(marks[7])
    await fireEvent.keyDown(marks[7] as Element, { key: 'Home' })
    expect(document.activeElement).toBe(marks[0])
    await fireEvent.keyDown(marks[0] as Element, { key: 'ArrowUp' })
    expect(document.activeElement).toBe(marks[0])
    await fireEvent.keyDown(marks[0] as Element, { key: 'Enter' })
    expect(onexplain).toHaveBeenLastCalledWith('Coup 1')
    await fireEvent.keyDown(marks[0] as Element, { key: 'End' })
    expect(document.activeElement).toBe(marks[8])
  })
  it('explains a mark that is clicked, and itself by its name', async () => {
    const onexplain = show(3)
    await fireEvent.click(screen.getByRole('button', { name: 'Coup 2' }))
    expect(onexplain).toHaveBeenLastCalledWith('Coup 2')
    await fireEvent.click(screen.getByRole('button', { name: 'Bead plate' }))
    expect(onexplain).toHaveBeenLastCalledWith(null)
  })
  it('without marks has its name as the stop', () => {
    show(0)
    const name = screen.getByRole('button', { name: 'Bead plate' })
    expect(name.getAttribute('tabindex')).toBe('0')
  })
})

describe('the big road before its first result', () => {
  const marks = { big: [], big_eye: [], small: [], pig: [], beads: [] }
  const counts = { banker: 0, player: 0, ties: 3 }
  const ask = { ask_banker: {}, ask_player: {} }
  const roads = { ...marks, ...ask, counts, leading_ties: 3 } as unknown as RoadsView
  it('has the ties in its first cell, with their number and their words', () => {
    render(Roads, { roads, onexplain: null })
    const mark = screen.getByRole('img', { name: '3 ties before the first result' })
    expect(mark.querySelector('text')?.textContent).toBe('3')
    expect(mark.querySelector('circle')).toBeNull()
  })
  it('gives them to the first result', () => {
    const big = [{ column: 0, row: 0, side: 'player', ties: 3 }]
    render(Roads, { roads: { ...roads, big }, onexplain: null })
    expect(screen.queryByRole('img', { name: /before the first/ })).toBeNull()
    screen.getByRole('img', { name: 'Player, result 1 of run 1, then 3 ties' })
  })
})

describe('cards that come together', () => {
  const hand = (...all: string[]) => ({
    cards: all.map((card) => ({ card })),
    total: null,
    pair: null,
    passed_to: null,
  })
  const shared = { wins: false, over: false, say: '', root: null, witness: null, coup: 1 }
  const waits = (node: HTMLElement) =>
    [...node.querySelectorAll<HTMLElement>('.card')].map((card) =>
      card.style.getPropertyValue('--wait'),
    )
  it('come in the order of a table: Player first, then Banker, and round again', () => {
    const props = { ...shared, lying: 5, lay: 0 }
    const player = render(Hand, { ...props, side: 'player', hand: hand('3h', '3c', '4d') })
    const banker = render(Hand, { ...props, side: 'banker', hand: hand('Kd', '2s') })
    expect(waits(player.container)).toEqual(['0ms', '240ms', '480ms'])
    expect(waits(banker.container)).toEqual(['120ms', '360ms'])
  })
  it('do not wait for those that lie there already', () => {
    const props = { ...shared, lying: 5, lay: 4 }
    const player = render(Hand, { ...props, side: 'player', hand: hand('3h', '3c', '4d') })
    expect(waits(player.container)).toEqual(['0ms', '0ms', '0ms'])
  })
})

describe('keys of the table', () => {
  const to = () => ({
    chips: [500, 1000],
    onchip: vi.fn(),
    onbet: vi.fn(),
    onundo: vi.fn(),
    onclear: vi.fn(),
    ondouble: vi.fn(),
    onrebet: vi.fn(),
    onamount: vi.fn(),
    onhelp: vi.fn(),
  })
  const down = (init: KeyboardEventInit, on: Element = document.body) => {
    const keyed = to()
    on.addEventListener('keydown', (event) => press(event as KeyboardEvent, keyed), { once: true })
    on.dispatchEvent(new KeyboardEvent('keydown', init))
    return keyed
  }
  it('choose chips that are there, and bet', () => {
    expect(down({ key: '2' }).onchip).toHaveBeenCalledWith(1000)
    expect(down({ key: '3' }).onchip).not.toHaveBeenCalled()
    expect(down({ key: 'B' }).onbet).toHaveBeenCalledWith('banker')
    expect(down({ key: 't' }).onbet).toHaveBeenCalledWith('tie')
    expect(down({ key: 'r' }).onrebet).toHaveBeenCalled()
  })
  it('say nothing more while they are held', () => {
    expect(down({ key: 'b', repeat: true }).onbet).not.toHaveBeenCalled()
    expect(down({ key: 'd', repeat: true }).ondouble).not.toHaveBeenCalled()
  })
  it('are the browser’s with a modifier, and the field’s in a field', () => {
    expect(down({ key: 'r', ctrlKey: true }).onrebet).not.toHaveBeenCalled()
    expect(down({ key: 'b' }, document.createElement('input')).onbet).not.toHaveBeenCalled()
  })
})

describe('the desk', () => {
  const settled = (coup: number): EventView[] => {
    const event = (kind: string, fact: unknown, more: Partial<EventView> = {}): EventView => ({
      form: 1,
      at: 0,
      kind,
      weight: 'play',
      what: kind,
      mine: false,
      cards: [],
      clauses: [],
      postings: [],
      fact: { [kind]: fact },
      ...more,
    })
    const postings = [{ account: 'stack', player: 'Ann', gained_cents: 1950 }]
    return [
      event('coup-began', { number: coup }),
      event('settled', { stake: 1000, verdict: 'won' }, { player: 'Ann', postings }),
      event('coup-ended', { number: coup }),
    ]
  }
  it('asks before something is taken back or cannot be undone', () => {
    expect(isGrave('supervisor finds an error in coup 1')).toEqual({ takesBack: true })
    expect(isGrave('operator voids the coup because of rain')).toEqual({ takesBack: true })
    expect(isGrave('operator closes the table')).toEqual({ takesBack: false })
    // What was reconstructed, or cannot be, waits for a second person: both are shown first.
    for (const line of [
      'supervisor reconstructs the coup',
      'supervisor reconstructs the coup in the order 3h Kd 3c 2s',
      'management cannot reconstruct the coup',
    ])
      expect(isGrave(line)).toEqual({ takesBack: true })
    expect(isGrave('dealer deals 3h Kd 3c 2s')).toBeNull()
  })
  it('adds up what a ruling moves, for each', () => {
    expect(movedBy(settled(1))).toEqual([['Ann', 1950]])
  })
  it('does nothing unless somebody says so', async () => {
    const [onyes, onno] = [vi.fn(), vi.fn()]
    const would = { events: settled(1), clauses: [], second_person: true }
    const question = { line: 'x', takesBack: true, would }
    render(Confirm, { question, onyes, onno })
    expect(document.activeElement?.textContent).toBe('Leave it')
    expect(screen.getByRole('alertdialog').textContent).toContain('Ann +19.50')
    expect(screen.getByRole('alertdialog').textContent).toContain('second person')
    await fireEvent.keyDown(screen.getByRole('alertdialog'), { key: 'Escape' })
    expect(onno).toHaveBeenCalledOnce()
    await fireEvent.click(screen.getByRole('button', { name: 'Do it' }))
    expect(onyes).toHaveBeenCalledOnce()
  })
})

describe('the margin', () => {
  const clause = (number: string, reading: string | null = null) => ({
    book: 'act-2018',
    number,
    gist: `what ${number} says`,
    reading,
  })
  it('has every clause of what happened, with its words and our reading', async () => {
    const clauses = [clause('4.3', 'we read it so'), clause('8.4', 'and this so')]
    const book = { book: { id: 'act-2018' }, clauses, answers: [] }
    vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify(book))))
    const shoe = { decks: 8, protocol: null, commitment: null, dealt: null, root: null }
    const paid = {
      spot: 'banker',
      stake_cents: 1000,
      won_cents: 950,
      lost_cents: 0,
      commission_cents: 50,
      verdict: 'won',
      mine: true,
    }
    const felt = { paid: [paid] }
    const lists = { notices: [], disputes: [], coups: [], spots: [] }
    const view = { seats: 0, players: [], shoe, coup: 1, felt, ...lists }
    const settled = {
      form: 1,
      at: 0,
      kind: 'settled',
      weight: 'play',
      what: 'Guest 7 wins 9.50 with 10 on banker',
      spot: 'banker',
      amount_cents: 1000,
      mine: true,
      cards: [],
      clauses: ['act-2018 4.3', 'act-2018 8.4'],
      postings: [],
      fact: null,
    }
    const props = { view: view as unknown as TableView, witness: null, table: 't1' }
    const events = [settled as EventView]
    render(Margin, { props: { ...props, events, part: 'why' } })
    // What became of my own wager is said to me, in the words of the page.
    const said = await screen.findByText('You win 9.50 on Banker, commission 0.50.')
    const item = said.closest('li') as HTMLElement
    await within(item).findByText('what 4.3 says')
    expect(item.textContent).toContain('we read it so')
    expect(item.textContent).toContain('what 8.4 says')
    expect(item.textContent).toContain('and this so')
    expect(within(item).getByText('act-2018 8.4').getAttribute('href')).toBe('/book/act-2018#8.4')
    vi.unstubAllGlobals()
  })
})

it('the margin says you to whom it is about, and the names of others', () => {
  const shoe = { decks: 8, protocol: null, commitment: null, dealt: null, root: null }
  const lists = { notices: [], disputes: [], coups: [], spots: [] }
  const players = [{ player: 'Bo', me: true, seat: 1, present: true }]
  const view = { seats: 1, players, shoe, coup: 1, felt: { paid: [] }, ...lists }
  const told = (what: string, mine: boolean): EventView => ({
    form: 1,
    at: 0,
    kind: 'passed',
    weight: 'play',
    what,
    mine,
    cards: [],
    clauses: ['tas-2013 9.1'],
    postings: [],
    fact: null,
  })
  vi.stubGlobal('fetch', () => Promise.reject(new Error('nobody')))
  const events = [told("Banker's cards go to Bo", true), told("Player's cards go to Ann", false)]
  const given = { view: view as unknown as TableView, witness: null, table: 't1', events }
  render(Margin, { props: { ...given, part: 'why' } })
  expect(screen.getByText("Banker's cards go to you")).toBeTruthy()
  expect(screen.getByText("Player's cards go to Ann")).toBeTruthy()
  vi.unstubAllGlobals()
})

describe('the tray', () => {
  const props = () => ({
    chips: [500, 1000, 2500],
    chip: 1000,
    open: true,
    canRebet: true,
    canDouble: true,
    staked: false,
    rebet: 0,
    canUndo: false,
    onchip: vi.fn(),
    onundo: vi.fn(),
    onclear: vi.fn(),
    ondouble: vi.fn(),
    onrebet: vi.fn(),
  })
  it('has one stop for its chips, and arrows choose', async () => {
    const given = props()
    render(Tray, given)
    const chips = screen.getAllByRole('radio')
    expect(chips.map((chip) => chip.getAttribute('tabindex'))).toEqual(['-1', '0', '-1'])
    await fireEvent.keyDown(chips[1] as Element, { key: 'ArrowRight' })
    expect(given.onchip).toHaveBeenLastCalledWith(2500)
    await fireEvent.keyDown(chips[2] as Element, { key: 'ArrowRight' })
    expect(given.onchip).toHaveBeenLastCalledWith(500)
  })
  it('reads an amount, says where it cannot, and goes back to the last chip', async () => {
    const given = props()
    const { rerender } = render(Tray, given)
    const field = screen.getByLabelText('Other amount')
    const typing = async (value: string) => {
      await fireEvent.input(field, { target: { value } })
      const chip = given.onchip.mock.lastCall?.[0] as number
      await rerender({ ...given, chip })
      return [chip, field.getAttribute('aria-invalid')]
    }
    expect(await typing('1,000')).toEqual([100_000, 'false'])
    expect(await typing('4')).toEqual([400, 'false'])
    expect(await typing('')).toEqual([1000, 'false'])
    for (const wrong of ['abc', '0', '-5', '12.345']) {
      await typing('40')
      expect(await typing(wrong)).toEqual([1000, 'true'])
      expect(screen.getByText(/This is no amount.*The chip is 10\./)).toBeTruthy()
    }
  })
  it('keeps a button that can do nothing now, and the keys on it', async () => {
    const given = props()
    render(Tray, given)
    const clear = screen.getByRole('button', { name: 'Clear' })
    expect(clear.getAttribute('aria-disabled')).toBe('true')
    clear.focus()
    await fireEvent.click(clear)
    expect(given.onclear).not.toHaveBeenCalled()
    expect(document.activeElement).toBe(clear)
  })
})

describe('a seat', () => {
  it('is not taken with an amount that cannot be read', async () => {
    const order = vi.fn(() => Promise.resolve())
    const onsomebody = vi.fn(() => Promise.resolve())
    const view = { seats: 2, players: [] } as unknown as TableView
    const client = { order } as unknown as TableClient
    render(SeatPanel, { view, client, ondone: vi.fn(), onsomebody })
    const field = screen.getByLabelText('Chips to bring')
    const sit = () => fireEvent.click(screen.getByRole('button', { name: 'Sit down' }))
    await fireEvent.input(field, { target: { value: 'abc' } })
    await sit()
    expect(order).not.toHaveBeenCalled()
    expect(field.getAttribute('aria-invalid')).toBe('true')
    expect(screen.getByRole('alert').textContent).toContain('This is no amount')
    await fireEvent.input(field, { target: { value: '1,000' } })
    await sit()
    await vi.waitFor(() => expect(order).toHaveBeenCalledWith('sits at 1 with 1000'))
  })
})

describe('a refusal', () => {
  const problem = (clauses: string[], instead = 'sit elsewhere') => ({
    type: '',
    status: 422,
    code: 'x',
    title: 'seat 3 is taken',
    instead,
    clauses,
  })
  it('carries its reason: the clause, its gist, our reading, and the way to the book', async () => {
    const of = (book: string, gist: string) => ({
      book,
      number: '3.4',
      gist,
      reading: 'we read it so',
    })
    // The clause of the same number in the book that this one amends is another.
    const clauses = [of('nz-1998', 'one player a seat'), of('act-2012', 'two players a seat')]
    const book = { book: { id: 'nz-1998' }, clauses, answers: [] }
    vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify(book))))
    render(Refusal, { problem: problem(['nz-1998 3.4']) })
    const alert = screen.getByRole('alert')
    expect(alert.textContent).toContain('seat 3 is taken; sit elsewhere')
    expect(within(alert).getByText('Why?').tagName).toBe('SUMMARY')
    await within(alert).findByText('one player a seat')
    expect(alert.textContent).toContain('we read it so')
    expect(within(alert).getByText('nz-1998 3.4').getAttribute('href')).toBe('/book/nz-1998#3.4')
    vi.unstubAllGlobals()
  })
  it('without a clause has none to show, and says nothing twice', () => {
    render(Refusal, { problem: problem([], 'is taken') })
    expect(screen.getByRole('alert').textContent?.trim()).toBe('seat 3 is taken')
    expect(screen.queryByText('Why?')).toBeNull()
  })
  it('of a line that was said has its reason beside it, and is there until it is closed', async () => {
    const visit = { notice: problem(['nz-1998 3.4']), witness: {}, client: null }
    vi.stubGlobal('fetch', () => Promise.reject(new Error('nobody')))
    render(Banners, { visit: visit as unknown as Visit })
    expect(screen.getByRole('alert').textContent).toContain('seat 3 is taken; sit elsewhere')
    expect(within(screen.getByRole('alert')).getByText('Why?').tagName).toBe('SUMMARY')
    await fireEvent.click(screen.getByRole('button', { name: 'Close' }))
    expect(visit.notice).toBeNull()
    vi.unstubAllGlobals()
  })
  it('of a seat stands where the seat is chosen, also one that was tried before', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new Error('nobody')))
    const order = vi.fn(() => Promise.reject(new Refused(problem(['nz-1998 3.4']))))
    const view = { seats: 2, players: [] } as unknown as TableView
    const client = { order } as unknown as TableClient
    const onsomebody = () => Promise.resolve()
    const refused = problem([], 'now')
    render(SeatPanel, { view, client, ondone: vi.fn(), onsomebody, refused })
    expect(screen.getByRole('alert').textContent).toContain('seat 3 is taken; now')
    await fireEvent.click(screen.getByRole('button', { name: 'Sit down' }))
    await screen.findByText('Why?')
    expect(screen.getAllByRole('alert').length).toBe(1)
    vi.unstubAllGlobals()
  })
})

describe('a spot', () => {
  const laid = { player: 'Ann', mine: false, spot: 'banker', place: 1, stake_cents: 1000 }
  const pays = [{ when: 'it wins', price: '1:1 less 5%', clause: 'act-2018 8.4' }]
  const spot = { spot: 'banker', name: 'Banker', group: 'main', clause: '', pays, laid: [laid] }
  const props = (more: object) => ({
    spot: { ...spot, laid_cents: 1000 },
    name: 'Banker',
    main: true,
    open: false,
    closed: false,
    sitting: false,
    live: true,
    staff: false,
    chip: 500,
    chips: [500],
    accepted: 0,
    sending: 0,
    paid: [],
    refused: null,
    onbet: vi.fn(),
    onwhy: vi.fn(),
    edge: 'middle' as const,
    ...more,
  })
  it('is no button for staff, and what lies there is not theirs', () => {
    render(Spot, props({ staff: true, live: false, accepted: 1000 }))
    expect(screen.queryByRole('button')).toBeNull()
    const label = screen.getByRole('group').getAttribute('aria-label') ?? ''
    expect(label).toContain('bets 10.00')
    expect(label).not.toMatch(/your bet|others/)
  })
  it('leads whoever watches to a seat, and says so to the keys', () => {
    render(Spot, props({}))
    expect(screen.getByRole('button', { name: /pays/ }).getAttribute('aria-disabled')).toBe('false')
  })
  it('says whose bets lie there, and leads to the list of them', async () => {
    const given = props({ sitting: true })
    const seat = { ...laid, player: 'Bo', stake_cents: 2500 }
    const mine = { ...laid, player: 'me', mine: true, stake_cents: 500 }
    const spotWith = { ...given.spot, laid: [laid, seat, mine] }
    render(Spot, { ...given, spot: spotWith })
    const label = screen.getByRole('button', { name: /pays/ }).getAttribute('aria-label') ?? ''
    expect(label).toContain('others 35. Ann 10, Bo 25')
    await fireEvent.click(screen.getByRole('button', { name: 'Whose bets lie here: Banker' }))
    expect(given.onwhy).toHaveBeenCalledOnce()
    const view = { spots: [spotWith], felt: { paid: [] } } as unknown as TableView
    render(SpotWhy, { view, spot: 'banker' })
    const rows = within(screen.getByTestId('laid')).getAllByRole('listitem')
    expect(rows.map((row) => row.textContent?.trim())).toEqual(['Ann10.00', 'Bo25.00', 'you5.00'])
  })
  it('has a way to close a refusal', async () => {
    const ondismiss = vi.fn()
    const problem = { type: '', status: 422, code: 'x', title: 'no', clauses: [], instead: '5' }
    render(Spot, props({ refused: problem, ondismiss }))
    await fireEvent.click(screen.getByRole('button', { name: 'Close' }))
    expect(ondismiss).toHaveBeenCalledOnce()
  })
})
