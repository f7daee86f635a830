// Made from the types of the server: `SABOT_DOCS=write cargo test -p server --test described` writes it.

/** Why something was not done. */
export type Problem = {
  /** The kind of problem, as a place in this API's description. */
  type: string;
  /** The status of the answer. */
  status: number;
  /** The stable code. */
  code: string;
  /** What is wrong. */
  title: string;
  /** The clauses that it rests on, if any speak. */
  clauses: string[];
  /** What would do. */
  instead: string;
  /** In how many seconds to ask again, where that would do. */
  retry_after?: number | null;
};

/** What a client sends. */
export type Ask = {
  do: "subscribe";
  /** The table. */
  table?: string | null;
  /** Or the tournament. */
  tournament?: string | null;
  /** As whom to look: `player` (usual for somebody signed in), `spectator` or a role of staff. */
  as?: string | null;
  /** The last version that was seen: what was missed is told first. */
  after?: number | null;
} | {
  do: "unsubscribe";
  /** The table. */
  table?: string | null;
  /** Or the tournament. */
  tournament?: string | null;
} | {
  do: "order";
  /** The table. */
  table?: string | null;
  /** Or the tournament. */
  tournament?: string | null;
  /** The key of the order, 1 to 64 bytes of your own: the same key is carried out once, and answered the same. */
  key: string;
  /** The role in which you speak; where it is left out, the line says it. */
  as?: string | null;
  /** A line of the language, such as `bets 50 on banker`. Your own name may be left out. */
  line?: string | null;
  /** The act in the form of the log. */
  act?: unknown;
} | {
  do: "ping";
};

/** Somebody came in. */
export type Entered = {
  /** The account. */
  account: string;
  /** The name. */
  name: string;
  /** The token, for programs; browsers get it as a cookie. */
  token: string;
};

/** A guest to be. */
export type NewGuest = {
  /** The name that you want; one is found if you name none. */
  name?: string | null;
};

/** Who somebody is. */
export type Me = {
  /** The account. */
  account: string;
  /** The name. */
  name: string;
  /** `guest`, `member` or `robot`. */
  kind: string;
  /** The roles besides playing. */
  roles: string[];
  /** What the account holds, in cents of play money. */
  balance_cents: number;
  /** The most that you want to lose within a day, in cents. */
  loss_cents?: number | null;
  /** The most that you want to play within a day, in minutes. */
  minutes?: number | null;
  /** How often you want to be reminded of time and money, in minutes. */
  remind?: number | null;
  /** Minutes played within a day. */
  played_minutes: number;
  /** Until when you take no part, in microseconds. */
  paused_until?: number | null;
  /** Wider limits that you asked for, which do not hold yet. */
  limits_later?: LaterLimits | null;
  /** What you were last told of time and money, within a day. */
  reminder?: ReminderView | null;
};

/** Limits that hold from a time on. */
export type LaterLimits = {
  /** From when, in microseconds. */
  from: number;
  /** The most to lose within a day, in cents. */
  loss_cents?: number | null;
  /** The most to play within a day, in minutes. */
  minutes?: number | null;
};

/** Time and money, as somebody wanted to be reminded of them. */
export type ReminderView = {
  /** When, in microseconds. */
  at: number;
  /** Minutes played within a day. */
  minutes: number;
  /** What was lost within a day, in cents; below zero if it was won. */
  lost_cents: number;
};

/** Somebody signs in. */
export type SigningIn = {
  /** The name. */
  name: string;
  /** The password. */
  password: string;
};

/** A guest becomes a member. */
export type Registering = {
  /** The password. */
  password: string;
};

/** Another password. */
export type NewPassword = {
  /** The one until now. */
  old: string;
  /** The one from now on. */
  new: string;
};

/** Something that is done once. */
export type Keyed = {
  /** The key, 1 to 64 bytes of your own. */
  key: string;
};

/** Limits that somebody sets. */
export type NewLimits = {
  /** The key of the order. */
  key: string;
  /** The most to lose within a day, in cents. */
  loss_cents?: number | null;
  /** The most to play within a day, in minutes. */
  minutes?: number | null;
  /** How often to be reminded, in minutes. */
  remind?: number | null;
};

/** A pause. */
export type NewPause = {
  /** The key of the order. */
  key: string;
  /** For how many hours, up to a year. */
  hours: number;
};

/** A link that was made. */
export type Invited = {
  /** The link, which is good once. */
  link: string;
  /** Until when, in microseconds. */
  until: number;
};

/** An invitation. */
export type Inviting = {
  /** The role: `dealer`, `supervisor`, `inspector`, `management`, `director`, `operator` or `regulator`. */
  role: string;
};

/** What a link is for. */
export type LinkView = {
  /** `invitation` or `password`. */
  kind: string;
  /** The role, or the name of the account. */
  about: string;
};

/** Somebody follows a link. */
export type Following = {
  /** The name, for an invitation of somebody who has no account here. */
  name?: string | null;
  /** The password. */
  password: string;
};

/** What the account holds after it. */
export type Corrected = {
  /** In cents. */
  balance_cents: number;
};

/** A correction of a balance: two operators say the same within ten minutes. */
export type Correction = {
  /** The key of the order, 1 to 64 bytes of your own: the same key is carried out once, and answered the same. */
  key: string;
  /** By how many cents: above zero the account holds more afterwards. */
  cents: number;
  /** Why, in one line. */
  why: string;
};

