//! The seat: what a person at a screen sees of a table and does there, whichever floor it is on.
//!
//! A [`Seat`] is a table of this program's own floor ([`super::desk::Desk`]) or one of a server
//! ([`super::afar::Afar`]). Both show the same document, the player's view of the table.

use std::time::Instant;

use anyhow::Result;
use rulebooks::Book;
use rules::{Card, Cents, Clause, Side, Spot};
use shoe::ShoeRecord;
use table::{Bet, Deed};
use view::{HandView, LaidView, SpotView, TableView};

use super::deal::Cards;
use super::orders::Reply;

/// Something that was said or ruled, for the log on the screen.
#[derive(Clone, Debug)]
pub(crate) struct LogLine {
    pub(crate) what: String,
    pub(crate) clauses: Vec<Clause>,
    pub(crate) kind: Kind,
}

/// How much an entry matters to somebody who plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A call of the dealer.
    Call,
    /// A card, a total, a result, money.
    Play,
    /// The preparation of the shoe, and what the book has recorded.
    Detail,
    /// A refusal, or advice.
    Refused,
    /// Said by the program itself.
    Note,
}

/// Whom the table waits for, of the people at the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// The cut is theirs.
    Cut,
    /// Wagers.
    Wagers,
    /// Cards that they were given.
    Turn { side: Side, third: bool },
    /// Nobody at this screen: the table goes on by itself.
    Others,
    /// The table is closed.
    Over,
}

/// What the table did by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moved {
    /// Something happened.
    On,
    /// It waits.
    Waits(Wait),
}

/// How cards are to lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Face {
    Up,
    Down,
}

/// What is done only when it is said twice in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sure {
    DealWithoutWager,
    Leave,
    NewChips,
    NoBet,
}

/// What the person did with chips in this round, so that it can be undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    Placed(Spot, Cents),
    TookBack(Vec<(Spot, Cents)>),
}

/// What a screen remembers of the person's own wagers.
#[derive(Debug, Default)]
pub(crate) struct Slip {
    /// What was done with chips in this round, the latest last.
    pub(crate) done: Vec<Done>,
    /// The wagers of the round before.
    pub(crate) last_bets: Vec<(Spot, Cents)>,
    /// What must be said twice and was said once.
    pub(crate) sure: Option<Sure>,
}

/// Whole cents of a document.
pub(crate) fn cents(amount: u64) -> Cents {
    Cents::new(amount).unwrap_or(Cents::MAX)
}

/// A wager on a spot, as anybody lays one.
pub(crate) const fn bet_of(spot: Spot, amount: Cents) -> Deed {
    Deed::Bet(Bet { spot, amount, place: None, unnoticed: false, in_error: false })
}

/// A place at a table, as a screen has it.
pub(crate) trait Seat {
    /// The table as the person may see it.
    fn sight(&self) -> &TableView;
    /// What the table is called on the screen.
    fn name(&self) -> String;
    /// What happened, the latest last.
    fn log(&self) -> &[LogLine];
    /// Adds to what happened.
    fn tell(&mut self, line: LogLine);
    /// What the screen remembers of the person's own wagers.
    fn slip(&mut self) -> &mut Slip;
    /// The table's book, if this program has it.
    fn book(&self) -> Option<&Book>;
    /// The account of the person.
    fn account(&self) -> String;
    /// What was published of the shoe.
    fn shoe(&self) -> Option<ShoeRecord>;
    /// The shoe before, with its secret.
    fn shoe_before(&self) -> Option<ShoeRecord>;
    /// The newest signed head of the house's log, to be kept: it binds the house.
    fn head(&self) -> Option<String>;
    /// The time at which the table goes on without the person.
    fn until(&self) -> Option<Instant>;
    /// Whether the table goes on by a clock of its own, whatever the screen does.
    fn runs_by_itself(&self) -> bool;

