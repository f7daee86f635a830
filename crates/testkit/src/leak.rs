//! A search for what nobody may know yet: the secret of a shoe, and cards that were not shown.

use aho_corasick::AhoCorasick;
use data_encoding::{BASE64_NOPAD, BASE64URL_NOPAD, HEXLOWER, HEXUPPER};
use rules::Card;
use shoe::{Opening, Secret, Shoe, ShoeRecord, Way};

/// Cards in a row that make a leak: fewer might stand somewhere by chance.
const CARDS: usize = 6;

/// The shoe that a secret makes with what was published, with every card taken out.
fn opened(secret: &Secret, record: &ShoeRecord) -> Shoe {
    let shoe = match &record.way {
        Way::First { nonces } => {
            let nonces = nonces.iter().map(|nonce| nonce.0.clone()).collect();
            Shoe::first(secret.clone(), record.decks, nonces)
        }
        Way::Second(way) => {
            let firsts = way.firsts.clone().unwrap_or_default();
            let commitment = &record.commitment;
            Shoe::new(secret.clone(), record.decks, commitment, &way.promises, firsts)
        }
    };
    let mut shoe = shoe.unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(Some(shoe.root()), record.root, "the secret of another shoe");
    shoe.cut(record.cut.unwrap_or(0)).unwrap_or_else(|fault| panic!("{fault}"));
    while shoe.take().is_some() {}
    shoe
}

/// The cards that come next in a shoe, with their proofs: what nobody may know yet.
///
/// # Panics
///
/// When the secret is not that of the record.
#[must_use]
pub fn coming(secret: &Secret, record: &ShoeRecord, cards: u32) -> Vec<Opening> {
    let (shoe, dealt) = (opened(secret, record), u32::try_from(record.dealt.len()).unwrap_or(0));
    (dealt..dealt + cards).filter_map(|index| shoe.open(index)).collect()
}

/// What must not be found anywhere while a shoe is in use, in all forms that it could have.
#[derive(Debug)]
pub struct Hidden {
    needles: Vec<(String, Vec<u8>)>,
}

impl Hidden {
    /// The secrets of a shoe of which `record` was published: its entropy, the salts of all cards
    /// that were not opened, and the order of all cards that were not shown.
    ///
    /// # Panics
    ///
    /// When the secret is not that of the record.
    #[must_use]
    pub fn of(secret: &Secret, record: &ShoeRecord) -> Self {
        let shoe = opened(secret, record);
        let mut hidden = Self { needles: Vec::new() };
        for (i, piece) in secret.bytes().chunks(32).enumerate() {
            hidden.add_bytes(&format!("the entropy, from byte {}", i * 32), piece);
        }
        let mut cards: Vec<Card> = Vec::new();
        for index in 0..shoe.total() {
            let Some(opening) = shoe.open(index) else { continue };
            if record.openings.iter().any(|opened| opened.index == index) {
                cards.clear();
                continue;
            }
            hidden.add_bytes(&format!("the salt of card {index}"), &opening.salt.0);
            cards.push(opening.card);
            if cards.len() >= CARDS {
                let last = &cards[cards.len() - CARDS..];
                hidden.add_cards(&format!("cards up to {index}"), last);
            }
            if cards.len() >= 2 * CARDS {
                // Bytes that number cards are small, and need more of them to be sure.
                let last = &cards[cards.len() - 2 * CARDS..];
                let raw = last.iter().map(|card| u8::try_from(card.index()).unwrap_or(0));
                hidden.needles.push((format!("cards up to {index}, as bytes"), raw.collect()));
            }
        }
        hidden
    }

    fn add(&mut self, what: &str, needle: impl Into<Vec<u8>>) {
        self.needles.push((what.to_owned(), needle.into()));
    }

    fn add_bytes(&mut self, what: &str, bytes: &[u8]) {
        self.add(&format!("{what}, as it is"), bytes);
        self.add(&format!("{what}, in hexadecimal"), HEXLOWER.encode(bytes));
        self.add(&format!("{what}, in hexadecimal"), HEXUPPER.encode(bytes));
        for shift in 0..3 {
            // Whichever way a larger text was cut into threes, one of these is a part of it.
            let piece = &bytes[shift..shift + 27];
            self.add(&format!("{what}, in base 64"), BASE64_NOPAD.encode(piece));
            self.add(&format!("{what}, in base 64"), BASE64URL_NOPAD.encode(piece));
        }
        for between in [",", ", "] {
            let numbers: Vec<_> = bytes.iter().map(u8::to_string).collect();
            self.add(&format!("{what}, as numbers"), numbers.join(between));
        }
    }

    fn add_cards(&mut self, what: &str, cards: &[Card]) {
        let names: Vec<_> = cards.iter().map(Card::to_string).collect();
        for between in ["", " ", ",", ", ", "\",\"", "\", \"", "\n"] {
            self.add(what, names.join(between));
        }
        let numbers: Vec<_> = cards.iter().map(|card| card.index().to_string()).collect();
        for between in [",", ", "] {
            self.add(
                &format!("{what}, as numbers"),
                format!("{between}{}{between}", numbers.join(between)),
            );
        }
    }

    /// Everything hidden that stands in these bytes.
    ///
    /// # Panics
    ///
    /// When the search cannot be built.
    #[must_use]
    pub fn found_in(&self, bytes: &[u8]) -> Vec<&str> {
        let search = AhoCorasick::new(self.needles.iter().map(|(_, needle)| needle));
        let search = search.unwrap_or_else(|fault| panic!("{fault}"));
        let mut found: Vec<_> =
            search.find_iter(bytes).map(|hit| self.needles[hit.pattern()].0.as_str()).collect();
        found.dedup();
        found
    }
}