/** The roles that somebody has. */
export type Roles = {
  /** Their words. */
  roles: string[];
};

/** A role to be taken away. */
export type Dismissal = {
  /** Which. */
  role: string;
};

/** What was done with a one-time link. */
export type LinkDeed = {
  /** When, in microseconds. */
  at: number;
  /** Who made the link; nobody where a start printed it. */
  by?: string | null;
  /** Whether it was made or followed, and what it is for. */
  what: string;
  /** The role, or the name of the account. */
  about: string;
};

/** An attempt to sign in. */
export type SignIn = {
  /** When, in microseconds. */
  at: number;
  /** Under which name; `(unknown)` if it is no account's. */
  name: string;
  /** From where. */
  address: string;
  /** Whether the password was right. */
  good: boolean;
};

/** A table in the list. */
export type TableRow = {
  /** Its id, for everything else. */
  id: string;
  /** Its name. */
  title: string;
  /** The book, with what is laid over it. */
  book: string;
  /** Who deals: `system`, `staff` or `keyed`. */
  deals: string;
  /** How long wagers are open, in milliseconds, where the system deals. */
  betting_ms?: number | null;
  /** What it is waiting for. */
  phase: string;
  /** The number of the current coup, or of the coming one. */
  coup: number;
  /** Places, and how many are taken. */
  seats: number;
  /** Players who sit there. */
  seated: number;
  /** The smallest and the largest wager on Player and Banker, in cents. */
  main_cents?: [number, number] | null;
  /** The outcomes of the shoe so far: `player`, `banker`, `tie`. */
  beads: string[];
  /** Coups that players dispute and nobody has decided on yet. */
  disputes: number;
  /** The version of its stream. */
  version: number;
};

/** A table that was opened. */
export type Opened = {
  /** Its id. */
  id: string;
};

/** A table to open. */
export type NewTable = {
  /** A key of your own, 1 to 64 bytes: under the same key it is begun once. Whoever got no answer asks again. */
  key?: string | null;
  /** Its name. */
  title: string;
  /** The line that opens it, such as `operator opens act-2018 with dragon`. */
  opens: string;
  /** The lines of its sign, such as `operator posts main 5..500`. */
  sign?: string[];
  /** Who deals: `system` (by the clock), `staff` (from the system's shoe) or `keyed`. */
  deals?: string | null;
  /** `usual`, `quick` or `at-once`, where the system deals. */
  pace?: string | null;
};

/** As whom to look. */
export type Looking = {
  /** `player`, `spectator` or a role of staff. */
  as?: string | null;
};

/** Everything that these eyes may see of a table. */
export type TableView = {
  /** The number of the form. */
  form: number;
  /** The name of the table. */
  table: string;
  /** The version of its stream. */
  version: number;
  /** The time of the last event, in microseconds. */
  at: number;
  /** The book. */
  book: BookView;
  /** What the table is waiting for: `unopened`, `preparing`, `betting`, `called`, `dealing` or `closed`. */
  phase: string;
  /** Why the coup waits for a decision, if it does: `out_of_sequence`, `changes` or `wrong_person`. */
  suspended?: string | null;
  /** The number of the current coup, or of the coming one. */
  coup: number;
  /** Whether the coming or current coup is without wagers. */
  no_bet: boolean;
  /** Whether somebody asked for a coup without wagers, and others are to answer. */
  no_bet_asked: boolean;
  /** Whether the coming or current coup is the last of the shoe. */
  last: boolean;
  /** Whether cards are dealt face down. */
  face_down: boolean;
  /** Whether the inspector is away. */
  inspector_away: boolean;
  /** Whether the table will close. */
  closing: boolean;
  /** The number of places. */
  seats: number;
  /** The denominations of the chips on the sign. */
  chips_cents: number[];
  /** What lies on the felt, and what each wager did. */
  felt: FeltView;
  /** The spots, in the order of the layout. */
  spots: SpotView[];
  /** The players. */
  players: PlayerView[];
  /** The part of the player who looks, if that player is at the table. */
  mine?: MineView | null;
  /** The scoreboard. */
  roads: RoadsView;
  /** The shoe. */
  shoe: ShoeView;
  /** The sign. */
  sign: SignView[];
  /** Changes that were announced. */
  notices: NoticeView[];
  /** Disputes. */
  disputes: DisputeView[];
  /** What waits for a second person: only for staff. */
  proposed?: ProposedView | null;
  /** What is due. */
  asked: Asked[];
  /** What the person who looks could do now. */
  lawful: Lawful[];
  /** The last calls of the dealer, the latest last. */
  calls: string[];
  /** The last rulings, the latest last. */
  rulings: RulingView[];
  /** The last coups, the latest last. */
  coups: CoupView[];
};

/** The book of a table. */
export type BookView = {
  /** The id, with the base and the sheets where there are any. */
  id: string;
  /** The name of the game in the book. */
  game: string;
  /** Where the book is law. */
  jurisdiction: string;
  /** The instrument that made the book. */
  instrument: string;
  /** The SHA-256 of the book in its fixed form. */
  sha256: string;
};

