/** What happened at a table, in Chinese: a sentence for each kind of event, from its fields. */
import { short } from '../money'
import type { Asked, EventView, Lawful } from '../types'
import {
  METHODS,
  ROLES,
  amount,
  called,
  card,
  group,
  offer,
  quoted,
  say,
  side,
  spot,
} from './zh-words'

type Said = string | null | undefined

/** The fact of an event: what stands behind its kind. */
function fact(event: EventView): unknown {
  const value = event.fact
  if (typeof value !== 'object' || value === null) return value
  return (value as Record<string, unknown>)[event.kind]
}
function field(value: unknown, name: string | number): unknown {
  if (typeof value !== 'object' || value === null) return null
  return (value as Record<string | number, unknown>)[name] ?? null
}
const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const number = (value: unknown): number | null => (typeof value === 'number' ? value : null)
const cents = (value: unknown): string | null => (typeof value === 'number' ? short(value) : null)
/** The word in a list of words; nothing if it is not there. */
const of = (list: Record<string, string>, word: unknown): string | null =>
  typeof word === 'string' ? (list[word] ?? null) : null

/** What stands in the server's sentence and in no field. */
const found = (event: EventView, pattern: RegExp): string | null =>
  pattern.exec(event.what)?.[1] ?? null

const who = (event: EventView): string | null =>
  event.mine ? '您' : event.player ? called(event.player) : null
const hand = (event: EventView): string | null => (event.hand ? side(event.hand) : null)
const where = (event: EventView): string | null => (event.spot ? spot(event.spot) : null)
const sum = (event: EventView): string | null => cents(event.amount_cents)
const shown = (event: EventView): string | null => (event.cards[0] ? card(event.cards[0]) : null)
const coup = (event: EventView): number | null => number(field(fact(event), 'number'))

/** A reason that staff wrote stays in their words. */
const REASONS: Record<string, string> = {
  'it cannot be reconstructed': '无法还原',
  'an error of card placement was found': '发现发牌放置有误',
  'too few cards in the shoe': '牌靴余牌不足',
  'not shown': '（不公开）',
}
const reason = (value: unknown): string | null => {
  const words = text(value)
  return words === null ? null : (REASONS[words] ?? quoted(words.replace(/^of /, '')))
}

const CALLS: Record<string, string> = {
  'No more bets': '停止下注',
  'No bets this hand': '本局不下注',
  'Last hand': '最后一局',
  'Last coup': '最后一局',
  'Tie Hand': '和局',
  Standoff: '不输不赢',
  Baccarat: '零点',
}
const SIGNS: Record<string, string> = {
  'Commission method': '抽水',
  'Non-commission method': '免抽水',
  'method A': '甲种赔付方式',
  'method B': '乙种赔付方式',
  'any multiple': '任意倍数',
}
const KEPT: Record<string, string> = {
  cards: '牌副数与切牌卡符合规则书',
  bank: '由持牌场方坐庄赔付',
  inspector: '巡场在场',
  method: '赔付方式已在告示上',
  'best-pair': '只赔最高一种对子',
  face: '沿用既定的发牌方式',
  tableau: '补牌规则表可供查阅',
}
const CHECKERS: Record<string, string> = {
  dealer: '荷官检查牌',
  supervisor: '主管检查牌',
  device: '设备检查牌',
}
const STEPS: Record<string, string> = {
  checked: '牌已检查',
  spread: '牌已按花色摊开',
  inspected: '玩家已验牌',
  washed: '牌已搓洗',
  stacked: '牌已叠好',
  riffled: '牌已交叠洗过',
  shuffled: '牌已洗好',
  'pre-shuffled': '换入预洗牌',
  'checked-after': '收台后已检查牌',
  'spread-after': '收台后已摊开牌',
}
const RETURNS: Record<string, string> = {
  'over-maximum': '超过上限',
  'under-minimum': '再次低于下限',
  exposure: '超过总额上限',
  unpayable: '赢时无法足额赔付',
  'no-bet-coup': '本局飞牌，不下注',
  'new-shoe': '先洗牌或换牌',
  reopened: '先重新裁定上一局',
  excluded: '玩家已被禁止参与',
  void: '作废',
  'taken-back': '已收回',
}
const NO_BET: Record<string, string> = {
  asked: '下一局飞牌，不下注',
  'nobody-there': '桌边无人，本局飞牌',
  'seen-card': '本局飞牌，从已看见的牌开始',
  'all-off': '注码全部撤下，本局改为飞牌',
}
const SUSPENDED: Record<string, string> = {
  'out-of-sequence': '本局暂停，等待还原牌序',
  changes: '本局暂停，可以更改注码',
  'wrong-person': '本局暂停，可以撤下注码',
}
const LIFTED: Record<string, string> = {
  differential: '不设庄闲差额上限',
  liability: '不设单边总额上限',
}

