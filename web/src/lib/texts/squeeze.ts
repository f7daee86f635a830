/** The texts of cards that are mine to turn, in both languages: they come with those cards. */
import { L } from './index'

const en = {
  title: (hand: string) => `The ${hand} cards are yours to turn`,
  hint: 'Drag a corner or an edge, or hold an arrow key; Enter turns the cards.',
  pass: 'Give the cards back',
  peel: (n: number) => `Lift card ${n}`,
}

const zh: typeof en = {
  title: (hand) => `${hand}牌由您翻开`,
  hint: '拖动牌角或牌边，或按住方向键；按回车翻开。',
  pass: '交还',
  peel: (n) => `掀起第 ${n} 张`,
}

/** The texts in the language that is shown. */
export const texts = () => (L.tag === 'en' ? en : zh)

/** Both, for the tests. */
export const squeeze = { en, zh }