/** What lies on the felt: of the current coup, or of the last one until the next begins. */
export type FeltView = {
  /** The number of the coup; 0 before the first. */
  coup: number;
  /** When it began, in microseconds. */
  began: number;
  /** Whether the coup is over. */
  over: boolean;
  /** Why it is without wagers, if it is: `asked`, `nobody_there`, `seen_card` or `all_off`. */
  no_bet?: string | null;
  /** Whether it is the last of the shoe. */
  last: boolean;
  /** Player's hand. */
  player: HandView;
  /** Banker's hand. */
  banker: HandView;
  /** Whether there is a natural. */
  natural: boolean;
  /** The outcome: `player`, `banker` or `tie`; nothing if there is none yet, or the coup is void. */
  outcome?: string | null;
  /** Why the coup is void, if it is. */
  void?: string | null;
  /** What each wager did. */
  paid: PaidView[];
};

/** A hand. */
export type HandView = {
  /** Its cards. */
  cards: CardView[];
  /** The total of its open cards, if there are any. */
  total?: number | null;
  /** Whether its first two cards are a pair, once that is judged. */
  pair?: boolean | null;
  /** The player who has the cards to turn, if somebody has. */
  passed_to?: string | null;
};

/** A card on the table. */
export type CardView = {
  /** The card; nothing while it lies face down. */
  card?: string | null;
  /** The card for the player who holds it face down and has looked at it; others never see it. */
  peeked?: string | null;
  /** How many cards left the shoe before it, if the shoe keeps a record. */
  index?: number | null;
  /** Whether its proof leads to the root of the shoe; nothing while there is no proof. */
  proved?: boolean | null;
};

/** What became of a wager. */
export type PaidView = {
  /** The player: the name, or the place. */
  player: string;
  /** Whether it is the player who looks. */
  mine: boolean;
  /** The spot. */
  spot: string;
  /** The place. */
  place: number;
  /** The stake at risk. */
  stake_cents: number;
  /** How it ended: `won`, `lost` or `kept`. */
  verdict: string;
  /** What the player won on top of the stake. */
  won_cents: number;
  /** What the player lost. */
  lost_cents: number;
  /** The commission that was withheld. */
  commission_cents: number;
  /** Whether the wager lies on the layout for the next coup. */
  lies: boolean;
  /** The clauses of the outcome. */
  outcome_clauses: string[];
  /** The clauses of the price. */
  price_clauses: string[];
  /** What all these clauses say. */
  why: WhyView[];
};

/** A clause, and what it says. */
export type WhyView = {
  /** The clause. */
  clause: string;
  /** What it says, in our words, if the book has an entry for it. */
  gist?: string | null;
  /** How we read it, where it can be read in several ways. */
  reading?: string | null;
};

/** A spot of the layout. */
export type SpotView = {
  /** The word for it in the language. */
  spot: string;
  /** Its name in the book. */
  name: string;
  /** The group whose limits apply. */
  group: string;
  /** The hand that it is on, if it is on one: `player` or `banker`. */
  hand?: string | null;
  /** The clause by which it is offered. */
  clause: string;
  /** What it pays. */
  pays: PaysView[];
  /** The limits on the sign, if there are any. */
  limits?: LimitsView | null;
  /** What lies there. */
  laid: LaidView[];
  /** The sum of what lies there. */
  laid_cents: number;
};

/** What a spot pays in one case. */
export type PaysView = {
  /** The case, in words. */
  when: string;
  /** The price, such as `8:1` or `1:1 less 5%`. */
  price: string;
  /** The clause that sets it. */
  clause: string;
};

/** Minimum, maximum and step. */
export type LimitsView = {
  /** The group of wagers. */
  group: string;
  /** The minimum. */
  least_cents: number;
  /** The maximum. */
  most_cents: number;
  /** The step that wagers must be a multiple of, if there is one. */
  step_cents?: number | null;
};

/** A wager on the layout. */
export type LaidView = {
  /** The player: the name, or the place. */
  player: string;
  /** Whether it is the player who looks. */
  mine: boolean;
  /** The spot. */
  spot: string;
  /** The place. */
  place: number;
  /** The stake. */
  stake_cents: number;
  /** Whether staff have not noticed a fault in it; only the auditor sees this field. */
  unnoticed?: boolean | null;
};

/** A player at the table, or one who left and owes something. */
export type PlayerView = {
  /** The player: the name, or the place. */
  player: string;
  /** Whether it is the player who looks. */
  me: boolean;
  /** The seat. */
  seat: number;
  /** Whether the player stands behind it. */
  standing: boolean;
  /** Whether the player is at the table. */
  present: boolean;
  /** Whether the player is away from the seat; this happens only in a tournament. */
  away: boolean;
  /** Whether the player is excluded. */
  excluded: boolean;
  /** The chips in front of the player. */
  stack_cents: number;
  /** The chips of the player on the layout. */
  wagers_cents: number;
  /** The answer to a request for a coup without wagers, if the player gave one. */
  agreed?: boolean | null;
  /** What the player owes after a void: only for that player and for staff. */
  owes_cents?: number | null;
  /** Personal limits: only for that player and for staff. */
  limits?: LimitsView[] | null;
};

/** The part of the player who looks. */
export type MineView = {
  /** The seat. */
  seat: number;
  /** Whether the player stands behind it. */
  standing: boolean;
  /** The chips in front of the player. */
  stack_cents: number;
  /** What the player owes after a void. */
  owes_cents: number;
  /** The wagers. */
  wagers: LaidView[];
  /** The limits that apply to the player, for each group of wagers. */
  limits: LimitsView[];
};