/** A line of the sign, in the form of the log. */
function line(value: unknown): Said {
  if (value === 'closing') return '关台'
  if (value === 'lift-cap') return '各注区不设合计上限'
  const limits = field(value, 'limits')
  if (limits !== null) {
    const [kind, terms] = [text(field(limits, 0)), field(limits, 1)]
    const step = field(terms, 'step')
    const range = say`${kind && group(kind)}限红 ${cents(field(terms, 'least'))}–${cents(field(terms, 'most'))}`
    return step === null ? range : say`${range}，每 ${cents(step)}`
  }
  const has = (name: string) => field(value, name)
  if (has('differential') !== null) return say`庄闲差额上限 ${cents(has('differential'))}`
  if (has('liability') !== null) return say`单边总额上限 ${cents(has('liability'))}`
  const chips = has('chips')
  if (Array.isArray(chips)) return say`筹码面值 ${chips.map((one) => cents(one)).join('、')}`
  if (has('sharing') !== null) return say`每个注区最多 ${number(has('sharing'))} 人`
  if (has('lift') !== null) return of(LIFTED, has('lift'))
  if (has('offer') !== null) return say`提供${offer(text(has('offer')) ?? '')}`
  if (has('withdraw') !== null) return say`停止提供${group(text(has('withdraw')) ?? '')}`
  if (has('face-down') !== null) return has('face-down') === true ? '暗牌发牌' : '明牌发牌'
  if (has('method') !== null) return say`赔付方式：${of(METHODS, has('method'))}`
  if (typeof value === 'object' && value !== null && 'cap-areas' in value) {
    const name = text(has('cap-areas'))
    return name === null
      ? '每个注区合计不超过台面上限'
      : say`${called(name)}与同样受限者在每个注区合计不超过台面上限`
  }
  return null
}

/** The same from its English words, for a notice, which has no other form. */
function lineOf(words: string): Said {
  const limits = /^(.+) ([\d.,]*\d)\.\.([\d.,]*\d)(?: by ([\d.,]+))?$/.exec(words)
  if (limits) {
    const [, of = '', least = '', most = '', step] = limits
    const range = say`${group(of)}限红 ${amount(least)}–${amount(most)}`
    return step ? say`${range}，每 ${amount(step)}` : range
  }
  const one = /^(?:a (differential|liability) of|(\d+) players on an area)(?: ([\d.,]+))?$/.exec(
    words,
  )
  if (one?.[2]) return line({ sharing: Number(one[2]) })
  if (one?.[1] && one[3]) return line({ [one[1]]: Number(one[3].replaceAll(',', '')) * 100 })
  const chips = /^chips of (.+)$/.exec(words)?.[1]
  if (chips) return say`筹码面值 ${chips.split(', ').map(amount).join('、')}`
  const method = /^the (.+) method$/.exec(words)?.[1]
  if (method) return line({ method: method.replaceAll(' ', '-') })
  const capped = /^(.+)'s wagers on an area, with others/.exec(words)?.[1]
  if (capped) return line({ 'cap-areas': capped })
  const fixed: Record<string, unknown> = {
    closing: 'closing',
    'areas are not capped': 'lift-cap',
    'no differential': { lift: 'differential' },
    'no liability': { lift: 'liability' },
    'cards face down': { 'face-down': true },
    'cards face up': { 'face-down': false },
    'the wagers on an area come to the maximum at most': { 'cap-areas': null },
  }
  if (words in fixed) return line(fixed[words])
  const none = /^no (.+)$/.exec(words)?.[1]
  if (none) return group(none) === none ? null : say`停止提供${group(none)}`
  return group(words) === words ? null : say`提供${group(words)}`
}

