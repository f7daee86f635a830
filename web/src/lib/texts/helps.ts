/** Settings, keys and what the roads mean, in both languages: they come when they are asked for. */
import { L } from './index'

const en = {
  settings: {
    theme: 'Colours',
    themes: { system: 'as the system', light: 'light', dark: 'dark' },
    language: 'Language',
    four: 'Four-colour deck',
    sounds: 'Sounds',
    squeeze: 'Squeeze cards that are mine to turn',
    large: 'Large type',
    account: 'Account',
    guest: (name: string) => `You play as guest ${name}.`,
    member: (name: string) => `Signed in as ${name}.`,
    keep: 'Keep this account: choose a password',
    keepNow: 'Keep the account',
    signOut: 'Sign out',
  },
  roads: {
    bead: 'Every result in order, down and then right. B filled, P a ring, T a slash; a dot top left is a Banker pair, bottom right a Player pair.',
    big: 'Runs of the same winner go down, a change starts a column. A stroke is a tie. A long run turns right at the bottom.',
    eye: 'Compares each run with the one before it. Red: the same shape again; blue: a change.',
    small: 'The same comparison, with the run two before it.',
    pig: 'The same comparison, with the run three before it.',
  } as Record<string, string>,
  /** What each key does; several keys of one kind stand together. */
  keys: [
    ['P T B', 'bet on Player, Tie, Banker'],
    ['1 2 3 4 5 6', 'choose a chip'],
    ['A', 'type an amount'],
    ['U', 'undo the last bet'],
    ['C', 'clear all bets'],
    ['D', 'double the bets'],
    ['R', 'bet the same again'],
    ['?', 'show these keys'],
  ],
}

const zh: typeof en = {
  settings: {
    theme: '颜色',
    themes: { system: '随系统', light: '浅色', dark: '深色' },
    language: '语言',
    four: '四色牌',
    sounds: '声音',
    squeeze: '由我翻的牌可以眯牌',
    large: '大字',
    account: '账户',
    guest: (name) => `您以访客 ${name} 的身份参与。`,
    member: (name) => `已登录：${name}。`,
    keep: '保留此账户：设置密码',
    keepNow: '保留账户',
    signOut: '退出登录',
  },
  roads: {
    bead: '按顺序记录每个结果，先向下再向右。实心为庄，圆圈为闲，斜线为和；左上点为庄对，右下点为闲对。',
    big: '同一方连赢向下排，换方另起一列。斜线为和。长龙到底后向右转。',
    eye: '每列与前一列比较。红：形状相同；蓝：改变。',
    small: '同样比较，与前第二列。',
    pig: '同样比较，与前第三列。',
  },
  keys: [
    ['P T B', '押闲、和、庄'],
    ['1 2 3 4 5 6', '选筹码'],
    ['A', '输入金额'],
    ['U', '撤销上一注'],
    ['C', '清除全部注码'],
    ['D', '注码加倍'],
    ['R', '重复下注'],
    ['?', '显示这些按键'],
  ],
}

/** The texts in the language that is shown. */
export const texts = () => (L.tag === 'en' ? en : zh)

/** Both, for the tests. */
export const helps = { en, zh }
