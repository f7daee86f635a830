//! Everybody who takes part in an event, with accounts and roles: who says what is due, and by
//! which order.

use live::{Accounts, Answer, Deal, EventTold, LiveError, Order, Sealed, TournamentHost};
use rules::{Cents, Spot};
use store::AccountKind;
use table::{Act as TableAct, Bet, Deed, Name, Role};
use tournament::{Act, Due, Need, Next, Tournament};

use super::Dice;
use super::putting_right::Says;

/// Staff, and the role in which each speaks.
const STAFF: [(&str, Role); 6] = [
    ("Olga", Role::Operator),
    ("Otto", Role::Operator),
    ("Oda", Role::Operator),
    ("Reg", Role::Regulator),
    ("Dana", Role::Director),
    ("Ivy", Role::Inspector),
];

/// What comes next in an event.
#[derive(Debug)]
pub enum Does {
    /// Somebody asks for something.
    Asks(Asks),
    /// The system deals on at a table.
    Step(u32),
    /// Nothing before that time.
    Wait(u64),
}

/// What somebody asks for under a key, and asks for again where no answer came.
#[derive(Clone, Debug)]
pub enum Asks {
    /// An order.
    Order(Box<Order<Act>>),
    /// Something whose words are sealed.
    Sealed(Box<Order<Sealed>>),
    /// That the system deals.
    Deal(Box<Order<Deal>>),
}

impl Asks {
    /// Asks for it.
    ///
    /// # Errors
    ///
    /// When the log fails.
    pub async fn of(self, host: &mut TournamentHost) -> Result<Answer<EventTold>, LiveError> {
        match self {
            Self::Order(order) => host.deliver(*order).await,
            Self::Sealed(order) => host.deliver_sealed(*order).await,
            Self::Deal(order) => host.deal(*order).await,
        }
    }
}

/// Everybody: their names and accounts.
#[derive(Clone, Debug)]
pub struct Cast {
    staff: Vec<(Role, String)>,
    players: Vec<(Name, String)>,
    keys: u64,
}

impl Cast {
    /// Opens accounts for staff, and for so many players with so much each.
    ///
    /// # Panics
    ///
    /// When the log does not take them.
    pub async fn open(accounts: &Accounts, players: usize, each: Cents) -> Self {
        let open = async |name: &str, kind, money, roles: &[Role]| {
            let opened = accounts.open(name, kind, money, roles).await;
            opened.expect("the log takes it").expect("the name is free")
        };
        let mut cast = Self { staff: Vec::new(), players: Vec::new(), keys: 0 };
        for (name, role) in STAFF {
            let account = open(name, AccountKind::Member, Cents::ZERO, &[role]).await;
            cast.staff.push((role, account));
        }
        for n in 1..=players {
            let name = format!("P{n}");
            let account = open(&name, AccountKind::Guest, each, &[]).await;
            cast.players.push((Name::from(&name).unwrap_or_default(), account));
        }
        cast
    }

    /// The players, with their accounts.
    #[must_use]
    pub fn players(&self) -> &[(Name, String)] {
        &self.players
    }

    /// The accounts of the operators.
    pub(super) fn operators(&self) -> Vec<String> {
        let operators = self.staff.iter().filter(|(role, _)| *role == Role::Operator);
        operators.map(|(_, account)| account.clone()).collect()
    }

    /// Leaves out keys: what came after an old copy was said under them.
    pub(super) const fn skip_keys(&mut self) {
        self.keys += 1000;
    }

    fn order<A>(&mut self, (role, who): (Role, String), act: A) -> Order<A> {
        self.keys += 1;
        Order { who, role, key: format!("k{}", self.keys), act }
    }

    /// What is said by so many people of a role, one after another.
    pub(super) fn say_the_same(&mut self, says: &Says) -> Vec<Asks> {
        let all = self.staff.clone();
        let speakers = all.into_iter().filter(|(role, _)| *role == says.role).take(says.people);
        let asks = |one| Asks::Order(Box::new(self.order(one, says.act.clone())));
        speakers.map(asks).collect()
    }

    /// A player hands in the form of a secret wager.
    fn hands_in(&mut self, name: Name, dice: &mut Dice) -> Does {
        let spot = dice.of(&[Spot::Banker, Spot::Player]);
        let words = format!("{} on {}", 50 * (1 + dice.below(4)), spot.key());
        let own = self.players.iter().find(|(player, _)| *player == name);
        let account = own.map(|(_, account)| account.clone()).expect("everybody has an account");
        let order = self.order((Role::Player, account), Sealed::Form(name, words));
        Does::Asks(Asks::Sealed(Box::new(order)))
    }

    fn staff(&self, role: Role) -> (Role, String) {
        let speaks = match role {
            Role::Operator | Role::Regulator => role,
            Role::Supervisor | Role::Inspector | Role::Management => Role::Inspector,
            // The director keys in what dealers do and players say together.
            Role::Player
            | Role::Players
            | Role::Dealer
            | Role::Device
            | Role::Director
            | Role::Clock => Role::Director,
        };
        let found = self.staff.iter().find(|(other, _)| *other == speaks);
        found.cloned().expect("everybody is there")
    }

    /// An act by whoever does such a thing: players speak for themselves.
    fn says(&mut self, act: Act) -> Does {
        let by = act.usual();
        let own = self.players.iter().find(|(name, _)| by.name == Some(*name));
        let speaker = match own {
            Some((_, account)) => (Role::Player, account.clone()),
            None => self.staff(by.role),
        };
        Does::Asks(Asks::Order(Box::new(self.order(speaker, act))))
    }

    fn seals(&mut self, act: Sealed) -> Does {
        let director = self.staff(Role::Director);
        Does::Asks(Asks::Sealed(Box::new(self.order(director, act))))
    }