function advised(event: EventView): Said {
  const whom = event.mine ? '提示您' : say`已提示${who(event)}`
  switch (field(fact(event), 1)) {
    case 'under-minimum':
      return say`${whom}：注码低于下限，再有将退回`
    case 'over-maximum': {
      const risk = /([\d.,]*\d) of ([\d.,]*\d) is at risk/.exec(event.what)
      return risk
        ? say`${whom}：注码超过上限，${amount(risk[2] ?? '')} 中只有 ${amount(risk[1] ?? '')} 有效`
        : say`${whom}：注码超过上限，只有上限以内有效`
    }
    case 'abstaining':
      return say`已提示员工：${who(event)}久未下注，可要求让座`
    case 'closing':
      return say`${whom}：本桌将关台`
    case 'change':
      return say`${whom}：告示将更改`
    default:
      return null
  }
}

function settled(event: EventView): Said {
  const [stake, verdict] = [cents(field(fact(event), 'stake')), field(fact(event), 'verdict')]
  if (verdict === 'lost') return say`${who(event)}在${where(event)}输 ${stake}`
  if (verdict === 'kept') return say`${who(event)}在${where(event)}的 ${stake} 退回，不输不赢`
  const won = field(verdict, 'won')
  const commission = number(field(won, 'commission')) ?? 0
  const rest = commission > 0 ? `，抽水 ${short(commission)}` : ''
  return say`${who(event)}在${where(event)}赢 ${cents(field(won, 'net'))}（注码 ${stake}${rest}）`
}

function placed(event: EventView): Said {
  const whole = found(event, /, ([\d.,]*\d) in all$/)
  const place = number(field(fact(event), 'place'))
  const more = whole === null ? '' : `，共 ${amount(whole)}`
  return say`${who(event)}在 ${place} 号位${where(event)}${whole === null ? '下注' : '加注'} ${sum(event)}${more}`
}

function reversed(event: EventView): Said {
  const moved = (account: string): number =>
    event.postings
      .filter((posting) => posting.account === account)
      .reduce((total, posting) => total + posting.gained_cents, 0)
  const [stack, open] = [moved('stack'), moved('receivable')]
  const name = who(event)
  const did =
    stack === 0
      ? say`${name}的筹码不变`
      : stack > 0
        ? say`退还${name} ${short(stack)}`
        : say`向${name}收回 ${short(-stack)}`
  const owed =
    open === 0
      ? ''
      : open < 0
        ? say`，${name}尚欠 ${short(-open)}`
        : say`，尚欠${name} ${short(open)}`
  return say`第 ${coup(event)} 局的结算撤销：${did}${owed}`
}

function rearranged(event: EventView): Said {
  const cards = [...event.what.matchAll(/(unseen|\S+) to (Player|Banker)/g)].map(
    ([, which = '', to = '']) =>
      `${side(to.toLowerCase())}${which === 'unseen' ? '暗牌' : card(which.replace(/^10/, 'T'))}`,
  )
  return cards.length === 0 ? '按出牌顺序重新归位' : `按出牌顺序重新归位：${cards.join('、')}`
}

function adjusted(event: EventView): Said {
  const gained = number(field(fact(event), 'cents'))
  if (gained === null) return null
  if (gained > 0) return say`${who(event)}获得 ${short(gained)}`
  if (gained < 0) return say`${who(event)}交出 ${short(-gained)}`
  const open = found(event, /^([\d.,]*\d) still owed by /)
  if (open !== null) return say`${who(event)}尚欠 ${amount(open)}`
  return event.what.startsWith('nothing is open')
    ? say`${who(event)}与本桌已结清`
    : say`${who(event)}的欠款重新核算`
}

function decided(event: EventView): Said {
  const words = text(fact(event))
  if (words === null) return null
  if (words === 'the reconstruction is confirmed') return '员工裁定：确认还原无误'
  const wagers = /^(.+)'s wagers are void: (.+)$/.exec(words)
  return wagers
    ? say`员工裁定：${called(wagers[1] ?? '')}的注码作废，理由 ${reason(wagers[2])}`
    : say`员工裁定：${reason(words)}`
}

