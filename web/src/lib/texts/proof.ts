/** The texts of the proof page, in both languages: they come with that view. */
import { L } from './index'

const plural = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`

const en = {
  lead: 'A shoe is fair if nobody could choose its order, and if the cards dealt are the cards of that order. This page checks both, in your browser.',
  steps: [
    'The house seals its own chance and publishes a fingerprint of it: from then on it cannot change it.',
    'Everybody at the table seals two words of their own, drawn by their browsers. Nobody knows the words of the others.',
    'The words are opened and mixed with the chance of the house. That makes the order; its fingerprint, the root, is published.',
    'The cards are cut. Each card that is shown brings a proof that leads from it to the root.',
    'When the shoe is over, the house opens its chance too, and the whole order can be worked out again.',
  ],
  check: 'Check a shoe',
  live: 'The shoe of a table',
  drop: 'Drop a record here, or choose a file',
  holds: 'Everything that was published holds.',
  fails: 'This shoe does not hold.',
  unwitnessed:
    'Nobody but the house took part: the record proves that the program kept to its order, not that the order was left to chance.',
  witnesses: (n: number) => `${plural(n, 'person', 'people')} took part in the shuffle.`,
  declined: (n: number) => `${plural(n, 'word was', 'words were')} promised and not opened.`,
  inUse: 'The shoe is in use: its order is opened when it is over, and can be checked then.',
  none: 'There is no shoe of the system at this table now.',
  noLast: 'No shoe of this table is over yet.',
  which: 'Which shoe',
  thisShoe: 'The shoe in use',
  lastShoe: 'The last shoe that is over',
  headFails: 'The head does not hold: the house went back behind what it signed.',
  headNames: {
    hash: 'The head is the hash of its record',
    signature: 'The record is signed by the house',
    kept: 'It follows the head that this browser kept',
  },
  headLeft: 'This server does not give the record itself; `sabot audit verify` checks it.',
  head: 'The newest signed head of the log',
  headMore: 'Keep it: a house that takes back a shoe would have to show a log without it.',
  key: 'The house’s key',
  commitment: 'Commitment',
  good: 'holds',
  bad: 'does not hold',
  leftWord: 'not checked here',
}

const zh: typeof en = {
  lead: '如果谁都无法选定牌序，而且发出的牌确实出自这一牌序，这靴牌就是公平的。此页在您的浏览器中验证这两点。',
  steps: [
    '场方封存自己的随机数并公布其指纹：此后无法更改。',
    '桌边每个人的浏览器各封存两个随机词，互不知晓。',
    '随机词公开后与场方的随机数混合，由此产生牌序；其指纹（根）随即公布。',
    '切牌。每张亮出的牌都附有通向根的证明。',
    '牌靴打完后，场方公开自己的随机数，整靴牌序可以重新算出。',
  ],
  check: '验证牌靴',
  live: '某桌的牌靴',
  drop: '将记录拖到这里，或选择文件',
  holds: '已公布的内容全部验证通过。',
  fails: '此牌靴验证失败。',
  unwitnessed: '除场方外无人参与：记录只能证明程序按既定牌序发牌，不能证明牌序是随机产生的。',
  witnesses: (n) => `${n} 人参与了洗牌。`,
  declined: (n) => `有 ${n} 个承诺的词没有公开。`,
  inUse: '牌靴正在使用：打完后公开牌序，届时可以验证。',
  none: '此桌目前没有系统牌靴。',
  noLast: '此桌还没有打完的牌靴。',
  which: '选择牌靴',
  thisShoe: '正在使用的牌靴',
  lastShoe: '最近打完的牌靴',
  headFails: '签名头验证失败：场方推翻了已签名的内容。',
  headNames: {
    hash: '签名头是其记录的哈希值',
    signature: '记录有场方签名',
    kept: '与此浏览器保存的签名头相接',
  },
  headLeft: '服务器未提供记录本身；可用 `sabot audit verify` 验证。',
  head: '日志最新的签名头',
  headMore: '请保存：场方若想抹去一靴牌，就必须拿出一份与此不符的日志。',
  key: '场方公钥',
  commitment: '承诺',
  good: '通过',
  bad: '未通过',
  leftWord: '此处未验证',
}

/** The texts in the language that is shown. */
export const texts = () => (L.tag === 'en' ? en : zh)

/** Both, for the tests. */
export const proof = { en, zh }