    /// An order of somebody who may not give it: an act in a role that the matrix does not list.
    pub(super) fn not_theirs(&mut self, dice: &mut Dice) -> Option<Order<Act>> {
        let (name, account) = self.players[dice.below(self.players.len())].clone();
        let cells = crate::cells::in_a_tournament(name);
        let (act, listed) = cells[dice.below(cells.len())].clone();
        let mut speakers = self.staff.clone();
        speakers.push((Role::Player, account));
        let (role, who) = speakers[dice.below(speakers.len())].clone();
        let may = listed.split(' ').any(|key| key == role.key());
        (!may).then(|| self.order((role, who), act))
    }

    /// What is done next about what is due.
    ///
    /// # Panics
    ///
    /// When nothing is due that anybody can do.
    pub fn next(&mut self, tournament: &Tournament, now: u64, dice: &mut Dice) -> Does {
        let dues = tournament.due_at(now);
        let form = dues.iter().find_map(|due| match due.next {
            Next::HandIn(name) => Some(name),
            _ => None,
        });
        if let Some(name) = form.filter(|_| dice.one_in(3)) {
            return self.hands_in(name, dice);
        }
        // Nobody gives the event up.
        let kept = |due: &&Due| due.need == Need::Must && due.next != Next::Cancel;
        let mut must: Vec<_> = dues.iter().filter(kept).collect();
        // Who is in the seat only on the stroke is late: time passes when all else is done.
        must.sort_by_key(|due| matches!(due.next, Next::WaitForStart(_)));
        let ready = must.iter().filter(|due| !matches!(due.next, Next::WaitForStart(_))).count();
        must.truncate(ready.max(1));
        let first = must.first().unwrap_or_else(|| panic!("nothing but {dues:?} is due"));
        // Tables go on as they like; what concerns the event is done in its order.
        let tables: Vec<_> = must.iter().filter(|due| due.table.is_some()).collect();
        let any = !tables.is_empty() && first.table.is_some();
        let due = if any { tables[dice.below(tables.len())] } else { first };
        self.about(due, tournament, dice)
    }

    fn about(&mut self, due: &Due, tournament: &Tournament, dice: &mut Dice) -> Does {
        let at = |act: TableAct| Act::At(due.table, Box::new(act));
        match &due.next {
            Next::NameDirector => {
                self.says(Act::NameDirector(Name::from("Dana").unwrap_or_default()))
            }
            Next::Apply => {
                let new = |(name, _): &&(Name, String)| tournament.entrant_called(name).is_none();
                let (name, _) = self.players.iter().find(new).expect("somebody has not applied");
                self.says(Act::Apply(*name))
            }
            Next::NameTables => {
                // As many as the stage needs; more do no harm.
                self.says(Act::NameTables(vec![1, 2]))
            }
            Next::CommitBallot => self.seals(Sealed::CommitBallot),
            Next::RevealBallot => self.seals(Sealed::RevealBallot),
            Next::WaitForStart(time) | Next::Break(time) => Does::Wait(*time),
            Next::Wager { name, .. } => {
                let spot = dice.of(&[Spot::Banker, Spot::Player]);
                let amount = Cents::new(5000 * (1 + dice.below(3) as u64)).unwrap_or(Cents::ZERO);
                let bet = Bet { spot, amount, place: None, unnoticed: false, in_error: false };
                self.says(at(TableAct::Player(*name, Deed::Bet(bet))))
            }
            Next::Cut(by) => {
                let there = due.table.and_then(|table| tournament.sitting(table));
                let first = there.and_then(|one| one.table.present().next());
                let name = by.or(first.map(|(_, player)| player.name)).unwrap_or_default();
                let depth = 60 + u32::try_from(dice.below(200)).unwrap_or(0);
                self.says(at(TableAct::Player(name, Deed::Cut(depth))))
            }
            Next::Turn { side, third, by: Some(name) } => {
                let (side, third) = (*side, *third);
                let deed = if third { Deed::TurnThird(side, None) } else { Deed::Turn(side, None) };
                self.says(at(TableAct::Player(*name, deed)))
            }
            Next::OpenForm(name) => {
                let (salt, content) = (String::new(), String::new());
                self.says(Act::OpenForm { name: *name, salt, content })
            }
            Next::DrawForPlayOff => {
                let card = rules::Card::from_index(4).expect("a deck has five cards");
                self.says(Act::DrawForPlayOff(due.table, card))
            }
            _ => match (due.table, &due.act) {
                // Before play goes on, nothing is dealt.
                (_, Some(act)) if comes_first(&due.next) => self.says(act.clone()),
                (Some(table), _) if dealer_is_due(tournament, table) => {
                    if dice.one_in(3) {
                        let director = self.staff(Role::Director);
                        Does::Asks(Asks::Deal(Box::new(self.order(director, Deal { table }))))
                    } else {
                        Does::Step(table)
                    }
                }
                (_, Some(act)) => self.says(act.clone()),
                (Some(table), None) => Does::Step(table),
                (None, None) => panic!("nobody knows what to do about {:?}", due.next),
            },
        }
    }
}

/// Whether nothing is dealt at the table before this is done.
const fn comes_first(next: &Next) -> bool {
    matches!(next, Next::StartPlayOff | Next::ConfirmCorrection | Next::DropCorrection)
}

/// Whether the system as dealer is asked for something at a table.
fn dealer_is_due(tournament: &Tournament, table: u32) -> bool {
    let sitting = tournament.sitting(table);
    let due = sitting.and_then(|sitting| sitting.table.due(tournament.table_book()));
    due.is_some_and(|due| !matches!(due.next, table::Next::Wagers | table::Next::Players))
}