const cutBy = (event: EventView, by: unknown): Said =>
  field(by, 'staff') === null ? who(event) : of(ROLES, field(by, 'staff'))

/** A sentence for each kind of event at a table; nothing where a field is missing. */
export const RULINGS: Record<string, (event: EventView) => Said> = {
  opened: (e) => {
    const base = text(field(fact(e), 'base'))
    const over = base === null ? '' : `（以 ${base} 为基础）`
    return say`牌桌按规则书 ${text(field(fact(e), 'book'))} 开台${over}`
  },
  kept: (e) => {
    const what = fact(e)
    const [bets, areas] = [text(field(what, 'side-bets')), text(field(what, 'side-bet-areas'))]
    if (bets !== null) return say`提供${group(bets)}`
    if (areas !== null) return say`${group(areas)}有专用注区，限红应在告示上`
    return of(KEPT, what)
  },
  ticked: () => '时间推移',
  posted: (e) => say`告示：${line(fact(e))}`,
  sign: (e) => {
    const words = text(fact(e))
    return words === null ? null : say`告示写明：${SIGNS[words] ?? quoted(words)}`
  },
  'notice-given': (e) => {
    const posting = field(fact(e), 'posting')
    if (posting === 'closing') return '预告：本桌将关台'
    const from = field(fact(e), 'from') === null ? '以后的局起' : '预告期满后'
    return say`预告：${line(posting)}，${from}生效`
  },
  'took-effect': (e) => say`已生效：${line(fact(e))}`,
  consented: () => '全体玩家同意',
  'personal-limits': (e) => {
    const [least, kind] = [cents(field(fact(e), 'least')), text(field(fact(e), 'group'))]
    const most = cents(field(fact(e), 'most'))
    return least === null
      ? say`${who(e)}的个人上限：${kind && group(kind)} ${most}`
      : say`${who(e)}的个人限红：${kind && group(kind)} ${least}–${most}`
  },
  arrived: (e) => {
    const seat = number(field(fact(e), 'seat'))
    const standing = field(fact(e), 'standing') === true
    const name = e.mine ? '您' : called(e.player ?? text(field(fact(e), 'name')) ?? '')
    return standing
      ? say`${name}站在 ${seat} 号座后，带入 ${sum(e)}`
      : say`${name}坐下：${seat} 号座，带入 ${sum(e)}`
  },
  left: (e) => say`${who(e)}离开`,
  excluded: (e) => say`${who(e)}被禁止参与：${reason(field(fact(e), 1))}`,
  'seat-required': (e) => say`${who(e)}须让出座位`,
  vacated: () => '桌边无人',
  'riffle-asked': (e) => say`${who(e)}要求交叠洗牌`,
  'riffle-approved': () => '已批准交叠洗牌',
  'checked-by': (e) => of(CHECKERS, fact(e)),
  prepared: (e) => of(STEPS, fact(e)),
  'cut-offered': (e) =>
    field(fact(e), 'staff') === null
      ? say`请${who(e)}切牌`
      : say`没有玩家切牌，由${cutBy(e, fact(e))}切牌`,
  'cut-declined': (e) => say`${who(e)}不切牌`,
  cut: (e) =>
    say`${cutBy(e, field(fact(e), 'by'))}在第 ${number(field(fact(e), 'depth'))} 张后切牌`,
  'cutting-card-placed': (e) => say`切牌卡已放入，其后有 ${number(fact(e))} 张牌`,
  burned: (e) =>
    field(fact(e), 'shown') === null
      ? '已烧牌'
      : say`烧牌：亮出${shown(e)}，再烧 ${number(field(fact(e), 'further'))} 张`,
  'burn-short': (e) => say`少烧了 ${number(field(fact(e), 'missing'))} 张，首局开始前可以补烧`,
  'burned-more': (e) => say`补烧 ${number(fact(e))} 张`,
  'burn-skipped': () => '漏了烧牌，牌局照常进行',
  'shoe-ready': () => '牌靴已备好',
  replaced: () => '换牌',
  'shuffle-due': () => '下一局之前洗牌',
  placed,
  returned: (e) =>
    say`${where(e)}的 ${sum(e)} 退回${who(e)}：${of(RETURNS, field(fact(e), 'why'))}`,
  moved: (e) => {
    const [from, to] = [text(field(fact(e), 'from')), text(field(fact(e), 'to'))]
    return say`${who(e)}把 ${sum(e)} 从${from && spot(from)}移到${to && spot(to)}`
  },
  'let-stand': () => '荷官保留台面注码',
  'claim-waived': (e) => say`${who(e)}放弃优先权`,
  advised,
  'both-sides-approved': (e) => say`${who(e)}可同时投注庄和闲`,
  'no-bet-asked': (e) => say`${who(e)}要求飞牌（本局不下注）`,
  'no-bet-answered': (e) =>
    field(fact(e), 1) === true ? say`${who(e)}同意飞牌` : say`${who(e)}不同意飞牌`,
  'no-bet-directed': (e) => of(NO_BET, fact(e)),
  'optional-coups': (e) => say`可以有 ${number(fact(e))} 局无人下注`,
  'face-down-asked': (e) => say`${who(e)}要求暗牌发牌`,
  'management-informed': () => '已通知管理层',
  'surveillance-informed': () => '已通知监控部门',
  called: (e) => {
    const words = text(fact(e))
    return words === null ? null : say`荷官宣布：${CALLS[words] ?? quoted(words)}`
  },
  'bets-opened': () => '可以下注',
  'bets-closed': () => '停止下注',
  'coup-began': (e) => {
    const fly = field(fact(e), 'no_bet') === null ? '' : '，飞牌'
    const last = field(fact(e), 'last') === true ? '，本靴最后一局' : ''
    return say`第 ${coup(e)} 局开始${fly}${last}`
  },
  dealt: (e) => (e.cards[0] ? say`${hand(e)}：${shown(e)}` : say`${hand(e)}：一张暗牌`),
  passed: (e) => say`${hand(e)}牌交给${who(e)}翻开`,
  'cards-refused': (e) => say`${who(e)}不翻${hand(e)}牌`,
  turned: (e) => (e.hand ? say`翻开${hand(e)}牌：${shown(e)}` : say`翻开${shown(e)}`),
  totals: (e) =>
    say`闲 ${number(field(fact(e), 'player'))} 点，庄 ${number(field(fact(e), 'banker'))} 点`,
  'pairs-judged': (e) => {
    const pairs = [field(fact(e), 'player'), field(fact(e), 'banker')]
    if (pairs.some((pair) => typeof pair !== 'boolean')) return null
    const names = ['闲对', '庄对'].filter((_, i) => pairs[i] === true)
    return names.length === 0 ? '没有对子' : names.join('、')
  },
  natural: () => '天牌，双方不补牌',
  'three-already': (e) => say`${hand(e)}已有三张牌`,
  stands: (e) => say`${hand(e)}不补牌`,
  'given-to-banker': (e) =>
    e.cards[0] ? say`${shown(e)}不应补给闲，归庄` : '此牌不应补给闲，归庄',
  'out-of-sequence': (e) => say`一张牌误发到${hand(e)}，次序有误`,
  reconstructed: () => '已按出牌顺序还原',
  rearranged,
  'third-moved': (e) => say`第三张牌移到${hand(e)}`,
  suspended: (e) => of(SUSPENDED, fact(e)),
  resumed: () => '本局继续',
  excess: (e) =>
    e.cards[0] ? say`多发了${shown(e)}，已亮出` : '多发一张未亮的牌，作为下一局的第一张',
  'excess-not-used': () => '多发的牌不用',
  'found-face-up': (e) => say`${shown(e)}在牌靴中牌面朝上`,
  result: (e) => {
    if (fact(e) === 'tie') return '和局'
    const won = text(field(fact(e), 'won'))
    return say`${won && side(won)}赢`
  },
  settled,
  lies: (e) => say`${who(e)}在${where(e)}的 ${sum(e)} 不输不赢，留到下一局`,
  'error-found': (e) => say`第 ${coup(e)} 局发牌有误，等待更正`,
  reopened: (e) => say`第 ${coup(e)} 局重新裁定，原结算撤销`,
  relaid: (e) => say`${who(e)}的 ${sum(e)} 重新押在${where(e)}`,
  'coup-ended': (e) =>
    field(fact(e), 'outcome') === null
      ? say`第 ${coup(e)} 局结束，作废`
      : say`第 ${coup(e)} 局结束`,
  voided: (e) => say`第 ${coup(e)} 局作废：${reason(field(fact(e), 'why'))}`,
  reversed,
  'cutting-card-out': (e) =>
    field(fact(e), 'first') === true ? '切牌卡在一局之前出现' : '切牌卡在局中出现',
  'coups-left': (e) =>
    number(fact(e)) === 1 ? '本局是本靴最后一局' : say`连本局还有 ${number(fact(e))} 局`,
  'one-more-round': () => '和局，再发一局',
  'no-more-round': () => '和局作废，不再加发',
  'cutting-card-seen': () => '牌靴中已看见切牌卡',
  disputed: (e) => say`${who(e)}对第 ${number(field(fact(e), 1))} 局提出争议`,
  'dispute-decided': (e) =>
    say`经营者裁定第 ${coup(e)} 局的争议：${reason(field(fact(e), 'decision'))}`,
  'dispute-reviewed': (e) =>
    say`监管机构复核第 ${coup(e)} 局的争议：${reason(field(fact(e), 'decision'))}`,
  decided,
  adjusted,
  'rules-asked': (e) => say`${who(e)}索取规则`,
  'rules-given': () => '已提供规则',
  'inspector-left': () => '巡场离开，牌局等待',
  'inspector-back': () => '巡场已返回',
  closed: () => '牌桌关台',
  away: (e) => say`${who(e)}暂离座位`,
  back: (e) => {
    const seat = found(e, / is in seat (\d+)$/)
    return seat === null ? say`${who(e)}回到座位` : say`${who(e)}回到 ${seat} 号座`
  },
  'in-again': (e) => {
    const again = / sits at (\d+) again with ([\d.,]*\d)$/.exec(e.what)
    return again
      ? say`${who(e)}重新坐下：${again[1]} 号座，筹码 ${amount(again[2] ?? '')}`
      : say`${who(e)}重新坐下`
  },
  'opened-again': () => '牌桌重新开台',
  'wager-corrected': (e) =>
    e.amount_cents === 0
      ? say`更正：${who(e)}在${where(e)}没有注码`
      : say`更正：${who(e)}在${where(e)}的注码是 ${sum(e)}`,
  'card-corrected': (e) => {
    const index = number(field(fact(e), 'index'))
    return say`更正：第 ${index === null ? null : index + 1} 张牌是${shown(e)}`
  },
  'seat-corrected': (e) => say`更正：${who(e)}坐在 ${number(field(fact(e), 'seat'))} 号座`,
}