    /// Does something as this player; a refusal is told. Gives whether it was done.
    fn deed(&mut self, deed: Deed) -> Result<bool>;
    /// A depth to cut at, if the person names none.
    fn any_cut(&mut self) -> u32;
    /// Lets the table go on by one step, or says whom it waits for.
    fn advance(&mut self) -> Result<Moved>;
    /// Has the coup dealt; gives whether it is.
    fn call(&mut self) -> Result<bool>;
    /// Asks for a coup without wagers, by the way that the book has for it.
    fn no_bet(&mut self) -> Result<()>;
    /// Asks for cards face down or face up, by the way that the book has for it.
    fn face(&mut self, face: Face) -> Result<()>;
    /// More simulated players, or fewer.
    fn set_guests(&mut self, count: usize) -> Result<()>;
    /// New play money.
    fn fresh_chips(&mut self) -> Result<()>;
    /// Leaves for good; gives whether it was done.
    fn leave(&mut self) -> Result<bool>;
    /// A line of the language; nothing if this seat takes orders only.
    fn line(&mut self, line: &str) -> Result<Option<Reply>>;
    /// What a dealer is asked to do.
    fn dealers_question(&self) -> String;
    /// Does what a dealer types.
    fn obey_dealer(&mut self, line: &str, cards: Cards) -> Result<Reply>;

    /// Says that the secret of the shoe is published, and which head binds the house to it.
    fn say_that_the_shoe_is_told(&mut self) {
        let what = "the shoe is over and its secret published; `shoe` (p) shows the proof";
        self.say(what.into());
        if let Some(head) = self.head() {
            self.say(format!("the newest head of the house's log, to be kept: {head}"));
        }
    }

    /// Says something of the program's own.
    fn say(&mut self, what: String) {
        self.tell(LogLine { what, clauses: Vec::new(), kind: Kind::Note });
    }

    /// The chips in front of the person.
    fn my_stack(&self) -> Cents {
        let stack = self.sight().mine.as_ref().map_or(0, |mine| mine.stack_cents);
        cents(u64::try_from(stack).unwrap_or(0))
    }

    /// The wagers of the person.
    fn mine(&self) -> Vec<(Spot, Cents)> {
        let mine = self.sight().mine.iter().flat_map(|mine| &mine.wagers);
        mine.map(|laid: &LaidView| (laid.spot, cents(laid.stake_cents))).collect()
    }

    /// What the person has on a spot.
    fn mine_on(&self, spot: Spot) -> Option<Cents> {
        self.mine().into_iter().find(|(on, _)| *on == spot).map(|(_, stake)| stake)
    }

    /// The spots that this table offers, in the order of the layout.
    fn spots(&self) -> Vec<Spot> {
        self.sight().spots.iter().map(|spot| spot.spot).collect()
    }

    /// A spot of the layout, if this table offers it.
    fn spot(&self, wanted: Spot) -> Option<&SpotView> {
        self.sight().spots.iter().find(|spot| spot.spot == wanted)
    }

    /// A hand on the felt.
    fn hand(&self, side: Side) -> &HandView {
        match side {
            Side::Player => &self.sight().felt.player,
            Side::Banker => &self.sight().felt.banker,
        }
    }

    /// The cards of a hand that only this person may look at.
    fn peek(&self, side: Side) -> Vec<Card> {
        self.hand(side).cards.iter().filter_map(|card| card.peeked).collect()
    }

    /// What was asked about in the book's words: the gist of a clause, and how we read it.
    fn gist(&self, clause: Clause) -> Option<String> {
        let said = clause.each().filter_map(|clause| {
            let entry = self.book()?.clause(&clause)?;
            Some(match &entry.reading {
                Some(reading) => format!("{} (we read: {reading})", entry.gist),
                None => entry.gist.clone(),
            })
        });
        let said: Vec<_> = said.collect();
        (!said.is_empty()).then(|| said.join("; "))
    }

    /// Whether this was said a moment ago, too. If not, it asks.
    fn is_sure(&mut self, of: Sure, question: &str) -> bool {
        let sure = self.slip().sure == Some(of);
        self.slip().sure = Some(of).filter(|_| !sure);
        if !sure {
            self.say(question.to_owned());
        }
        sure
    }

    /// Something else is done: what was asked before is no longer meant.
    fn change_mind(&mut self, still: Option<Sure>) {
        let slip = self.slip();
        slip.sure = slip.sure.filter(|sure| Some(*sure) == still);
    }

    /// From where to where the cards may be cut.
    fn cut_range(&self) -> (u32, u32) {
        let shoe = &self.sight().shoe;
        (shoe.cut_least, (shoe.decks * 52).saturating_sub(shoe.cut_least))
    }

