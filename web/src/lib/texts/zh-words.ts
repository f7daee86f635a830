/** The words of a Chinese baccarat table that texts, rulings and refusals share. */
import { short } from '../money'

const RANKS: Record<string, string> = { T: '10' }
const SUITS: Record<string, string> = { h: '红桃', d: '方块', c: '梅花', s: '黑桃' }

export const card = (value: string): string => {
  const rank = value.slice(0, -1)
  return `${SUITS[value.slice(-1)] ?? ''}${RANKS[rank] ?? rank}`
}

export const side = (word: string): string =>
  word === 'player' ? '闲' : word === 'banker' ? '庄' : '和'

/** Side bets as players call them; one that is not here keeps the name in its book. */
const SPOTS: Record<string, string> = {
  player: '闲',
  banker: '庄',
  tie: '和',
  'player-pair': '闲对',
  'banker-pair': '庄对',
  'either-pair': '任意对子',
  'perfect-pair': '完美对子',
  'player-dragon': '闲龙宝',
  'banker-dragon': '庄龙宝',
  'player-natural': '闲天牌',
  'banker-natural': '庄天牌',
  'lucky-6': '幸运六',
  'super-6': '超级六',
  'dragon-7': '龙七',
  'panda-8': '熊猫八',
  'three-card-six': '三张六',
  big: '大',
  small: '小',
  tiger: '老虎',
  'small-tiger': '小老虎',
  'big-tiger': '大老虎',
  'tiger-tie': '老虎和',
  'tiger-pair': '老虎对',
}

export const spot = (word: string, name = word): string => {
  const tie = /^egalite-(\d)$/.exec(word)
  return tie ? `和 ${tie[1]} 点` : (SPOTS[word] ?? name)
}

/** Groups of wagers, by their word in the log and by their name in a book. */
const GROUPS: Record<string, string> = {
  main: '庄与闲',
  tie: '和',
  pairs: '对子',
  dragon: '龙宝',
  natural: '天牌',
  'big-small': '大小',
  egalite: '和局点数',
  'banker and player': '庄与闲',
  'dragon bonus': '龙宝',
  'big and small': '大小',
  'perfect pairs': '完美对子',
  'perfect-pairs': '完美对子',
}

export const group = (word: string): string => {
  const key = word.toLowerCase()
  return GROUPS[key] ?? SPOTS[key.replaceAll(' ', '-')] ?? word
}

/** What a table offers, as the log and the books name it: a group, with a pay table or without. */
export const offer = (word: string): string => {
  const [of, pays] = word.split('=')
  return `${group(of ?? word)}${pays ? `（${PAY_TABLES[pays] ?? pays}）` : ''}`
}
const PAY_TABLES: Record<string, string> = {
  perfect: '完美',
  canberra: '堪培拉',
  macau: '澳门',
  'las-vegas': '拉斯维加斯',
}

/** How winning Banker wagers are paid. */
export const METHODS: Record<string, string> = {
  commission: '抽水',
  'half-on-six': '免抽水（庄以六点赢时赔一半）',
}

export const ROLES: Record<string, string> = {
  dealer: '荷官',
  supervisor: '主管',
  inspector: '巡场',
  employee: '员工',
  management: '管理层',
  operator: '经营者',
  director: '赛事总监',
  regulator: '监管机构',
  auditor: '审计员',
  player: '玩家',
  players: '玩家',
  device: '设备',
  clock: '时钟',
}

/** A player: a name stays, a place is said. */
export const called = (player: string): string => {
  const place = /^(behind )?seat (\d+)$/.exec(player)
  if (place) return `${place[2]} 号座${place[1] ? '后的玩家' : ''}`
  return player === 'somebody' || player === 'a player' ? '有人' : player
}

/** An amount that stands in an English sentence, as the page writes amounts. */
export const amount = (text: string): string => {
  const cents = Math.round(Number(text.replaceAll(',', '')) * 100)
  return Number.isFinite(cents) ? short(cents) : text
}

/** Words that the document has only in English. */
export const quoted = (text: string): string => `“${text}”`

export const HAN = /\p{Script=Han}/u
const OTHER = /[\p{Letter}\d]/u

/** Puts pieces together, with a space where Chinese and other letters meet. */
export function joined(pieces: readonly string[]): string {
  return pieces.reduce((text, piece) => {
    const [before, after] = [text.slice(-1), piece.slice(0, 1)]
    const meet = OTHER.test(before) && OTHER.test(after) && HAN.test(before) !== HAN.test(after)
    return `${text}${meet ? ' ' : ''}${piece}`
  }, '')
}

type Value = string | number | null | undefined

/** A sentence with its values; nothing if one is missing. */
export function say(words: TemplateStringsArray, ...values: Value[]): string | null {
  const pieces: string[] = []
  for (const [i, word] of words.entries()) {
    pieces.push(word)
    if (i >= values.length) continue
    const value = values[i]
    if (value === null || value === undefined) return null
    pieces.push(String(value))
  }
  return joined(pieces.filter((piece) => piece !== ''))
}