/** An event in Chinese; nothing if a field is missing, or the kind is not known. */
export const rulingOf = (event: EventView): Said => RULINGS[event.kind]?.(event)

/** A line of the sign, or of a notice. */
export const signOf = (what: string, form?: unknown): string =>
  (form === undefined ? null : line(form)) ?? lineOf(what) ?? what

const ASKED: Record<string, string> = {
  'the cards must be replaced': '须换牌',
  'check the cards': '检查牌',
  'a supervisor checks the cards': '主管检查牌',
  'a device checks the cards': '设备检查牌',
  'the first player comes, and may look the cards over': '等待第一名玩家，玩家可以验牌',
  shuffle: '洗牌',
  'a supervisor cuts': '主管切牌',
  'an employee cuts': '员工切牌',
  'the inspector cuts': '巡场切牌',
  'a player cuts': '请一名玩家切牌',
  'burn: show the first card': '烧牌：亮出第一张',
  'no bets in this coup; call it': '宣布本局不下注',
  'no more bets': '宣布停止下注',
  'the inspector comes back': '巡场返回',
  'a supervisor decides': '主管裁定',
  'wagers are open': '可以下注',
}

/** What is asked of somebody. */
export function askedOf(one: Asked): string {
  const known = ASKED[one.what]
  if (known) return known
  const name = one.mine && one.player ? '您' : one.player ? called(one.player) : '荷官'
  const behind = /^place the cutting card, (\d+) cards behind it$/.exec(one.what)?.[1]
  if (behind) return say`放入切牌卡，其后 ${behind} 张` ?? one.what
  const to = /^a card to (Player|Banker)$/.exec(one.what)?.[1]
  if (to) return `给${side(to.toLowerCase())}发一张牌`
  const turns = / turns (Player|Banker)'s (cards|third card)$/.exec(one.what)
  if (turns) {
    const cards = turns[2] === 'cards' ? '牌' : '的第三张牌'
    return say`${name}翻开${side((turns[1] ?? '').toLowerCase())}${cards}` ?? one.what
  }
  return (one.player && one.what.endsWith(' cuts') && say`${name}切牌`) || one.what
}

