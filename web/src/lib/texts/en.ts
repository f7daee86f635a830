/** Every text of the page, in English. */
import { toldWithSigns } from '../cards'
import { money, short, signed } from '../money'
import type { Asked, EventView, Lawful, Problem } from '../types'

const RANKS: Record<string, string> = {
  A: 'ace',
  '2': 'two',
  '3': 'three',
  '4': 'four',
  '5': 'five',
  '6': 'six',
  '7': 'seven',
  '8': 'eight',
  '9': 'nine',
  T: 'ten',
  J: 'jack',
  Q: 'queen',
  K: 'king',
}
const SUITS: Record<string, string> = { h: 'hearts', d: 'diamonds', c: 'clubs', s: 'spades' }

const card = (value: string) =>
  `${RANKS[value.slice(0, 1)] ?? ''} of ${SUITS[value.slice(1)] ?? ''}`
const side = (word: string): string =>
  word === 'player' ? 'Player' : word === 'banker' ? 'Banker' : 'Tie'
const plural = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`

export const en = {
  booksNote: '',
  playMoney: 'play money',
  card,
  side,
  /** The letter of a mark: never a colour alone. */
  letter: (word: string): string => (word === 'player' ? 'P' : word === 'banker' ? 'B' : 'T'),
  /** A side bet, by its word in the language and its name in the book. */
  spot: (_word: string, name: string) => name,
  faceDown: 'a card, face down',
  why: 'Why?',
  /** Between the things of a list. */
  comma: ', ',
  /** A role of staff; the language of the table is English. */
  role: (word: string) => word,
  /** What the server says in words is said as it stands: English is its language. */
  ruling: (event: EventView) => toldWithSigns(event),
  refusal: (problem: Problem) => problem,
  player: (name: string) => name,
  asked: (one: Asked) => one.what,
  act: (one: Lawful) => one.what,
  /** A line of the sign: its words, and its form in the log where there is one. */
  signLine: ((what) => what) as (what: string, form?: unknown) => string,
  /** The case in which a spot pays. */
  when: (words: string) => words,
  close: 'Close',
  back: 'Back',
  cancel: 'Cancel',
  loading: 'One moment…',
  reload: 'Reload the page',
  /** What the page itself refuses, where no server answered. */
  problem: {
    offline: 'the server cannot be reached',
    offlineInstead: 'try again in a moment',
    away: 'the table cannot be reached',
    awayInstead: 'wait until the page is connected again',
    broke: 'the connection broke before the table answered',
    brokeInstead: 'look at what lies on the table when the page is back',
    pageInstead: 'reload the page',
    pauseOver: (time: string) => `allowed from ${time} on`,
  },

  lobby: {
    title: 'Tables',
    what: 'Baccarat by the rules of four regulators, in five documents: every ruling names its clause, every shuffle of the system can be checked, and the money is play money.',
    sit: 'Sit',
    watch: 'Watch',
    here: 'You sit here',
    hereWith: (chips: number, staked: number) =>
      `${money(chips)} in chips${staked > 0 ? `, ${money(staked)} on the table` : ''}`,
    goBack: 'Go back',
    backTo: (title: string) => `Go back to ${title}`,
    sitAt: (title: string) => `Sit at ${title}`,
    watchAt: (title: string) => `Watch ${title}`,
    limits: (least: number, most: number) => `${short(least)}–${short(most)}`,
    seats: (taken: number, all: number) => `${taken} of ${all} seats`,
    full: 'full',
    pace: (ms: number | null, deals: string) =>
      ms === null || ms === undefined
        ? deals === 'keyed'
          ? 'real cards'
          : 'a dealer'
        : ms < 1000
          ? 'at once'
          : `${Math.round(ms / 1000)} s to bet`,
    phase: {
      unopened: 'not open yet',
      preparing: 'preparing the shoe',
      betting: 'bets are open',
      called: 'no more bets',
      dealing: 'dealing',
      closed: 'closed',
    } as Record<string, string>,
    coup: (n: number) => `coup ${n}`,
    empty: 'No table is open at the moment.',
    results: (b: number, p: number, t: number) =>
      `Banker ${b}, Player ${p}, ties ${t} in this shoe`,
    noResults: 'a new shoe',
    head: { table: 'Table', limits: 'Limits', pace: 'Pace', seats: 'Seats', shoe: 'This shoe' },
    staffTable: 'dealt by staff',
  },
  intro: {
    title: 'The game in three pictures',
    skip: 'I know the game',
    one: 'Two hands are dealt, Player and Banker. You bet on the one that will come closer to nine, or on a tie.',
    two: 'An ace counts one, tens and court cards nothing. Only the last digit of a total counts: seven and eight are five.',
    three:
      'Two cards each. Fixed rules say who draws a third. Nobody decides anything, and each rule is a clause you can read.',
  },
  top: {
    chips: 'your chips',
    account: 'in your account',
    sign: 'Sign and rules',
    settings: 'Settings',
    leave: 'Leave',
    tables: 'Tables',
    history: 'My coups',
    menu: 'More',
    decks: (n: number) => plural(n, 'deck', 'decks'),
    margin: 'What happened, and why',
  },
  ask: {
    bets: 'Place your bets',
    betsGuest: 'Bets are open',
    placed: (cents: number) => `${money(cents)} on the table`,
    noBetCoup: 'A coup without bets',
    noMore: 'No more bets',
    cutMine: 'Cut the cards',
    cutOther: (who: string) => `${who} cuts the cards`,
    turnMine: (hand: string) => `Turn the ${hand} cards`,
    turnOther: (who: string, hand: string) => `${who} turns the cards of ${hand}`,
    preparing: 'The shoe is being prepared',
    words: 'Everybody adds chance to the shuffle',
    line: 'Waiting for the table',
    stopped: 'Play has stopped',
    waiting: 'The table waits for players',
    waitingDealer: 'The table waits for the dealer',
    suspended: 'The supervisor decides how the coup goes on',
    inspectorAway: 'Play waits for the inspector',
    closing: 'The table closes after this coup',
    closed: 'The table is closed',
    unopened: 'The table is not open yet',
    last: 'Last coup of the shoe',
    wins: (hand: string, by: number | null, over: number | null) =>
      by === null || over === null ? `${hand} wins` : `${hand} wins, ${by} over ${over}`,
    tie: (at: number | null) => (at === null ? 'A tie' : `A tie at ${at}`),
    void: 'The coup is void',
    anyMoment: 'closing',
    /** Behind a number of seconds. */
    unit: 's',
    noBetAsk: 'Ask for a coup without bets',
    noBetAsked: (who: string | null) => `${who ?? 'Somebody'} asks for a coup without bets`,
    noBetMine: 'You asked for a coup without bets',
    noBetAnswered: 'A coup without bets: your answer is given',
    agree: 'Agree',
    object: 'Object',
    natural: 'natural',
  },
  felt: {
    limits: (least: number, most: number, step: number | null) =>
      `${short(least)}–${short(most)}${step ? ` by ${short(step)}` : ''}`,
    limitsAloud: (limits: string) => `limits ${limits.replace('–', ' to ')}`,
    noLimits: 'not on the sign',
    sent: 'sent',
    accepted: 'accepted',
    closed: 'closed',
    others: (cents: number) => `others ${short(cents)}`,
    whose: 'Whose bets lie here',
    lays: (who: string, cents: number) => `${who} ${short(cents)}`,
    won: (cents: number) => `won ${money(cents)}`,
    lost: (cents: number) => `lost ${money(cents)}`,
    kept: (cents: number) => `kept ${money(cents)}`,
    lies: 'lies for the next coup',
    notEnough: (stack: number, cents: number) =>
      `you have ${money(stack)}, and this bet is ${money(cents)}`,
    upTo: (cents: number) => `allowed: up to ${money(cents)}`,
    noneLeft: 'leave and sit down with more chips',
    nextCoup: 'bets open again after this coup',
    half: (whole: number, left: number) =>
      `Undo took back ${short(whole)}; ${short(left)} of it was not laid again`,
    halfUnsure: (whole: number, left: number) =>
      `Undo took back ${short(whole)}; whether ${short(left)} was laid again is not known`,
    stake: (cents: number) => `stake ${short(cents)}`,
    commission: (cents: number) => `commission ${money(cents)}`,
    betOn: (spot: string, chip: number) => `Bet ${short(chip)} on ${spot}`,
    mine: (cents: number, state: string) => `your bet ${money(cents)}, ${state}`,
    pays: 'pays',
    price: (price: string) => price.replace(':', ' to ').replace('%', ' %'),
    priceRange: (low: string, high: string) => `${low} – ${high} to 1`,
    paytable: (name: string) => `What ${name} pays`,
    /** For staff: nothing on the layout is theirs. */
    laid: (cents: number) => `bets ${money(cents)}`,
  },
  tray: {
    title: 'Your chips and seat',
    chips: 'Chips',
    chip: (cents: number) => `chip of ${short(cents)}`,
    undo: 'Undo',
    clear: 'Clear',
    double: 'Double',
    rebet: 'Rebet',
    rebetOf: (cents: number) => `Rebet ${short(cents)}`,
    amount: 'Other amount',
    amountShort: 'Other',
    unreadable: (chip: number) =>
      `This is no amount: write it like 250 or 1,000.50. The chip is ${short(chip)}.`,
    outOfChips: 'You have no chips left at this table.',
    tooFewChips: (cents: number, least: number) =>
      `You have ${money(cents)} left; the least bet here is ${short(least)}.`,
    buy: 'Leave and get chips',
  },
  seat: {
    title: 'Take a seat',
    choose: 'Seat',
    seat: (n: number) => `Seat ${n}`,
    with: 'Chips to bring',
    unreadable: 'This is no amount: write it like 250 or 1,000.50.',
    sit: 'Sit down',
    behind: 'Stand behind a seat',
    stand: (n: number) => `Stand behind seat ${n}`,
    standing: (n: number) => `behind ${n}`,
    you: 'you',
    account: (cents: number) => `Your account holds ${money(cents)} of play money.`,
    more: 'Get more play chips',
    watching: 'You are watching.',
    empty: 'free',
    people: 'At the table',
    bets: (cents: number) => `bets ${short(cents)}`,
    owes: (cents: number) => `owes ${money(cents)}`,
  },
  /** The captions of the sounds. */
  sounds: { card: 'a card', chip: 'a chip', close: 'no more bets', win: 'you won' },
  cut: {
    title: 'Cut the cards',
    what: 'The first cards go behind the others. Where you cut is up to you.',
    at: (n: number) => `Cut after ${n} cards`,
    decline: 'Let another cut',
    label: 'Cards before the cut',
  },
  squeeze: {
    turn: 'Turn the cards',
  },
  margin: {
    what: 'What happened, and why',
    nothing: 'Nothing has happened in this coup yet.',
    shoe: 'The shoe',
    left: (left: number, all: number) => `${left} of ${all} cards left`,
    cutting: 'The cutting card is out.',
    tookPart: 'This browser took part in the shuffle.',
    notPart: 'You came after the shuffle; from the next shoe on this browser takes part.',
    watchPart: 'People who sit at the table take part in the shuffle.',
    taking: 'This browser adds its chance to the shuffle now.',
    unwitnessed: 'Nobody but the house took part in this shuffle: the shoe is unwitnessed.',
    witnesses: (n: number) => `${plural(n, 'person', 'people')} took part in the shuffle.`,
    root: 'Root',
    proved: (n: number) => `${plural(n, 'card', 'cards')} checked in this browser`,
    ended: (n: number) =>
      `Shoe ${n} was opened at its end, and checked from the first card to the last.`,
    proof: 'How this is checked',
    real: 'Real cards, keyed in by the dealer.',
    alarm: 'The proof does not hold',
    alarmMore:
      'Stop playing at this table and keep this page: what was published does not fit together.',
    disputes: 'Disputes',
    dispute: (n: number, stage: string) => `Coup ${n}: ${stage}`,
    coups: 'The last coups',
    coup: (n: number) => `Coup ${n}`,
    reading: 'Our reading',
    more: (n: number) => `${plural(n, 'more clause', 'more clauses')}`,
    notices: 'Announced',
    save: 'Save the record',
    noGist: 'The book is being fetched.',
  },
  roads: {
    title: 'Roads',
    note: 'Roads are history. They say nothing about the next coup.',
    noteShort: 'history, no forecast',
    bead: 'Bead plate',
    big: 'Big road',
    eye: 'Big eye boy',
    small: 'Small road',
    pig: 'Cockroach pig',
    ask: 'Next',
    askBanker: 'If Banker wins next',
    askPlayer: 'If Player wins next',
    counts: (b: number, p: number, t: number) => `B ${b} · P ${p} · T ${t}`,
    beadAt: (coup: number, who: string, flags: string) => `Coup ${coup}: ${who}${flags}`,
    flagBanker: ', Banker pair',
    flagPlayer: ', Player pair',
    flagNatural: ', natural',
    bigAt: (who: string, column: number, row: number, ties: number) =>
      `${who}, result ${row} of run ${column}${ties ? `, then ${plural(ties, 'tie', 'ties')}` : ''}`,
    tiesFirst: (n: number) => `${plural(n, 'tie', 'ties')} before the first result`,
    markAt: (n: number, what: string) => `Mark ${n}. ${what}`,
    regular: 'Red, regular: the big road repeats its shape here.',
    irregular: 'Blue, irregular: the big road breaks its shape here.',
  },
  link: {
    title: 'State of the connection',
    lost: 'The connection is lost. Trying again…',
    lostMore: (time: string) =>
      `What you see is from ${time}. Nothing can be bet until the table answers.`,
    connecting: 'Connecting to the table…',
    back: 'Connected again.',
    missed: (coups: number) =>
      coups === 0 ? 'You missed nothing.' : `You missed ${plural(coups, 'coup', 'coups')}.`,
    unsure:
      'A bet was under way when the connection broke. What lies on the table now is what counts.',
    over: 'The table has stopped. The operator can reopen it.',
    clock: (minutes: number) =>
      `Your clock is off by ${plural(minutes, 'minute', 'minutes')}; the table's clock counts here.`,
    reminder: (minutes: number, lost: number) =>
      `You have played ${plural(minutes, 'minute', 'minutes')} within a day and ${lost === 0 ? 'are even' : lost > 0 ? `lost ${money(lost)}` : `won ${money(-lost)}`}.`,
    second: 'This table is open in another tab too. Both show the same seat.',
    signedOut: 'Your session is over. To play on, sign in or start anew.',
    signIn: 'Sign in',
    anew: 'Start anew as a guest',
    unknown: 'There is no such table.',
    part: 'This part of the page could not be loaded.',
  },
  leave: {
    title: 'Leave the table?',
    what: 'Your chips go back to your account.',
    withBets: (cents: number) =>
      `Your bets of ${money(cents)} come back to you, and go to your account with your chips.`,
    now: 'Leave',
    stay: 'Stay',
    done: 'You have left the table',
    brought: 'brought',
    took: 'took away',
    result: 'result',
    sitAgain: 'Sit down again',
    toTables: 'To the tables',
    afterCoup: 'The coup is under way: leave when it is over.',
    inPlay: (cents: number) =>
      `Your bets of ${money(cents)} are in play, and the coup is played to its end for you. Leave when it is over.`,
  },
  sign: {
    title: 'The sign of this table',
    book: 'The book',
    read: 'Read the whole book',
    spots: 'Bets, payouts and limits',
    errors: 'How errors are resolved is part of the book: look for irregularities.',
    ask: 'Ask the dealer for the rules',
  },
  settings: {
    title: 'Settings',
    mine: 'Account, limits and pauses',
    signIn: 'Sign in',
    keys: 'Keys at the table',
  },
  coup: {
    dispute: 'Dispute this coup',
    disputed: 'Your dispute is recorded; the supervisor sees it.',
  },
  proof: {
    title: 'Is this shoe fair?',
    faults: {
      noRecord: 'this is no record of a shoe',
      oldWay: 'the first procedure is not checked in the browser',
      fields: 'a field is missing or unknown',
      field: (name: string) => `the field ${name} cannot be read`,
      notJson: 'this file is not JSON',
      otherWay: 'another procedure',
      decks: 'a number of decks outside 1 to 16',
      behind: 'the cutting card lies behind the shoe',
      least: 'no cut is deep enough',
      twice: 'somebody promised twice',
      samePromise: 'two first promises are the same',
      unsigned: 'words without a signed list',
      rootWords: 'a root without words, or words without a root',
      earlyCut: 'a cut before the order',
      cutByNobody: 'a cut by nobody',
      secondWords: 'second words and cut disagree',
      earlyCards: 'cards before the cut',
      manyCards: 'more cards than the shoe has',
      wordsMissing: 'words are missing',
      otherWord: (who: string) => `${who} opened a word that was not promised`,
      onlySecond: (who: string) => `${who} opened only the second word`,
      cutIs: (is: number, due: number | null) => `the cut is ${is}, and ${due} comes of the words`,
      cutAt: (at: number) => `a cut at ${at}`,
      notDealt: (n: number) => `card ${n} was not dealt`,
      openedTwice: (n: number) => `card ${n} is opened twice`,
      tooMany: (which: string) => `more of ${card(which)} than there are decks`,
      noRoot: 'cards without a root',
      noProof: (n: number, which: string) =>
        `the proof of card ${n} (${card(which)}) does not lead to the root`,
      changed: 'what was published of this shoe was changed afterwards',
      notListed: 'this browser’s promise was accepted, and is not in the signed list',
      replaced: 'another word stands in the place of this browser’s word',
      otherPromise: 'the list has another promise than this browser made',
      neverOpened: (which: string) =>
        `the table showed a card that was never opened (${card(which)})`,
      failed: (what: string) => `this does not hold: “${what}”`,
      headForged: 'the newest head of the house’s log is not what its signature says',
      headSeen:
        'the newest head of the house’s log contradicts one that this browser has seen: the house took back what it had signed',
    },
    names: {
      form: 'The record is complete and in order',
      signature: 'The list of promises is signed by the house',
      words: 'Every opened word keeps its promise',
      cut: 'The cut is lawful',
      cards: 'Every shown card leads to the root',
      commitment: 'The house’s chance is the one it committed to',
      order: 'The order made from it has the published root',
      revealed: 'Every shown card is the card of its place',
    } as Record<string, string>,
  },
  book: {
    all: 'All books',
  },
  door: {
    signIn: 'Sign in',
  },
  staff: {
    floor: 'The floor',
    refused: 'Refused',
    signedOut: 'Your session is over.',
  },
  live: {
    open: 'Bets are open.',
    seconds: (n: number) => `${n} seconds.`,
    noMore: 'No more bets.',
    hands: (player: string[], p: number, banker: string[], b: number) =>
      `Player: ${player.map(card).join(', ')}, ${p}. Banker: ${banker.map(card).join(', ')}, ${b}.`,
    cards: (player: string[], banker: string[]) =>
      `Player: ${player.map(card).join(', ')}. Banker: ${banker.map(card).join(', ')}.`,
    third: (hand: string, value: string) => `Third card to ${side(hand)}: ${card(value)}.`,
    natural: 'A natural.',
    result: (outcome: string, p: number | null, b: number | null) => {
      if (outcome === 'tie') return `A tie${p === null ? '' : ` at ${p}`}.`
      const [by, over] = outcome === 'player' ? [p, b] : [b, p]
      return `${side(outcome)} wins${by === null || over === null ? '' : `, ${by} over ${over}`}.`
    },
    ruled: (what: string) =>
      `${what.slice(0, 1).toUpperCase()}${what.slice(1)}${/[.!?]$/.test(what) ? '' : '.'}`,
    void: 'The coup is void.',
    voided: (coup: number) => `Coup ${coup} is void.`,
    reversed: (cents: number) => `Your chips: ${signed(cents)}.`,
    won: (cents: number, spot: string, commission: number) =>
      `You win ${money(cents)} on ${spot}${commission ? `, commission ${money(commission)}` : ''}.`,
    lost: (cents: number, spot: string) => `You lose ${money(cents)} on ${spot}.`,
    kept: (cents: number, spot: string) => `You keep ${money(cents)} on ${spot}.`,
    lies: (cents: number, spot: string) =>
      `Your ${money(cents)} on ${spot} lies for the next coup.`,
    placed: (cents: number, spot: string) => `${short(cents)} on ${spot}, accepted.`,
    refused: (why: string, instead: string) => `Refused: ${why}. ${instead}.`,
    cut: 'You are asked to cut the cards.',
    turn: 'The cards are yours to turn.',
    noBetAsked: (who: string | null) =>
      who === null ? 'You ask for a coup without bets.' : `${who} asks for a coup without bets.`,
    noBetAgreed: (who: string | null) => (who === null ? 'You agree.' : `${who} agrees.`),
    noBetObjected: (who: string | null) => (who === null ? 'You object.' : `${who} objects.`),
    noBet: 'A coup without bets is dealt.',
    nobody: 'Somebody',
    shuffling: 'The shoe is being shuffled.',
    last: 'Last coup of the shoe.',
    alarm: 'Alarm: the proof of the shoe does not hold.',
  },
}

export type Texts = typeof en
