/** The Chinese page says in Chinese what the server says in English, and the English page says that. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { tell } from '../src/lib/speech'
import { en } from '../src/lib/texts/en'
import { zh } from '../src/lib/texts/zh'
import type { Asked, EventView, Lawful, Problem, TableView } from '../src/lib/types'

const reference = (name: string) => readFileSync(`../docs/reference/${name}.md`, 'utf8')
/** Every kind of event at a table, from the reference of the log. */
const kinds = (() => {
  const facts = reference('facts').split('## `table/3`')[1] ?? ''
  const rows = (facts.split('### Fact')[1] ?? '').split('### Leg')[0] ?? ''
  return [...rows.matchAll(/^\| `\{?"([a-z-]+)"/gm)].map((row) => row[1] ?? '')
})()
const codes = [...reference('refusals').matchAll(/^\| `([a-z-]+)` \| (.+) \|$/gm)].map(
  (row) => row[1] ?? '',
)

/** What a Chinese sentence may have of other letters: names, books and clauses, and quotations. */
function foreign(text: string): string[] {
  const bare = text
    .replace(/“[^”]*”/g, '')
    .replace(/\b(Ann|Bo|O'Brien)\b/g, '')
    .replace(/\b(act|tas|vic|nz)-\d{4}\b/g, '')
    .replace(/(红桃|方块|梅花|黑桃)[AJQK]/g, '')
  return bare.match(/[A-Za-z]+/g) ?? []
}
const chinese = (text: string) => {
  expect(text).toMatch(/\p{Script=Han}/u)
  expect(foreign(text), text).toEqual([])
  expect(text).not.toMatch(/undefined|null|NaN|\[object/)
}

type Sample = [fact: unknown, more?: Partial<EventView>, what?: string]
const ann = { player: 'Ann' }
const limits = { limits: ['main', { least: 1000, most: 50000, step: 500 }] }
const wager = { player: 0, spot: 'banker', place: 3, amount: 5000, stake: 5000 }
const laid = { ...ann, spot: 'banker', amount_cents: 5000 }
const stack = (cents: number) => ({ account: 'stack', player: 'Ann', gained_cents: cents })
/** Facts as the log has them, with what the server reads out of them. */
const SAMPLES: Record<string, Sample[]> = {
  opened: [[{ book: 'vic-2005', base: 'act-2018' }], [{ book: 'act-2018', base: null }]],
  kept: [
    ...['cards', 'bank', 'inspector', 'method', 'best-pair', 'face', 'tableau'].map(
      (rule): Sample => [rule],
    ),
    [{ 'side-bets': 'pairs' }],
    [{ 'side-bet-areas': 'dragon' }],
  ],
  ticked: [[null]],
  posted: [
    [limits],
    [{ differential: 30000 }],
    [{ liability: 10000 }],
    [{ chips: [500, 2500] }],
    [{ sharing: 3 }],
    [{ 'cap-areas': null }],
    [{ 'cap-areas': 'Ann' }],
    ['lift-cap'],
    [{ lift: 'differential' }],
    [{ offer: 'pairs=perfect' }],
    [{ withdraw: 'dragon' }],
    [{ 'face-down': true }],
    [{ method: 'half-on-six' }],
    ['closing'],
  ],
  sign: [['Commission method'], ['Federal Baccarat']],
  'notice-given': [
    [{ posting: limits, from: null }],
    [{ posting: 'closing', from: null }],
    [{ posting: { method: 'commission' }, from: 600000000 }],
  ],
  'took-effect': [[limits], [{ offer: 'dragon' }]],
  consented: [[null]],
  'personal-limits': [
    [{ player: 0, group: 'main', least: null, most: 20000 }, ann],
    [{ player: 0, group: 'tie', least: 500, most: 20000 }, ann],
  ],
  arrived: [
    [
      { name: 'Ann', seat: 1, standing: false, chips: 50000 },
      { ...ann, amount_cents: 50000 },
    ],
    [
      { name: 'seat 2', seat: 2, standing: true, chips: 50000 },
      { player: 'behind seat 2', amount_cents: 50000 },
    ],
  ],
  left: [
    [0, ann],
    [0, { player: 'seat 3' }],
  ],
  excluded: [
    [[0, 'of past posting'], ann],
    [[0, 'not shown'], ann],
  ],
  'seat-required': [[0, ann]],
  vacated: [[null]],
  'riffle-asked': [[0, ann]],
  'riffle-approved': [[null]],
  'checked-by': [['dealer'], ['supervisor'], ['device']],
  prepared: [
    'checked',
    'spread',
    'inspected',
    'washed',
    'stacked',
    'riffled',
    'shuffled',
    'pre-shuffled',
    'checked-after',
    'spread-after',
  ].map((step): Sample => [step]),
  'cut-offered': [[{ player: 0 }, ann], [{ staff: 'inspector' }]],
  'cut-declined': [[0, ann]],
  cut: [
    [{ by: { player: 0 }, depth: 208 }, ann],
    [{ by: { staff: 'supervisor' }, depth: 208 }],
    [{ by: { staff: 'employee' }, depth: 208 }],
  ],
  'cutting-card-placed': [[14]],
  burned: [[{ shown: '5h', further: 5 }, { cards: ['5h'] }], [{ shown: null, further: 0 }]],
  'burn-short': [[{ missing: 2 }]],
  'burned-more': [[2]],
  'burn-skipped': [[null]],
  'shoe-ready': [[null]],
  replaced: [[null]],
  'shuffle-due': [[null]],
  placed: [
    [wager, laid],
    [wager, laid, 'Ann adds 50 on banker at 3, 80 in all'],
  ],
  returned: [
    'over-maximum',
    'under-minimum',
    'exposure',
    'unpayable',
    'no-bet-coup',
    'new-shoe',
    'reopened',
    'excluded',
    'void',
    'taken-back',
  ].map((why): Sample => [{ ...wager, why }, laid]),
  moved: [
    [
      { ...wager, from: 'banker', to: 'player-pair' },
      { ...laid, spot: 'player-pair' },
    ],
  ],
  'let-stand': [[null]],
  'claim-waived': [[[0, 'dragon'], ann]],
  advised: [
    [[0, 'under-minimum'], ann],
    [[0, 'over-maximum'], ann, 'Ann is told: above the maximum, 200 of 300 is at risk'],
    [[0, 'over-maximum'], { ...ann, mine: true }],
    [[0, 'abstaining'], ann],
    [[0, 'closing'], ann],
    [[0, 'change'], ann],
  ],
  'both-sides-approved': [[0, ann]],
  'no-bet-asked': [[0, ann]],
  'no-bet-answered': [
    [[0, true], ann],
    [[0, false], ann],
  ],
  'no-bet-directed': [['asked'], ['nobody-there'], ['seen-card'], ['all-off']],
  'optional-coups': [[5]],
  'face-down-asked': [[0, ann]],
  'management-informed': [[null]],
  'surveillance-informed': [[null]],
  called: [['No more bets'], ['Last hand'], ['Standoff'], ['Something else']],
  'bets-opened': [[null]],
  'bets-closed': [[null]],
  'coup-began': [
    [{ number: 3, no_bet: null, last: false }],
    [{ number: 3, no_bet: 'asked', last: true }],
  ],
  dealt: [
    [
      { side: 'player', card: 'Kh', shown: true },
      { hand: 'player', cards: ['Kh'] },
    ],
    [{ side: 'banker', card: null, shown: false }, { hand: 'banker' }],
  ],
  passed: [[['player', 0], { ...ann, hand: 'player' }]],
  'cards-refused': [[['banker', 0], { ...ann, hand: 'banker' }]],
  turned: [
    [
      { index: 1, card: 'Td' },
      { hand: 'banker', cards: ['Td'] },
    ],
    [{ index: 1, card: 'Td' }, { cards: ['Td'] }],
  ],
  totals: [[{ player: 9, banker: 5 }]],
  'pairs-judged': [
    [{ player: true, banker: false }],
    [{ player: false, banker: false }],
    [{ player: true, banker: true }],
  ],
  natural: [[null]],
  'three-already': [['player', { hand: 'player' }]],
  stands: [['banker', { hand: 'banker' }]],
  'given-to-banker': [
    ['5h', { hand: 'banker', cards: ['5h'] }],
    [null, { hand: 'banker' }],
  ],
  'out-of-sequence': [['banker', { hand: 'banker' }]],
  reconstructed: [[null]],
  rearranged: [
    [
      [
        [1, 'player'],
        [0, 'banker'],
      ],
      {},
      'dealt again: 10d to Player, unseen to Banker',
    ],
    [[[1, 'player']], {}, 'the cards are dealt again as they left the shoe'],
  ],
  'third-moved': [['player', { hand: 'player' }]],
  suspended: [['out-of-sequence'], ['changes'], ['wrong-person']],
  resumed: [[null]],
  excess: [[{ card: '2h' }, { cards: ['2h'] }], [{ card: null }]],
  'excess-not-used': [[null]],
  'found-face-up': [['5h', { cards: ['5h'] }]],
  result: [[{ won: 'player' }], ['tie']],
  settled: [
    [{ ...wager, verdict: { won: { net: 4750, commission: 250 } } }, laid],
    [{ ...wager, verdict: 'lost' }, laid],
    [
      { ...wager, verdict: 'kept' },
      { ...laid, mine: true },
    ],
  ],
  lies: [[wager, laid]],
  'error-found': [[{ number: 1 }]],
  reopened: [[{ number: 1 }]],
  relaid: [[wager, laid]],
  'coup-ended': [[{ number: 1, outcome: 'tie' }], [{ number: 1, outcome: null }]],
  voided: [
    [{ number: 1, why: 'a card fell' }],
    [{ number: 1, why: 'it cannot be reconstructed' }],
    [{ number: 1, why: 'not shown' }],
  ],
  reversed: [
    [
      { player: 0, number: 1 },
      { ...ann, postings: [stack(10000)] },
    ],
    [
      { player: 0, number: 1 },
      { ...ann, postings: [stack(-10000)] },
    ],
    [
      { player: 0, number: 1 },
      { ...ann, postings: [{ account: 'receivable', player: 'Ann', gained_cents: -500 }] },
    ],
  ],
  'cutting-card-out': [[{ first: true }], [{ first: false }]],
  'coups-left': [[1], [2]],
  'one-more-round': [[null]],
  'no-more-round': [[null]],
  'cutting-card-seen': [[null]],
  disputed: [[[0, 4], ann]],
  'dispute-decided': [[{ number: 1, decision: 'it stands' }]],
  'dispute-reviewed': [[{ number: 1, decision: 'the round is void' }]],
  decided: [["Ann's wagers are void: she touched the cards"], ['coup 1 stands']],
  adjusted: [
    [{ player: 0, cents: -5000 }, ann],
    [{ player: 0, cents: 5000 }, ann],
    [{ player: 0, cents: 0 }, ann, '400 still owed by Ann'],
    [{ player: 0, cents: 0 }, ann, 'nothing is open any more between Ann and the table'],
  ],
  'rules-asked': [[0, ann]],
  'rules-given': [[null]],
  'inspector-left': [[null]],
  'inspector-back': [[null]],
  closed: [[null]],
  away: [[0, ann]],
  back: [
    [0, ann, 'Ann is in seat 2'],
    [0, ann],
  ],
  'in-again': [
    [0, ann, 'Ann sits at 1 again with 300'],
    [0, ann],
  ],
  'opened-again': [[null]],
  'wager-corrected': [
    [{ ...wager, from: 0, to: 5000 }, laid],
    [
      { ...wager, from: 5000, to: 0 },
      { ...laid, amount_cents: 0 },
    ],
  ],
  'card-corrected': [[{ index: 3, card: '7s' }, { cards: ['7s'] }]],
  'seat-corrected': [[{ player: 0, seat: 4 }, ann]],
}
const event = (kind: string, [fact, more, what]: Sample): EventView => ({
  form: 1,
  at: 0,
  kind,
  weight: 'play',
  what: what ?? `the server's own words of ${kind}`,
  mine: false,
  cards: [],
  clauses: [],
  postings: [],
  fact: fact === null && more === undefined ? kind : { [kind]: fact },
  ...more,
})

describe('a ruling', () => {
  it('has a sample for every kind of event', () => {
    expect(kinds.length).toBeGreaterThan(90)
    expect(kinds.filter((kind) => !SAMPLES[kind])).toEqual([])
  })
  it.each(kinds)('%s is told in Chinese, and in English in the server’s words', (kind) => {
    for (const sample of SAMPLES[kind] ?? []) {
      const told = event(kind, sample)
      chinese(zh.ruling(told))
      expect(en.ruling(told)).toBe(told.what)
    }
  })
  it('says amounts, cards, spots and players as the page does', () => {
    const say = (kind: string, n = 0) => zh.ruling(event(kind, SAMPLES[kind]?.[n] ?? [null]))
    expect(say('settled')).toBe('Ann 在庄赢 47.50（注码 50，抽水 2.50）')
    expect(say('settled', 2)).toBe('您在庄的 50 退回，不输不赢')
    expect(say('placed', 1)).toBe('Ann 在 3 号位庄加注 50，共 80')
    expect(say('left', 1)).toBe('3 号座离开')
    expect(say('found-face-up')).toBe('红桃5 在牌靴中牌面朝上')
    expect(say('rearranged')).toBe('按出牌顺序重新归位：闲方块10、庄暗牌')
    expect(say('reversed', 2)).toBe('第 1 局的结算撤销：Ann 的筹码不变，Ann 尚欠 5')
    expect(say('voided')).toBe('第 1 局作废：“a card fell”')
  })
  it('stays in the server’s words where a field is missing, or nobody knows the kind', () => {
    const bare = (kind: string) => event(kind, [{}, {}])
    expect(zh.ruling(bare('settled'))).toBe("the server's own words of settled")
    expect(zh.ruling(bare('result'))).toBe("the server's own words of result")
    expect(zh.ruling(bare('something-new'))).toBe("the server's own words of something-new")
  })
  it('is spoken in the same words', () => {
    const hand = { cards: [], total: null }
    const after = {
      felt: { coup: 1, player: hand, banker: hand, paid: [] },
      spots: [],
      asked: [],
      players: [],
    } as unknown as TableView
    const events = [
      event('found-face-up', ['5h', { cards: ['5h'] }, '5h lies face up in the shoe']),
    ]
    expect(tell(events, after, zh)).toEqual(['红桃5 在牌靴中牌面朝上。'])
    expect(tell(events, after, en)).toEqual(['5♥ lies face up in the shoe.'])
  })
})

describe('a refusal', () => {
  const problem = (code: string, title: string, instead: string): Problem => ({
    type: '',
    status: 422,
    code,
    title,
    instead,
    clauses: ['act-2018 4.6'],
  })
  const put = (code: string, title: string, instead: string) => {
    const { title: what, instead: then } = zh.refusal(problem(code, title, instead))
    return [what, then]
  }
  it.each(codes)('%s is told in Chinese, and in English in the server’s words', (code) => {
    const told = problem(code, 'what nobody foresaw', 'what would do')
    const { title, instead, clauses } = zh.refusal(told)
    chinese(title)
    chinese(instead)
    expect(clauses).toEqual(told.clauses)
    expect(en.refusal(told)).toBe(told)
  })
  it('has the numbers and the spots of its words', () => {
    expect(codes.length).toBeGreaterThan(70)
    expect(put('both-sides', 'Ann on Banker and on Player', 'allowed: one of them')).toEqual([
      '不能同时投注庄和闲',
      '请只选一个',
    ])
    expect(
      put('under-minimum', '5 on lucky-6 is below the minimum of 10', 'allowed: 10 or more'),
    ).toEqual(['幸运六的 5 低于下限 10', '至少 10'])
    expect(
      put('area-cap', '10 more on banker at 1 passes the table maximum of 1000', 'allowed: 0'),
    ).toEqual(['1 号位庄再加 10 超过台面上限 1,000', '不能再加'])
    expect(put('not-enough-chips', 'Ann has 40, not 50', 'allowed: less')).toEqual([
      '筹码有 40，不够 50',
      '请减少金额',
    ])
    expect(put('wrong-card', '6h before Th, which waits', 'Th comes first')).toEqual([
      '红桃10 应在红桃6 之前',
      '先出红桃10',
    ])
    expect(
      put('not-theirs', 'the dealer may not do this', 'allowed: operator, supervisor'),
    ).toEqual(['荷官不能这样做', '由经营者、主管来做'])
  })
  it('keeps in quotation marks what only the words say', () => {
    const [what] = put('wrong-moment', 'raising the limits now', 'allowed once')
    expect(what).toBe('现在不能这样做：“raising the limits now”')
  })
  it('stays as it is where the page made it, or nobody knows the code', () => {
    const own = problem('offline', zh.problem.offline, zh.problem.offlineInstead)
    expect(zh.refusal(own)).toBe(own)
    const twice = zh.refusal(problem('betting-closed', 'no more bets was called', 'x'))
    expect(zh.refusal(twice)).toEqual(twice)
  })
})

describe('what is asked, what can be done, and the sign', () => {
  const source = (name: string) => readFileSync(`../crates/view/src/${name}.rs`, 'utf8')
  /** The words in the server's source, with something in their gaps. */
  const filled = (text: string) =>
    text
      .replaceAll('{side}', 'Player')
      .replaceAll('{name}', 'Ann')
      .replaceAll('{who}', 'Ann')
      .replaceAll('{what}', 'third card')
      .replace(/^\{\} cuts/, 'Ann cuts')
      .replace(/\{\}$/, '7')
      .replace(/\{\w+\}/g, '7')
  it('is Chinese for everything that is due', () => {
    const body = source('asked').split('fn words(')[1]?.split('/// How the player')[0] ?? ''
    const said = [...body.matchAll(/"([a-z{][^"]*)"/g)].map((found) => filled(found[1] ?? ''))
    const parts = ['third card', 'cards', 'the dealer']
    const all = said.filter((what) => !parts.includes(what))
    const cutters = ['a supervisor cuts', 'an employee cuts', 'the inspector cuts']
    expect(all.length).toBeGreaterThan(12)
    for (const what of [...all, ...cutters, 'wagers are open']) {
      const one: Asked = { role: 'player', mine: false, player: 'Ann', what, clauses: [] }
      chinese(zh.asked(one))
      expect(en.asked(one)).toBe(what)
    }
  })
  it('is Chinese for every lawful act', () => {
    const body = source('lawful').split('fn due_words')[1] ?? ''
    const calls = body.matchAll(
      /(?:attempt\(|plain\(role, |lacking\(role, |=> |let what = |\(|format!\()\s*(?:format!\()?"([a-z{][^"]*)"/g,
    )
    const all = [...calls].map((found) => filled(found[1] ?? ''))
    expect(all.length).toBeGreaterThan(60)
    for (const what of all.filter((one) => one !== '7')) {
      const line = what.startsWith('take back') ? 'Ann takes back lucky-6' : 'Ann bets 7 on tie'
      const one: Lawful = { what, line, due: false, clauses: [] }
      chinese(zh.act(one))
      expect(en.act(one)).toBe(what)
    }
  })
  it('is Chinese for the lines of a sign, in either form', () => {
    expect(zh.signLine('Banker and Player 10..500 by 5', limits)).toBe('庄与闲限红 10–500，每 5')
    const lines = [
      'Banker and Player 10..500 by 5',
      'Dragon Bonus 5..100',
      'a differential of 300',
      'a liability of 2.50',
      'chips of 5, 25, 100',
      '3 players on an area',
      'the wagers on an area come to the maximum at most',
      "Ann's wagers on an area, with others so named, come to the maximum at most",
      'areas are not capped',
      'no differential',
      'no Dragon Bonus',
      'Lucky 6',
      'cards face down',
      'the half on six method',
      'closing',
    ]
    for (const line of lines) {
      chinese(zh.signLine(line))
      expect(en.signLine(line)).toBe(line)
    }
  })
  it('is Chinese for every case in which a book or a sheet pays', () => {
    const files = ['act-2012', 'act-2018', 'nz-1998', 'tas-2013', 'vic-2005']
      .map((book) => `../rulebooks/${book}/rulebook.toml`)
      .concat(
        ['big-small', 'dragon-7', 'egalite', 'either-pair', 'lucky-6', 'natural'].map(
          (sheet) => `../sidebets/${sheet}.toml`,
        ),
        ['panda-8', 'perfect-pair', 'super-6', 'three-card-six', 'tiger'].map(
          (sheet) => `../sidebets/${sheet}.toml`,
        ),
      )
    const cases = files.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/when = "([^"]+)"/g)].map((row) => row[1] ?? ''),
    )
    const made = ['a win', 'a pair', 'a suited pair', 'a coloured pair', 'anything else']
    expect(cases.length).toBeGreaterThan(40)
    for (const words of [...new Set(cases), ...made]) {
      chinese(zh.when(words))
      expect(en.when(words)).toBe(words)
    }
  })
  it('calls the inspector the same everywhere', () => {
    expect(zh.ask.inspectorAway).toContain(zh.role('inspector'))
    expect(zh.ruling(event('inspector-left', [null]))).toContain(zh.role('inspector'))
  })
})