const ACTS: Record<string, string> = {
  'replace the cards': '换牌',
  'check the cards': '检查牌',
  shuffle: '洗牌',
  'place the cutting card': '放入切牌卡',
  'burn a card': '烧牌',
  'no more bets': '宣布停止下注',
  'draw the card that is due': '发应补的牌',
  'turn the cards': '翻牌',
  'cut the cards': '切牌',
  'return to the table': '返回牌桌',
  'put the coup right': '还原本局',
  'let the coup go on': '让本局继续',
  'do what is due': '做应做的事',
  'refuse the cards': '不翻牌',
  'decline the cut': '不切牌',
  'agree to a coup without wagers': '同意飞牌（本局不下注）',
  'object to a coup without wagers': '反对飞牌（本局不下注）',
  'look the cards over': '验牌',
  'ask for a coup without wagers': '要求飞牌（本局不下注）',
  'ask for cards face down': '要求暗牌发牌',
  'ask for a riffle': '要求交叠洗牌',
  'ask for the rules': '索取规则',
  'leave with all chips': '带走全部筹码离开',
  'a whole fresh shoe': '备好全新一靴',
  'deal the first four cards': '发前四张牌',
  'let the wagers stand': '保留台面注码',
  'reduce the wagers on Player': '按比例减少闲的注码',
  'reduce the wagers on Banker': '按比例减少庄的注码',
  'burn a card unseen': '暗烧一张牌',
  'burn the missing cards': '补烧缺少的牌',
  riffle: '交叠洗牌',
  'bring in pre-shuffled cards': '换入预洗牌',
  'the cutting card comes out': '切牌卡出现',
  'the cutting card shows in the shoe': '牌靴中看见切牌卡',
  'the shoe runs out': '牌靴发完',
  'the burn was missed': '漏了烧牌',
  'a card in excess, unseen': '多发一张未亮的牌',
  'a card lies face up in the shoe': '牌靴中有牌面朝上',
  'the coup cannot be put right': '本局无法还原',
  'approve the riffle': '批准交叠洗牌',
  'tell management': '通知管理层',
  'tell surveillance': '通知监控部门',
  'direct a coup without wagers': '指示飞牌',
  'let five coups be dealt without a wager': '允许五局无人下注',
  'let wagers change': '允许更改注码',
  'direct a shuffle': '指示洗牌',
  'leave the table': '离开牌桌',
  'void the coup': '本局作废',
  'decide the dispute': '裁定争议',
  'give the rules to those who asked': '向索取者提供规则',
  'give notice of closing': '预告关台',
  'close the table': '关台',
  'void the last coup': '上一局作废',
  'invalidate the coup after a disturbance': '因骚乱使本局无效',
}
const hands = (word: string | undefined): string => side((word ?? '').toLowerCase())
const ACTS_WITH: [RegExp, (one: Lawful, found: string[]) => Said][] = [
  [/^sit at (\d+)$/, (_, [seat]) => say`坐 ${seat} 号座`],
  [/^turn (Player|Banker)'s cards$/, (_, [to]) => `翻开${hands(to)}牌`],
  [/^draw a card to (Player|Banker)$/, (_, [to]) => `给${hands(to)}发一张牌`],
  [/^pass (Player|Banker)'s cards to (.+)$/, (_, [to, name]) => say`${hands(to)}牌交给${name}`],
  [/^offer (.+) the cut$/, (_, [name]) => say`请${name}切牌`],
  [/^let (.+) wager on both sides$/, (_, [name]) => say`允许${name}同时投注庄和闲`],
  [/^dispute coup (\d+)$/, (_, [coup]) => say`对第 ${coup} 局提出争议`],
  [/^an error in coup (\d+)$/, (_, [coup]) => say`第 ${coup} 局发牌有误`],
  [/^ask for seat (\d+)$/, (_, [seat]) => say`要求让出 ${seat} 号座`],
  [/^give up the first claim on (.+)$/, (_, [what]) => say`放弃${offer(what ?? '')}的优先权`],
  [/^take back (.+)$/, (one, [name]) => say`收回${spotOf(one, name)}的注码`],
  [/^([\d.,]+) on (.+)$/, (one, [sum, name]) => say`${spotOf(one, name)} ${amount(sum ?? '')}`],
]
/** The spot stands in the line as a word of the language. */
const spotOf = (one: Lawful, name = ''): string => spot(one.line.split(' ').pop() ?? '', name)

/** What somebody could do now. */
export function actOf(one: Lawful): string {
  const known = ACTS[one.what]
  if (known) return known
  for (const [pattern, words] of ACTS_WITH) {
    const match = pattern.exec(one.what)
    if (match) return words(one, match.slice(1)) ?? one.what
  }
  return one.what
}

const NUMBERS: Record<string, string> = { four: '四', five: '五', six: '六', seven: '七' }
const digit = (word = ''): string => NUMBERS[word] ?? '零一二三四五六七八九'[Number(word)] ?? word
const KINDS: Record<string, string> = {
  suited: '同花',
  coloured: '同色',
  red: '红色',
  black: '黑色',
  mixed: '异色',
}
const kinds = (words = ''): string =>
  words
    .trim()
    .split(' or ')
    .map((kind) => KINDS[kind] ?? kind)
    .join('或')
const WHEN: Record<string, string> = {
  'a win': '赢',
  'a tie': '和局',
  'a natural': '天牌',
  'a natural of either hand': '任一手天牌',
  'two naturals': '双方天牌',
  'two sixes of three cards': '双方三张牌六点',
  'one pair': '一手对子',
  'anything else': '其他',
}
const WHEN_WITH: [RegExp, (...found: string[]) => string][] = [
  [/^by (.+)$/, (n) => `以 ${n.replace(' or ', '或')} 点之差赢`],
  [/^a tie on (\d)$/, (n) => `和局 ${n} 点`],
  [/^a win with (\d)$/, (n) => `以${digit(n)}点赢`],
  [/^(Player|Banker) wins with (\d)$/, (to, n) => `${hands(to)}以${digit(n)}点赢`],
  [/^(Player|Banker) wins$/, (to) => `${hands(to)}赢`],
  [/^a natural of (Player|Banker)$/, (to) => `${hands(to)}天牌`],
  [
    /^an? (\d|six|seven) of (two|three) cards$/,
    (n, of) => `${of === 'two' ? '两' : '三'}张牌${digit(n)}点`,
  ],
  [/^(Player|Banker) has (\S+) cards$/, (to, n) => `${hands(to)}有 ${n} 张牌`],
  [/^(Player|Banker) has (\S+)$/, (to, n) => `${hands(to)} ${n} 点`],
  [/^(\S+) or (\S+) cards$/, (n, m) => `共${digit(n)}或${digit(m)}张牌`],
  [/^(\S+) cards$/, (n) => `共${digit(n)}张牌`],
  [/^(\S+) together$/, (n) => `双方合计 ${n} 点`],
  [/^a pair of either hand$/, () => '任一手对子'],
  [/^an? (.+ )?pair of either hand$/, (kind) => `任一手${kinds(kind)}对子`],
  [/^two (.+ )?pairs$/, (kind = '') => `双方${kinds(kind)}对子`],
  [/^an? (.+ )?pair$/, (kind = '') => `${kinds(kind)}对子`],
]

/** The case in which a spot pays. */
export function whenOf(words: string): string {
  const test = (one: string): string => {
    if (WHEN[one]) return WHEN[one]
    for (const [pattern, put] of WHEN_WITH) {
      const match = pattern.exec(one)
      if (match) return put(...match.slice(1))
    }
    return one
  }
  return words.split(', ').map(test).join('、')
}
