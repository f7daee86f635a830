/** The texts of pages that few visits come to, in both languages: they come with those pages. */
import { L } from './index'

const en = {
  door: {
    link: 'Your link',
    invitation: (role: string) =>
      `This link makes you ${role} of this house. Choose a name and a password.`,
    password: (name: string) => `Choose a new password for ${name}.`,
    name: 'Name',
    word: 'Password',
    wordHint: '8 characters or more',
    enter: 'Come in',
    signInLead: 'For members and staff. To play, no sign-in is needed.',
    guestStays: (name: string, amount: string) =>
      `You play as guest ${name}, with ${amount} of play money in the account. If you sign in to another account, the guest’s chips, seats and history stay behind, and nobody can come back to them.`,
    guestKeep: 'Keep the guest’s account: choose a password',
  },
  coup: {
    title: (n: number) => `Coup ${n}`,
    at: (table: string) => `at ${table}`,
    step: (i: number, n: number) => `Step ${i} of ${n}`,
    first: 'First',
    previous: 'Back',
    next: 'Next',
    lastStep: 'Last',
    missing: 'This coup is not in the log of this table.',
    link: 'Copy the link',
    copied: 'Copied',
    byHand: 'The link, to be copied by hand',
    yours: 'yours',
    seats: 'Names are not shown: seats are.',
    before: (n: number) => `Coup ${n}`,
  },
  history: {
    title: 'My coups',
    none: 'You have not played at this table yet.',
    total: 'Together',
    coup: 'Coup',
    hands: 'Hands',
    bets: 'Bets',
    net: 'Net',
    clock: (zone: string) => `Times are by the clock of the house: ${zone}.`,
  },
  book: {
    clauses: 'Clauses',
    answers: 'What it decides',
    reading: 'Our reading',
    english: '',
    words: 'In our own words; the regulator’s text is the law.',
  },
  nowhere: {
    title: 'There is no such page',
    what: 'Nothing stands at this address. Perhaps the link was cut off.',
    tables: 'To the tables',
  },
}

const zh: typeof en = {
  door: {
    link: '您的链接',
    invitation: (role) => `此链接使您成为本场的${role}。请选择名字和密码。`,
    password: (name) => `为 ${name} 设置新密码。`,
    name: '名字',
    word: '密码',
    wordHint: '至少 8 个字符',
    enter: '进入',
    signInLead: '供会员与员工使用。玩牌无需登录。',
    guestStays: (name, amount) =>
      `您以访客 ${name} 的身份参与，账户中有 ${amount} 娱乐筹码。如登录另一账户，访客的筹码、座位与记录都会留下，且无法再取回。`,
    guestKeep: '保留访客账户：设置密码',
  },
  coup: {
    title: (n) => `第 ${n} 局`,
    at: (table) => `${table}`,
    step: (i, n) => `第 ${i}/${n} 步`,
    first: '开头',
    previous: '后退',
    next: '前进',
    lastStep: '结尾',
    missing: '本桌记录中没有这一局。',
    link: '复制链接',
    copied: '已复制',
    byHand: '链接，请手动复制',
    yours: '您的',
    seats: '不显示姓名，只显示座位。',
    before: (n) => `第 ${n} 局`,
  },
  history: {
    title: '我的牌局',
    none: '您还没有在此桌玩过。',
    total: '合计',
    coup: '局',
    hands: '牌',
    bets: '注码',
    net: '净额',
    clock: (zone: string) => `时间以场方时钟为准：${zone}。`,
  },
  book: {
    clauses: '条款',
    answers: '规则书的决定',
    reading: '我们的理解',
    english: '条款摘要与规则书的决定为英文。',
    words: '以我们的话概括；监管机构的原文才是法律。',
  },
  nowhere: {
    title: '没有这个页面',
    what: '这个地址没有内容，链接可能不完整。',
    tables: '去牌桌',
  },
}

/** The texts in the language that is shown. */
export const texts = () => (L.tag === 'en' ? en : zh)

/** Both, for the tests. */
export const pages = { en, zh }
