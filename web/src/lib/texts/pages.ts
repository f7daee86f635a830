/** The texts of pages that few visits come to, in both languages: they come with those pages. */
import { L } from './index'

const en = {
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
  nowhere: {
    title: 'There is no such page',
    what: 'Nothing stands at this address. Perhaps the link was cut off.',
    tables: 'To the tables',
  },
}

const zh: typeof en = {
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
