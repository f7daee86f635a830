//! The lines that a sign may have, under this book and at this table.

use alloc::format;
use alloc::string::ToString;

use rules::book::{Exposure, Face, Sharing};
use rules::{Cents, Clause, Group};

use super::Draft;
use crate::command::{Limits, SignLine};
use crate::refusal::{Code, Refusal, no};
use crate::state::{Pending, Phase, of};

impl Draft<'_> {
    /// Checks whether the sign may have this line under this book and at this table, together with
    /// announced changes.
    pub(super) fn check_posting(
        &self,
        posting: &SignLine,
        announced: &[Pending],
    ) -> Result<(), Refusal> {
        let book = self.book;
        let unknown = |what: &str, instead: &str| no(Code::NotInTheBook, None, what, instead);
        match posting {
            SignLine::Limits(group, limits) => {
                self.check_group(*group)?;
                limits.check()?;
                let then = announced.iter().rev().find_map(|pending| {
                    let SignLine::Method(method) = pending.posting else { return None };
                    Some(method)
                });
                self.check_sign_payable(
                    *group,
                    *limits,
                    then.unwrap_or(self.table.options.terms.method),
                )
            }
            SignLine::Differential(most) | SignLine::Liability(most) => {
                Self::some(*most)?;
                let differential = matches!(posting, SignLine::Differential(_));
                let wanted =
                    if differential { Exposure::Differential } else { Exposure::Liability };
                match book.limits.exposure {
                    Some(exposure) if exposure.value == wanted => Ok(()),
                    Some(exposure) => no(
                        Code::NotInTheBook,
                        Some(exposure.clause),
                        format!("a cap on {wanted}"),
                        format!("the book caps {}", exposure.value),
                    ),
                    None => unknown("a cap that the book does not know", "leave it out"),
                }
            }
            SignLine::Lift(wanted) => self.check_lift(*wanted),
            SignLine::Offer(offer) => self.check_offer(*offer),
            SignLine::Withdraw(group) => self.check_withdrawal(*group),
            SignLine::Chips(chips) => {
                if chips.is_empty() {
                    return no(Code::NoAmount, None, "no chips at all", "name a denomination");
                }
                chips.iter().try_for_each(|chip| Self::some(*chip))
            }
            SignLine::Sharing(players) => self.check_permitted_sharing(*players),
            SignLine::CapAreas(_) | SignLine::LiftCap => match book.limits.area_cap {
                Some(rule) => self.check_caps(posting, rule.clause),
                None => unknown("the book has no cap on areas", "leave it out"),
            },
            SignLine::FaceDown(down) => self.check_face(*down),
            SignLine::Method(method) => {
                if book.methods.len() < 2 {
                    return unknown(
                        "the method is not the operator's to choose",
                        "keep the method",
                    );
                }
                let terms = rules::Terms::main(*method);
                if let Err(fault) = book.allows(&terms) {
                    return no(Code::NotInTheBook, None, fault.to_string(), "keep the method");
                }
                let then = announced.iter().rev().find_map(|pending| {
                    let SignLine::Limits(Group::Main, limits) = pending.posting else {
                        return None;
                    };
                    Some(limits)
                });
                let main = then.or(self.table.limits.get(Group::Main));
                main.map_or(Ok(()), |main| self.check_sign_payable(Group::Main, main, *method))
            }
            SignLine::Closing => Ok(()),
        }
    }

    /// Whether there is a cap on the differential or the liability to lift.
    fn check_lift(&self, wanted: Exposure) -> Result<(), Refusal> {
        let Some(exposure) = self.book.limits.exposure else {
            let what = "a cap that the book does not know";
            return no(Code::NotInTheBook, None, what, "leave it out");
        };
        let clause = Some(exposure.clause);
        if exposure.value != wanted {
            let what = format!("a cap on {wanted}");
            let instead = format!("the book caps {}", exposure.value);
            return no(Code::NotInTheBook, clause, what, instead);
        }
        if self.table.exposure.is_none() {
            return no(Code::NothingToDecide, clause, "no such cap is on the sign", "go on");
        }
        Ok(())
    }

    /// Checks that there is a cap to lift, or that one more can be set.
    fn check_caps(&self, posting: &SignLine, clause: Clause) -> Result<(), Refusal> {
        let caps = &self.table.area_caps;
        let done = |what: &str, instead: &str| {
            no(Code::NothingToDecide, Some(clause), what.to_string(), instead.to_string())
        };
        match posting {
            SignLine::CapAreas(None) if caps.all => done("areas are capped already", "go on"),
            SignLine::CapAreas(Some(name)) if caps.players.contains(name) => {
                done("this player's wagers are capped already", "go on")
            }
            SignLine::LiftCap if !caps.all && caps.players.is_empty() => {
                done("no area is capped", "`caps areas` comes first")
            }
            SignLine::CapAreas(_)
            | SignLine::LiftCap
            | SignLine::Lift(_)
            | SignLine::Offer(_)
            | SignLine::Withdraw(_)
            | SignLine::Limits(..)
            | SignLine::Differential(_)
            | SignLine::Liability(_)
            | SignLine::Chips(_)
            | SignLine::Sharing(_)
            | SignLine::FaceDown(_)
            | SignLine::Method(_)
            | SignLine::Closing => Ok(()),
        }
    }

    /// Checks that the operator may permit players to share an area, and so many of them.
    fn check_permitted_sharing(&self, players: u32) -> Result<(), Refusal> {
        let sharing = self.book.boxes.sharing;
        if sharing.value != Sharing::IfPermitted {
            let instead = format!("areas are {}", sharing.value);
            let what = "the book does not leave sharing to the operator";
            return no(Code::NotInTheBook, Some(sharing.clause), what, instead);
        }
        let most = self.book.boxes.players.value;
        if !most.holds(players) {
            let (what, instead) = (format!("{players} players on an area"), format!("{most}"));
            return no(Code::TooMany, Some(self.book.boxes.players.clause), what, instead);
        }
        Ok(())
    }

    pub(super) fn check_group(&self, group: Group) -> Result<(), Refusal> {
        let Group::Side(key) = group else { return Ok(()) };
        let fault = match self.book.side_bets(key) {
            Some(_) if self.table.sign_terms().side_bets.of(key).is_some() => return Ok(()),
            Some(bets) => {
                let (what, clause) = (bets.name.clone(), bets.rules.offered.clause);
                rules::NotOffered::NotAtThisTable { what, clause }
            }
            None => match self.book.may_offer(rules::Offer { group: key, table: None }) {
                Ok(()) => return Ok(()),
                Err(fault) => fault,
            },
        };
        no(Code::NotOffered, fault.clause(), fault.to_string(), "post limits of others")
    }

    fn check_face(&self, down: bool) -> Result<(), Refusal> {
        let (face, table) = (self.book.deal.face, &*self.table);
        if matches!(table.phase, Phase::Called | Phase::Dealing) {
            return no(
                Code::WrongMoment,
                Some(face.clause),
                "a change of style in a round",
                "allowed before a round",
            );
        }
        let dealt = table.shoe.coups;
        match face.value {
            Face::EachShoe if dealt > 0 && table.phase == Phase::Betting => no(
                Code::WrongMoment,
                Some(face.clause),
                "a change of style within a shoe",
                "allowed with the next shoe",
            ),
            Face::UpUnlessAsked if down && !table.face_down_asked => no(
                Code::WrongMoment,
                Some(face.clause),
                "cards face down that no player asked for",
                "a player asks for them first",
            ),
            Face::UpUnlessAsked if down && !table.management => no(
                Code::WrongMoment,
                of(&self.book.deal.surveillance),
                "cards face down without management knowing",
                "the supervisor informs management first",
            ),
            Face::UpUnlessAsked if down && !table.surveillance => no(
                Code::WrongMoment,
                of(&self.book.deal.surveillance),
                "cards face down without surveillance knowing",
                "the supervisor informs surveillance first",
            ),
            Face::EachRound | Face::EachShoe | Face::UpUnlessAsked => Ok(()),
        }
    }
}

impl Limits {
    /// Checks that the limits are consistent, whatever the book.
    ///
    /// # Errors
    ///
    /// With what is wrong with them.
    pub fn check(self) -> Result<(), Refusal> {
        let Self { least, most, step } = self;
        if least == Cents::ZERO || least > most {
            let what = format!("limits of {least} to {most}");
            return no(Code::BadLimits, None, what, "a minimum above 0 and a maximum not below it");
        }
        match step {
            Some(step) if step == Cents::ZERO || least.get() % step.get() != 0 => {
                let what = format!("steps of {step} from {least}");
                no(Code::BadLimits, None, what, "a step that divides the minimum")
            }
            _ => Ok(()),
        }
    }
}