/** All roads of one shoe. Roads are history; they say nothing of the next coup. */
export type RoadsView = {
  /** The results in order; result i stands at row i mod 6, column i div 6 of the bead plate. */
  beads: BeadView[];
  /** The big road. */
  big: RunView[];
  /** Ties before the first Banker or Player. */
  leading_ties: number;
  /** The big eye boy. */
  big_eye: MarkView[];
  /** The small road. */
  small: MarkView[];
  /** The cockroach pig. */
  pig: MarkView[];
  /** What a win of Banker would leave. */
  ask_banker: AskView;
  /** What a win of Player would leave. */
  ask_player: AskView;
  /** The counts. */
  counts: CountsView;
};

/** A result. */
export type BeadView = {
  /** The number of the coup. */
  coup: number;
  /** The outcome: `player`, `banker` or `tie`. */
  outcome: string;
  /** Whether Player had a pair. */
  player_pair: boolean;
  /** Whether Banker had a pair. */
  banker_pair: boolean;
  /** Whether there was a natural. */
  natural: boolean;
};

/** A cell of the big road. */
export type RunView = {
  /** The column, from the left. */
  column: number;
  /** The row, from the top. */
  row: number;
  /** The side that won: `player` or `banker`. */
  side: string;
  /** The ties on it. */
  ties: number;
};

/** A cell of a derived road. */
export type MarkView = {
  /** The column, from the left. */
  column: number;
  /** The row, from the top. */
  row: number;
  /** The mark: `red` is regular, `blue` is not. */
  mark: string;
};

/** The marks that a win would leave in the derived roads, if any. */
export type AskView = {
  /** In the big eye boy. */
  big_eye?: string | null;
  /** In the small road. */
  small?: string | null;
  /** In the cockroach pig. */
  pig?: string | null;
};

/** How many of each so far. */
export type CountsView = {
  /** Coups that Banker won. */
  banker: number;
  /** Coups that Player won. */
  player: number;
  /** Ties. */
  ties: number;
  /** Banker's pairs. */
  banker_pairs: number;
  /** Player's pairs. */
  player_pairs: number;
  /** Naturals. */
  naturals: number;
};

/** The shoe: how far it is, and what was published of it. */
export type ShoeView = {
  /** The number of the shoe at this table. */
  number: number;
  /** The number of decks. */
  decks: number;
  /** How many cards are left in it, if that is known. */
  cards_left?: number | null;
  /** Whether the cutting card is out. */
  cutting_card_out: boolean;
  /** How many more coups may be dealt, if that is limited. */
  coups_left?: number | null;
  /** Whether the coming or current coup is the last of the shoe. */
  last: boolean;
  /** Whether a shuffle comes before the next coup. */
  shuffle_due: boolean;
  /** The clauses by which cards that have left the shoe wait for the next coup, one for each card; nothing where the book has no rule. */
  waiting: (string | null)[];
  /** The procedure by which the order is made; nothing for real cards. */
  protocol?: string | null;
  /** The house's commitment. */
  commitment?: string | null;
  /** The root, which binds the order. */
  root?: string | null;
  /** The number of cards that the book wants on either side of a cut. */
  cut_least: number;
  /** How deep it was cut. */
  cut?: number | null;
  /** How many promised words for this shoe. */
  promises: number;
  /** How many of them opened their words; nothing before they were due. */
  witnesses?: number | null;
  /** Whether the person who looks took part. */
  took_part: boolean;
  /** How many cards have left it. */
  dealt?: number | null;
  /** Whether its secret is published. */
  revealed: boolean;
};

/** A line of the sign. */
export type SignView = {
  /** The line in words. */
  what: string;
  /** The line in the form of the log. */
  line: unknown;
};

/** A change that was announced. */
export type NoticeView = {
  /** The change in words. */
  what: string;
  /** The time from which it applies, in microseconds; nothing if it applies from a later round. */
  from?: number | null;
  /** The clauses of the announcement. */
  clauses: string[];
};

/** A coup that players dispute. */
export type DisputeView = {
  /** The number of the coup. */
  coup: number;
  /** The players who dispute it: names, or places. */
  players: string[];
  /** How far it is settled: `open`, `decided` or `reviewed`. */
  stage: string;
};

/** An act that takes back a payment, and that waits for a second person: only for staff. */
export type ProposedView = {
  /** The role of the person who proposed it. */
  role: string;
  /** Whether it was the person who looks: somebody else confirms it. */
  mine: boolean;
  /** Whether the person who looks may confirm it. */
  confirmable: boolean;
  /** The line that confirms it. */
  line?: string | null;
  /** Until when it waits, in microseconds. */
  until: number;
};

/** What somebody is asked to do. */
export type Asked = {
  /** The role of the person who is asked. */
  role: string;
  /** The player who is asked, if it is one: the name, or the place. */
  player?: string | null;
  /** Whether the person who looks is asked. */
  mine: boolean;
  /** What is due, in words. */
  what: string;
  /** The line that does it, for those who may read it; `CARD` stands for a card. */
  line?: string | null;
  /** The clauses that require it. */
  clauses: string[];
};