    /// Cuts.
    fn cut(&mut self, depth: u32) -> Result<bool> {
        self.deed(Deed::Cut(depth))
    }

    /// Lets somebody else cut.
    fn decline_cut(&mut self) -> Result<bool> {
        self.deed(Deed::DeclineCut)
    }

    /// Turns the cards that were given.
    fn turn(&mut self, side: Side, third: bool) -> Result<bool> {
        self.deed(if third { Deed::TurnThird(side, None) } else { Deed::Turn(side, None) })
    }

    /// Lets somebody else turn the cards.
    fn refuse_cards(&mut self) -> Result<bool> {
        self.deed(Deed::RefuseCards)
    }

    /// Places chips; gives whether they lie.
    fn bet(&mut self, spot: Spot, amount: Cents) -> Result<bool> {
        let placed = self.deed(bet_of(spot, amount))?;
        if placed {
            self.slip().done.push(Done::Placed(spot, amount));
        } else if self.is_broke() {
            self.say(
                "you have less than the least wager; `chips` ($) brings new play money".into(),
            );
        }
        Ok(placed)
    }

    /// Whether no wager can be made any more.
    fn is_broke(&self) -> bool {
        let limits = self.sight().spots.iter().filter_map(|spot| spot.limits.as_ref());
        let least = limits.map(|limits| limits.least_cents).min();
        self.mine().is_empty() && least.is_some_and(|least| self.my_stack().get() < least)
    }

    /// Takes the last chips back, or places again what was taken back.
    fn undo(&mut self) -> Result<()> {
        match self.slip().done.pop() {
            None => self.say("nothing to undo in this round".into()),
            Some(Done::Placed(spot, amount)) => self.undo_placing(spot, amount)?,
            Some(Done::TookBack(wagers)) => {
                for (spot, amount) in wagers {
                    self.deed(bet_of(spot, amount))?;
                }
            }
        }
        Ok(())
    }

    /// Takes chips back from a spot, and leaves there what lay there before.
    fn undo_placing(&mut self, spot: Spot, amount: Cents) -> Result<()> {
        let lies = self.mine_on(spot);
        if !self.deed(Deed::TakeBack(spot))? {
            self.slip().done.push(Done::Placed(spot, amount));
            return Ok(());
        }
        let rest = lies.and_then(|lies| lies.checked_sub(amount)).unwrap_or(Cents::ZERO);
        if rest > Cents::ZERO {
            self.deed(bet_of(spot, rest))?;
        }
        Ok(())
    }

    /// Takes wagers back.
    fn take_back(&mut self, spots: &[Spot]) -> Result<()> {
        let mut taken = Vec::new();
        for spot in spots {
            let lies = self.mine_on(*spot);
            if self.deed(Deed::TakeBack(*spot))? {
                taken.extend(lies.map(|stake| (*spot, stake)));
            }
        }
        if !taken.is_empty() {
            self.slip().done.push(Done::TookBack(taken));
        }
        Ok(())
    }

    /// Takes all wagers back.
    fn clear(&mut self) -> Result<()> {
        let spots: Vec<_> = self.mine().into_iter().map(|(spot, _)| spot).collect();
        if spots.is_empty() {
            self.say("you have no wager on the layout".into());
        }
        self.take_back(&spots)
    }

    /// The wagers of the round before, again.
    fn rebet(&mut self) -> Result<()> {
        let last = self.slip().last_bets.clone();
        if last.is_empty() {
            self.say("there is no round before with a wager of yours".into());
        }
        for (spot, amount) in last {
            self.bet(spot, amount)?;
        }
        Ok(())
    }

    /// Every wager once more.
    fn double(&mut self) -> Result<()> {
        let wagers = self.mine();
        let needed = wagers.iter().map(|(_, stake)| stake.get()).sum::<u64>();
        if wagers.is_empty() {
            self.say("you have no wager to double".into());
        } else if needed > self.my_stack().get() {
            let (needed, have) = (cents(needed), self.my_stack());
            self.say(format!("to double takes {needed}, and you have {have}"));
            return Ok(());
        }
        for (spot, stake) in wagers {
            self.bet(spot, stake)?;
        }
        Ok(())
    }
}
