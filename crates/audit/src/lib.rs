//! Judges a log again from its records alone.
//!
//! [`audit`] checks a table's stream: every act is judged again under the edition of the book that
//! the table was opened with, money is kept from the postings alone, and every card is checked
//! against the shoe's root. [`audit_tournament`] does the same for a tournament,
//! [`audit_accounts`] for the accounts and what moved between them and the tables. [`export`]
//! writes any coup or shoe as a transcript. Nothing here is shared with what runs tables but the
//! core.
#![deny(clippy::wildcard_enum_match_arm)]

mod accounts;
mod actors;
mod cards;
mod edition;
mod export;
mod first_form;
mod groups;
mod house;
mod shoes;
mod table;
mod tournament;

pub use accounts::{Accounts, audit_accounts};
pub use actors::Name;
pub use edition::{Edition, book_of, edition, edition_of, files_of, holds_files};
pub use export::{Extract, export};
pub use first_form::judge_first_form;
pub use groups::{Group, groups};
pub use house::House;
pub use table::{Audit, Conclusion, Finding, ShoeFound, audit, audit_in, audit_stream, audit_with};
pub use tournament::{TournamentAudit, audit_tournament, audit_tournament_in, export_tournament};

/// Why a log cannot be audited or exported.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// The log cannot be read.
    #[error(transparent)]
    Store(#[from] store::StoreError),
    /// The log holds an event that cannot have happened.
    #[error("the log is damaged: {0}")]
    Damaged(#[from] ::table::Broken),
}