/** An act that the table would accept now. */
export type Lawful = {
  /** What it does, in words. */
  what: string;
  /** The line that does it. */
  line: string;
  /** What the line lacks, if it lacks something. */
  needs?: Needs | null;
  /** The act in the form of the log, if it lacks nothing. */
  act?: unknown;
  /** Whether it is due. */
  due: boolean;
  /** The clauses that its consequences rest on. */
  clauses: string[];
};

/** What a line lacks, and a person fills in. */
export type Needs = "card" | "cards" | "reason" | "amount";

/** Something that was ruled. */
export type RulingView = {
  /** The time, in microseconds. */
  at: number;
  /** What happened, in words. */
  what: string;
  /** The clauses. */
  clauses: string[];
};

/** A coup that is over. */
export type CoupView = {
  /** Its number. */
  number: number;
  /** When it was over, in microseconds. */
  at: number;
  /** Player's cards; nothing for a card that was never turned. */
  player: (string | null)[];
  /** Banker's cards; nothing for a card that was never turned. */
  banker: (string | null)[];
  /** Player's total, if it was announced. */
  player_total?: number | null;
  /** Banker's total, if it was announced. */
  banker_total?: number | null;
  /** The outcome: `player`, `banker` or `tie`; nothing if the coup is void. */
  outcome?: string | null;
  /** Whether the coup is void. */
  void: boolean;
};

/** The events to be told. */
export type Since = {
  /** As whom to look. */
  as?: string | null;
  /** The last version that was seen. */
  after?: number;
};

/** What happened, in order. */
export type TableEvents = {
  /** The last record that it covers. */
  version: number;
  /** What happened. */
  events: EventView[];
  /** There is more behind that version: ask again from there. */
  more: boolean;
};

/** An event at a table. */
export type EventView = {
  /** The number of the form. */
  form: number;
  /** The version of the stream that the event made; nothing where there is no stream. */
  version?: number | null;
  /** The time, in microseconds. */
  at: number;
  /** The kind: the word that the fact begins with. */
  kind: string;
  /** How much it matters to somebody who plays: `call`, `play` or `detail`. */
  weight: Weight;
  /** What happened, in words. */
  what: string;
  /** The player whom it concerns: the name, or the place. */
  player?: string | null;
  /** Whether that is the player who looks. */
  mine: boolean;
  /** The spot, if it is about a wager. */
  spot?: string | null;
  /** The amount, if there is one. */
  amount_cents?: number | null;
  /** The hand, if it is about one: `player` or `banker`. */
  hand?: string | null;
  /** The cards that it shows. */
  cards: string[];
  /** The clauses that it rests on. */
  clauses: string[];
  /** The chips that moved. */
  postings: PostingView[];
  /** The fact in the form of the log, without what these eyes may not see. */
  fact: unknown;
};

/** How much a fact matters to somebody who plays. */
export type Weight = "call" | "play" | "detail";

/** Chips that an event moved. */
export type PostingView = {
  /** The account: `outside`, `float`, `layout`, `commission`, `stack` or `receivable`; for money of a tournament `outside`, `pool` or `commission`. */
  account: string;
  /** The player whose account it is, if it is a player's: the name, or the place. */
  player?: string | null;
  /** What the account gained; below zero if it lost. */
  gained_cents: number;
};

/** What followed from an order. */
export type Done = {
  /** The last record when it was answered first. */
  version: number;
  /** It was answered before: nothing was done again. */
  repeated: boolean;
  /** What followed, in order. */
  events: EventView[];
  /** The clauses that it rests on, each once. */
  clauses: string[];
  /** What you could do next. */
  lawful: Lawful[];
};

/** Something to be done at a table: a line of the language, or an act in the form of the log. */
export type Asked2 = {
  /** The key of the order, 1 to 64 bytes of your own: the same key is carried out once, and answered the same. */
  key: string;
  /** The role in which you speak; where it is left out, the line says it. */
  as?: string | null;
  /** A line of the language, such as `bets 50 on banker`. Your own name may be left out. */
  line?: string | null;
  /** The act in the form of the log. */
  act?: unknown;
};

/** What an order would do. */
export type WouldDo = {
  /** What would follow, in order. */
  events: EventView[];
  /** The clauses that it would rest on, each once. */
  clauses: string[];
  /** A second person would have to say the same. */
  second_person: boolean;
};

/** A line or an act to be tried. */
export type Trial = {
  /** The role in which you would speak; where it is left out, the line says it. */
  as?: string | null;
  /** A line of the language. */
  line?: string | null;
  /** The act in the form of the log. */
  act?: unknown;
};

/** What was published of the current shoe. */
export type ShoeDocument = {
  /** The number of the shoe, from 1. */
  number: number;
  /** What was published, in the form that docs/VERIFY.md explains. */
  shoe: unknown;
  /** Cards that are left. */
  cards_left?: number | null;
};

/** A promise of two words: see docs/VERIFY.md. */
export type NewPromise = {
  /** The hash of the first word, which goes into the order. */
  first: string;
  /** The hash of the second word, which goes into a cut that nobody chooses. */
  second: string;
};

/** A word that was promised. */
export type NewWord = {
  /** `first`, before the shuffle, or `second`, before a cut that nobody chooses. */
  which: WhichWord;
  /** The word, 32 bytes in hexadecimal. */
  word: string;
};

