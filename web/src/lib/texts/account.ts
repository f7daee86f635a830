/** The texts of the account, in both languages: they come with that view. */
import { L } from './index'

const plural = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`

const en = {
  title: 'Your account',
  holds: (amount: string) => `Your account holds ${amount} of play money.`,
  lies: (amount: string) =>
    `: ${amount} in chips and bets lie there, and come back when you leave.`,
  keep: 'Keep this account',
  played: (minutes: number) => `You played ${plural(minutes, 'minute', 'minutes')} within a day.`,
  limits: {
    title: 'Limits of your own',
    what: 'The table refuses what goes beyond them. Narrower limits hold at once, wider ones a day later. Empty means none.',
    loss: 'Lose at most, in dollars a day',
    minutes: 'Play at most, in minutes a day',
    remind: 'Remind me of time and money, every so many minutes',
    keep: 'Keep these limits',
    kept: 'Your limits hold now.',
    later: (time: string, loss: string, minutes: string) =>
      `From ${time}: ${loss} a day, ${minutes} a day.`,
    loses: (amount: string | null) =>
      amount === null ? 'any loss' : `a loss of at most ${amount}`,
    plays: (minutes: number | null) =>
      minutes === null ? 'any time' : `at most ${plural(minutes, 'minute', 'minutes')}`,
    bad: 'Amounts and minutes are numbers; a loss may have two decimals.',
  },
  pause: {
    title: 'A pause',
    what: 'You take no part until it is over. Nobody can take it back, not even the house.',
    lengths: [
      [24, 'one day'],
      [24 * 7, 'one week'],
      [24 * 30, '30 days'],
      [24 * 182, 'half a year'],
    ] as [number, string][],
    length: 'For how long',
    ask: 'Pause…',
    sure: (length: string) => `Take no part for ${length}? This cannot be undone.`,
    yes: 'Begin the pause',
    until: (time: string) => `You take no part until ${time}.`,
  },
  password: {
    title: 'Another password',
    old: 'The one until now',
    word: 'The new one, 8 characters or more',
    change: 'Change the password',
    changed: 'The password is changed, and you are signed out everywhere else.',
  },
  out: {
    title: 'Sign out',
    here: 'Sign out here',
    everywhere: 'Sign out everywhere',
    what: 'Everywhere ends your sessions in all browsers and terminals.',
  },
  nobody: 'Nobody is signed in here. Sit down at a table as a guest, or sign in.',
}

const zh: typeof en = {
  title: '您的账户',
  holds: (amount) => `账户中有 ${amount} 娱乐筹码。`,
  lies: (amount) => `：桌上有 ${amount} 的筹码与注码，离座时退回。`,
  keep: '保留账户',
  played: (minutes) => `一天之内您玩了 ${minutes} 分钟。`,
  limits: {
    title: '自设限额',
    what: '超出限额的下注会被拒绝。收紧的限额立即生效，放宽的一天后生效。留空表示不设。',
    loss: '每天最多输（元）',
    minutes: '每天最多玩（分钟）',
    remind: '每隔多少分钟提醒我时间与输赢',
    keep: '保存限额',
    kept: '限额已生效。',
    later: (time, loss, minutes) => `自 ${time} 起：每天${loss}，每天${minutes}。`,
    loses: (amount) => (amount === null ? '输额不限' : `最多输 ${amount}`),
    plays: (minutes) => (minutes === null ? '时间不限' : `最多玩 ${minutes} 分钟`),
    bad: '金额和分钟须为数字；金额最多两位小数。',
  },
  pause: {
    title: '暂停',
    what: '暂停结束之前您不能参与。任何人都不能撤回，场方也不能。',
    lengths: [
      [24, '一天'],
      [24 * 7, '一周'],
      [24 * 30, '三十天'],
      [24 * 182, '半年'],
    ],
    length: '多长时间',
    ask: '暂停…',
    sure: (length) => `暂停${length}？此举不能撤回。`,
    yes: '开始暂停',
    until: (time) => `${time} 之前您不能参与。`,
  },
  password: {
    title: '更改密码',
    old: '现用密码',
    word: '新密码，至少 8 个字符',
    change: '更改密码',
    changed: '密码已更改，其他各处均已退出登录。',
  },
  out: {
    title: '退出登录',
    here: '在此退出',
    everywhere: '在各处退出',
    what: '“各处”会结束您在所有浏览器和终端的会话。',
  },
  nobody: '此处无人登录。您可以以访客身份入座，或登录。',
}

/** The texts in the language that is shown. */
export const texts = () => (L.tag === 'en' ? en : zh)

/** Both, for the tests. */
export const account = { en, zh }