/** Which of the two words. */
export type WhichWord = "first" | "second";

/** A tournament in the list. */
export type EventRow = {
  /** Its id, for everything else. */
  id: string;
  /** Its name. */
  title: string;
  /** The book. */
  book: string;
  /** What it is waiting for: `preparing`, `entries`, `playing`, `ended`, `cancelled`. */
  phase: string;
  /** When it starts, by the clock of the house. */
  start?: string | null;
  /** How many have entered. */
  entrants: number;
  /** The version of its stream. */
  version: number;
};

/** A tournament to hold. */
export type NewTournament = {
  /** A key of your own, 1 to 64 bytes: under the same key it is begun once. Whoever got no answer asks again. */
  key?: string | null;
  /** The conditions, as `sabot tournament new` writes them: a document of TOML. */
  conditions: string;
  /** Who deals: `system` or `keyed`. */
  deals?: string | null;
  /** `usual` or `quick`: the event runs by itself at this pace. Otherwise the director says every step. */
  pace?: string | null;
};

/** Everything that these eyes may see of a tournament. */
export type TournamentView = {
  /** The number of the form. */
  form: number;
  /** The name of its stream. */
  tournament: string;
  /** The version of its stream. */
  version: number;
  /** The time of the last event, in microseconds. */
  at: number;
  /** The book. */
  book: BookView;
  /** The phase: `unopened`, `preparing`, `entries`, `playing`, `ended` or `cancelled`. */
  phase: string;
  /** The name of the event in its conditions. */
  name?: string | null;
  /** The hash of the conditions. */
  conditions?: string | null;
  /** The director. */
  director?: string | null;
  /** Whether the director is away. */
  director_away: boolean;
  /** The stage that is next or in play. */
  stage?: string | null;
  /** When the next session starts, in microseconds. */
  starts_at?: number | null;
  /** When play continues after a break, in microseconds. */
  rests_until?: number | null;
  /** The commitment of the ballot that is under way. */
  ballot?: string | null;
  /** The tables in play. */
  tables: SittingView[];
  /** The players of the tables in play, the best placed first. */
  standings: StandingView[];
  /** Everybody who applied. */
  entrants: EntrantView[];
  /** The amount in the pool. */
  pool_cents: number;
  /** The amount that the house keeps. */
  commission_cents: number;
  /** The prize money of each place as the pool stands; empty once it is paid out. */
  prizes_cents: number[];
  /** What is due. */
  asked: Asked[];
  /** What the person who looks could do now, what is due first. */
  lawful: LawfulInEvent[];
};

/** A table in play. */
export type SittingView = {
  /** The number of the table. */
  number: number;
  /** The name of the stage. */
  stage: string;
  /** The kind of play: `session`, `play_off_due`, `play_off`, `over` or `done`. */
  play: string;
  /** What the table is waiting for. */
  phase: string;
  /** The chairs, by seat. */
  chairs: ChairView[];
  /** The seat of the marker. */
  marker?: number | null;
  /** The seat of the player whose turn it is to wager. */
  turn?: number | null;
  /** When that turn began, in microseconds. */
  turn_since: number;
  /** The time limit of the turn, in microseconds. */
  turn_limit?: number | null;
  /** The number of coups with wagers and a result in the current play. */
  coups: number;
  /** How many such coups are left, where that is a number. */
  coups_left?: number | null;
  /** Whether the coming or current coup is the last of the play. */
  last: boolean;
  /** The minimum of a Banker or Player wager. */
  minimum_cents: number;
  /** Whether a correction waits for a second person. */
  correction_waits: boolean;
  /** The last coup. */
  last_coup?: CoupView | null;
};

/** A chair at a table in play. */
export type ChairView = {
  /** The seat. */
  seat: number;
  /** The player: the name, or the number of the entrant. */
  player: string;
  /** Whether it is the player who looks. */
  me: boolean;
  /** The chips, those on the layout included. */
  chips_cents: number;
  /** Chips on Banker. */
  banker_cents: number;
  /** Chips on Player. */
  player_cents: number;
  /** Chips on Tie. */
  tie_cents: number;
  /** The commitment of a secret wager that is not opened; what is written on it nobody sees. */
  sealed?: string | null;
  /** How many secret wagers the player has used. */
  secrets: number;
  /** Whether the player takes part in the current play. */
  plays: boolean;
  /** Whether the player has not come, or is away. */
  missing: boolean;
  /** Why the player is out, if so: `chips`, `not_there`, `raised`, `no_wager` or `left`. */
  out?: string | null;
};

/** A line of the standings. */
export type StandingView = {
  /** The rank in the event, from 1; players who are level have the same. */
  rank: number;
  /** The player: the name, or the number of the entrant. */
  player: string;
  /** Whether it is the player who looks. */
  me: boolean;
  /** The table. */
  table: number;
  /** The seat. */
  seat: number;
  /** The chips, those on the layout included. */
  chips_cents: number;
  /** Whether the player is out. */
  out: boolean;
};

/** An entrant. */
export type EntrantView = {
  /** The number, from 1, in the order of application. */
  number: number;
  /** The player: the name, or the number of the entrant. */
  player: string;
  /** Whether it is the player who looks. */
  me: boolean;
  /** The status: `applied`, `refused`, `reserve`, `entered`, `withdrawn`, `forfeited` or `disqualified`. */
  status: string;
  /** Whether the entrant agreed to the conditions in writing. */
  agreed: boolean;
  /** The table where the entrant sits or will sit. */
  table?: number | null;
  /** The seat there. */
  seat?: number | null;
  /** How often the entrant bought back in. */
  buy_backs: number;
  /** Points, in hundredths. */
  points_hundredths: number;
  /** The final place. */
  place?: number | null;
  /** The prize. */
  prize_cents: number;
  /** Goods and services won. */
  goods: string[];
  /** The amount paid: only for that entrant and for staff. */
  paid_cents?: number | null;
};

/** An act that the tournament would accept now. */
export type LawfulInEvent = {
  /** What it does, in words. */
  what: string;
  /** The line that does it. */
  line: string;
  /** The number of the table, if it is an act at one. */
  table?: number | null;
  /** What the line lacks, if it lacks something. */
  needs?: Needs | null;
  /** The act in the form of the log, if it lacks nothing. */
  act?: unknown;
  /** Whether it is due. */
  due: boolean;
  /** The clauses that its consequences rest on. */
  clauses: string[];
};

/** What happened, in order. */
export type TournamentEvents = {
  /** The last record that it covers. */
  version: number;
  /** What happened. */
  events: TournamentEventView[];
  /** There is more behind that version: ask again from there. */
  more: boolean;
};

/** An event of a tournament. */
export type TournamentEventView = {
  /** The number of the form. */
  form: number;
  /** The version of the stream that the event made; nothing where there is no stream. */
  version?: number | null;
  /** The time, in microseconds. */
  at: number;
  /** The kind: the word that the fact begins with. */
  kind: string;
  /** What happened, in words. */
  what: string;
  /** The player whom it concerns: the name, or the place or number. */
  player?: string | null;
  /** The amount, if there is one. */
  amount_cents?: number | null;
  /** The number of the table, if it happened at one. */
  table?: number | null;
  /** The event at that table, if it is one. */
  event?: EventView | null;
  /** The clauses that it rests on. */
  clauses: string[];
  /** The money that moved. */
  postings: PostingView[];
  /** The fact in the form of the log, without what these eyes may not see. */
  fact: unknown;
};

/** What followed from an order. */
export type EventDone = {
  /** The last record when it was answered first. */
  version: number;
  /** It was answered before: nothing was done again. */
  repeated: boolean;
  /** What followed, in order. */
  events: TournamentEventView[];
  /** The clauses that it rests on, each once. */
  clauses: string[];
  /** What you could do next. */
  lawful: LawfulInEvent[];
  /** After `deal`: the words that players of the table may send for its shoe now. Deal again to go on, with the words that came. */
  words?: Words | null;
};

/** The words of players for a shoe: see docs/VERIFY.md. */
export type Words = "promise" | "first" | "second";

/** A ballot for places. */
export type NewBallot = {
  /** The key of the order, 1 to 64 bytes of your own: the same key is carried out once, and answered the same. */
  key: string;
  /** Which step of it. */
  step: BallotStep;
};

/** A step of a ballot whose secret the house keeps sealed. */
export type BallotStep = "commit" | "reveal";

/** A table at which the system deals. */
export type NewDeal = {
  /** The key of the order, 1 to 64 bytes of your own: the same key is carried out once, and answered the same. */
  key: string;
  /** The number of the table. */
  table: number;
};

/** The words of a sealed form. */
export type NewForm = {
  /** The key of the order, 1 to 64 bytes of your own: the same key is carried out once, and answered the same. */
  key: string;
  /** What the form says, such as `100 on banker`. */
  words: string;
};

/** A sheet of a tournament. */
export type SheetDocument = {
  /** Its text, in lines as they are printed. */
  text: string;
};

/** A transcript with its rulings. */
export type Judged = {
  /** Whether every line can be read, every expectation holds, and nothing is left open. */
  passed: boolean;
  /** Every line that says something. */
  lines: JudgedLine[];
};

/** A line with what followed. */
export type JudgedLine = {
  /** The number of the line, from 1. */
  line: number;
  /** The line. */
  text: string;
  /** What followed, in words, each with its clauses. */
  rulings: JudgedRuling[];
  /** Why it was refused, if it was. */
  refusal?: RefusalView | null;
  /** Why the line fails: it cannot be read, or an expectation does not hold. */
  failure?: string | null;
};

/** What followed from a line. */
export type JudgedRuling = {
  /** In words. */
  what: string;
  /** The clauses. */
  clauses: string[];
};

/** Why something was refused. */
export type RefusalView = {
  /** The number of the form. */
  form: number;
  /** The stable code. */
  code: string;
  /** The clause that it rests on, if one speaks. */
  clause?: string | null;
  /** Further clauses, where several things are wrong at once. */
  also: string[];
  /** What is wrong with what was asked. */
  what: string;
  /** What would be accepted instead. */
  instead: string;
};

/** Which odds are asked for. */
export type OddsAsked = {
  /** The book, with sheets laid over it: `act-2018` or `act-2018+lucky-6`. */
  book: string;
  /** The decks; as many as the book has, if left out. */
  decks?: number | null;
};

/** What every wager is worth. */
export type OddsDocument = {
  /** The book. */
  book: string;
  /** The decks. */
  decks: number;
  /** The wagers. */
  wagers: WagerOdds[];
};

/** What a wager is worth. Fractions are exact; the decimals are rounded from them. */
export type WagerOdds = {
  /** The spot. */
  spot: string;
  /** Its name. */
  name: string;
  /** The house's edge, as a fraction. */
  edge: string;
  /** The same in per cent. */
  edge_percent: string;
  /** How often it wins, in per cent. */
  wins_percent: string;
  /** How often it is returned, in per cent. */
  kept_percent: string;
  /** The standard deviation, in stakes. */
  deviation: string;
};

/** A book in the list. */
export type BookRow = {
  /** Its id. */
  id: string;
  /** The game. */
  game: string;
  /** Where it is law. */
  jurisdiction: string;
  /** The instrument that made it. */
  instrument: string;
  /** The SHA-256 of the book. */
  sha256: string;
};

/** A book, clause by clause. */
export type BookDocument = {
  /** Its title. */
  book: BookRow;
  /** What it decides, item by item. */
  answers: BookAnswer[];
  /** Its clauses, in our own words. */
  clauses: BookClause[];
};

/** An item that a book decides. */
export type BookAnswer = {
  /** The item. */
  item: string;
  /** What it is about. */
  about: string;
  /** What the book says. */
  says: string;
  /** The clause. */
  clause?: string | null;
};

/** A clause. */
export type BookClause = {
  /** The book that it is of: this one, or the one that this one amends. */
  book: string;
  /** Its number. */
  number: string;
  /** What it says, in our own words. */
  gist: string;
  /** How we read it, where that needed saying. */
  reading?: string | null;
};

/** The newest signed head. */
export type HeadView = {
  /** How many heads there are. */
  version: number;
  /** The hash, to be kept: `sabot audit verify --head VERSION:HASH` holds the log to it. */
  hash: string;
  /** The house's public key. */
  public_key?: string | null;
  /** The record of the head, so that its hash and its signature can be checked. */
  record: HeadRecord;
};

/** A checkpoint as it stands in the log; `docs/LOG.md` says how it is hashed and signed. */
export type HeadRecord = {
  /** The hash of the checkpoint before; zeros for the first. */
  previous: string;
  /** When, in microseconds. */
  at: number;
  /** Who wrote it. */
  actor: string;
  /** The command that it came from. */
  key: string;
  /** How to read the body. */
  schema: string;
  /** The heads of all streams, and the signature. */
  body: string;
};

/** The house as everybody may know it. */
export type HouseView = {
  /** The time by the server's clock, in microseconds since 1970, UTC. */
  now: number;
  /** The house's time zone: a name such as `Australia/Sydney`, or an offset such as `+10:00`. */
  time_zone: string;
  /** How far the house's clock on the wall is before UTC now, in minutes. */
  utc_offset_minutes: number;
};

/** What is said of a table. */
export type TableMessage = {
  kind: "view";
  /** The table. */
  table: string;
  /** The last record that it covers. */
  version: number;
  /** The table as you may see it. */
  view: TableView;
  /** Until when people may do what the table waits for, in microseconds. */
  until?: number | null;
} | {
  kind: "update";
  /** The table. */
  table: string;
  /** The last record that it covers. */
  version: number;
  /** What happened, in order. */
  events: EventView[];
  /** The fields of the view that are not what they were. */
  changed: Partial<TableView>;
  /** Until when people may do what the table waits for, in microseconds. */
  until?: number | null;
} | {
  kind: "gap";
  /** The table. */
  table: string;
  /** The last record that it covers. */
  version: number;
  /** What happened, in order. */
  events: EventView[];
} | {
  kind: "answer";
  /** The table. */
  table: string;
  /** The key of the order. */
  key: string;
  /** What followed. */
  answer: Done;
} | {
  kind: "unsubscribed";
  /** The table. */
  table: string;
} | {
  kind: "over";
  /** The table. */
  table: string;
};

/** What is said of a tournament. */
export type TournamentMessage = {
  kind: "view";
  /** The tournament. */
  tournament: string;
  /** The last record that it covers. */
  version: number;
  /** The tournament as you may see it. */
  view: TournamentView;
} | {
  kind: "update";
  /** The tournament. */
  tournament: string;
  /** The last record that it covers. */
  version: number;
  /** What happened, in order. */
  events: TournamentEventView[];
  /** The fields of the view that are not what they were. */
  changed: Partial<TournamentView>;
} | {
  kind: "gap";
  /** The tournament. */
  tournament: string;
  /** The last record that it covers. */
  version: number;
  /** What happened, in order. */
  events: TournamentEventView[];
} | {
  kind: "answer";
  /** The tournament. */
  tournament: string;
  /** The key of the order. */
  key: string;
  /** What followed. */
  answer: EventDone;
} | {
  kind: "unsubscribed";
  /** The tournament. */
  tournament: string;
} | {
  kind: "over";
  /** The tournament. */
  tournament: string;
};

/** What is said whatever is followed. */
export type SocketMessage = {
  kind: "pong";
  /** The time by the server's clock, in microseconds. */
  now: number;
} | {
  kind: "problem";
  /** The table, if it is about one. */
  table?: string | null;
  /** The tournament, if it is about one. */
  tournament?: string | null;
  /** The key of the order, if it is about one. */
  key?: string | null;
  /** Why not. */
  problem: Problem;
};
