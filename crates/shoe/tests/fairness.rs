//! Nobody chooses the order of a shoe: all orders are equally likely, and bad shuffles are caught.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod statistics;

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;

use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher};
use sha2::{Digest as _, Sha256};
use shoe::{ENTROPY_BYTES, Exhausted, Secret, Shoe, below, shuffle};
use statistics::{CARDS, Shoes, two_sided};

/// A stream of random words that is the same in every run.
struct Words {
    cipher: ChaCha20,
    buffer: Vec<u8>,
    at: usize,
}

impl Words {
    fn seeded(name: &str, seed: u32) -> Self {
        let key = Sha256::new().chain_update(name).chain_update(seed.to_be_bytes()).finalize();
        let cipher = ChaCha20::new(&key, &[0; 12].into());
        Self { cipher, buffer: vec![0; 4096], at: 4096 }
    }

    fn fill(&mut self, bytes: &mut [u8]) {
        bytes.fill(0);
        self.cipher.apply_keystream(bytes);
    }
}

impl Iterator for Words {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.at == self.buffer.len() {
            self.buffer.fill(0);
            self.cipher.apply_keystream(&mut self.buffer);
            self.at = 0;
        }
        self.at += 4;
        Some(u32::from_be_bytes(self.buffer[self.at - 4..self.at].try_into().unwrap()))
    }
}

/// A shuffle of places, good or bad.
type Shuffle = fn(&mut [u16], &mut dyn Iterator<Item = u32>);

fn sabots(things: &mut [u16], mut words: &mut dyn Iterator<Item = u32>) {
    shuffle(things, &mut words).unwrap();
}

/// Wrong: so many bits modulo n favour small numbers by one part in 2^bits / n.
fn modulo_biased<const BITS: u32>(things: &mut [u16], words: &mut dyn Iterator<Item = u32>) {
    for i in (1..things.len()).rev() {
        let word = words.next().unwrap() >> (32 - BITS);
        things.swap(i, word as usize % (i + 1));
    }
}

/// Wrong: every thing changes places with any other, so that nⁿ ways make n! orders.
fn naive_swap(things: &mut [u16], mut words: &mut dyn Iterator<Item = u32>) {
    let n = u32::try_from(things.len()).unwrap();
    for i in 0..things.len() {
        let j = below(n, &mut words).unwrap() as usize;
        things.swap(i, j);
    }
}

/// Wrong: no thing may stay where it is, so that only one order in n can come out.
fn off_by_one(things: &mut [u16], mut words: &mut dyn Iterator<Item = u32>) {
    for i in (1..things.len()).rev() {
        let j = below(u32::try_from(i).unwrap(), &mut words).unwrap() as usize;
        things.swap(i, j);
    }
}

/// Wrong: it stops when half of the cards have found their place.
fn half_done(things: &mut [u16], mut words: &mut dyn Iterator<Item = u32>) {
    for i in (things.len() / 2..things.len()).rev() {
        let j = below(u32::try_from(i + 1).unwrap(), &mut words).unwrap() as usize;
        things.swap(i, j);
    }
}

/// How often each order comes out if, at each step, each of the equally likely ways to draw is
/// taken once. A way to draw is one word or more.
fn orders(n: u16, ways: &[Vec<Vec<u32>>], shuffle: Shuffle) -> HashMap<Vec<u16>, u32> {
    let mut orders = HashMap::new();
    let total: usize = ways.iter().map(Vec::len).product();
    for mut number in 0..total {
        let mut words = Vec::new();
        for step in ways {
            words.extend(&step[number % step.len()]);
            number /= step.len();
        }
        let mut things: Vec<u16> = (0..n).collect();
        let mut words = words.into_iter();
        shuffle(&mut things, &mut words);
        assert_eq!(words.next(), None, "{n} things: a word was not used");
        *orders.entry(things).or_default() += 1;
    }
    orders
}

/// Whether all orders of n things came out, and each as often as the others.
fn all_equally_often(n: u16, orders: &HashMap<Vec<u16>, u32>) -> bool {
    let factorial: usize = (1..=usize::from(n)).product();
    let counts: HashSet<_> = orders.values().collect();
    orders.len() == factorial && counts.len() == 1
}

/// 2³² mod n.
fn surplus(n: u32) -> u32 {
    u32::try_from((1 << 32) % u64::from(n)).unwrap()
}

/// For each number below n the smallest word that makes it.
fn low_words(n: u32) -> Vec<Vec<u32>> {
    (0..n).map(|number| vec![number]).collect()
}

/// For each number below n every word that is to be forgotten, and then the largest word that makes
/// the number.
fn high_words(n: u32) -> Vec<Vec<u32>> {
    let forgotten = (0..surplus(n)).map(|back| u32::MAX - back);
    let highest = u32::MAX - surplus(n);
    (0..n).map(|number| forgotten.clone().chain([highest - (n - 1 - number)]).collect()).collect()
}

#[test]
fn every_order_of_up_to_six_things_comes_out_once() {
    for n in 0..=6 {
        for words_for in [low_words, high_words] {
            let ways: Vec<_> = (2..=u32::from(n)).rev().map(words_for).collect();
            let orders = orders(n, &ways, sabots);
            assert!(all_equally_often(n, &orders), "{n} things: {orders:?}");
            assert!(orders.values().all(|count| *count == 1), "{n} things: {orders:?}");
        }
    }
}

#[test]
fn the_same_count_of_orders_catches_bad_shuffles() {
    for n in 3..=6_u16 {
        let ways = vec![low_words(n.into()); n.into()];
        assert!(!all_equally_often(n, &orders(n, &ways, naive_swap)), "{n} things, naive");
        let ways: Vec<_> = (1..u32::from(n)).rev().map(low_words).collect();
        assert!(!all_equally_often(n, &orders(n, &ways, off_by_one)), "{n} things, off by one");
    }
    // There are 65536 sequences of two bytes, which cannot be shared out to six orders.
    let bytes: Vec<_> = (0..256).map(|byte| vec![byte << 24]).collect();
    let orders = orders(3, &[bytes.clone(), bytes], modulo_biased::<8>);
    assert!(!all_equally_often(3, &orders), "a byte modulo 3");
}

/// Below any n, the accepted words are the first ⌊2³² / n⌋ · n, so that every remainder has as many
/// of them as any other.
#[test]
fn every_number_below_n_has_as_many_words() {
    let mut all: Vec<u32> = (1..=832).collect();
    all.extend([0xffff, 0x1_0000, 0x1_0001, 1 << 31, (1 << 31) + 1, u32::MAX - 1, u32::MAX]);
    for n in all {
        let accepted = (1_u64 << 32) / u64::from(n) * u64::from(n);
        let last = u32::try_from(accepted - 1).unwrap();
        assert_eq!(below(n, &mut [last].into_iter()), Ok(n - 1), "below {n}");
        if let Ok(first) = u32::try_from(accepted) {
            assert_eq!(below(n, &mut [first].into_iter()), Err(Exhausted), "below {n}");
            let mut words = [first, u32::MAX, 0, 7].into_iter();
            assert_eq!(below(n, &mut words), Ok(0), "below {n}");
            assert_eq!(words.next(), Some(7), "below {n}: too many words were taken");
        } else {
            assert!(n.is_power_of_two(), "below {n} some words must be forgotten");
        }
    }
}

/// The last words, one by one: of those which are accepted each remainder has the same number, the
/// others are forgotten.
#[test]
fn the_words_at_the_end_of_the_range_are_shared_out_equally() {
    for n in [2, 3, 5, 6, 7, 10, 13, 52, 104, 312, 415, 416, 832] {
        let mut counts = vec![0; n as usize];
        let mut forgotten = 0;
        for back in 0..3 * n + surplus(n) {
            match below(n, &mut [u32::MAX - back].into_iter()) {
                Ok(number) => counts[number as usize] += 1,
                Err(Exhausted) => forgotten += 1,
            }
        }
        assert!(counts.iter().all(|count| *count == 3), "below {n}: {counts:?}");
        assert_eq!(forgotten, surplus(n), "below {n}");
    }
}

/// Whatever n and the word, it is taken modulo n or forgotten as `docs/VERIFY.md` says.
#[test]
fn a_word_is_forgotten_only_in_the_incomplete_last_round() {
    let mut random = Words::seeded("bounded draws", 0);
    for shift in (0..32).cycle().take(200_000) {
        let n = (random.next().unwrap() >> shift).max(1);
        // One half of the words are close to the end, where it matters.
        let word = random.next().unwrap();
        let word = if word.is_multiple_of(2) { word } else { u32::MAX - (word >> shift) };
        let accepted = u64::from(word) < (1 << 32) - u64::from(surplus(n));
        let expected = if accepted { Ok(word % n) } else { Err(Exhausted) };
        assert_eq!(below(n, &mut [word].into_iter()), expected, "{word} below {n}");
    }
}

#[test]
fn a_stream_that_is_used_up_makes_no_order() {
    let mut things: Vec<u16> = (0..52).collect();
    assert_eq!(shuffle(&mut things, &mut (0..50)), Err(Exhausted));
    assert_eq!(shuffle(&mut things, &mut (0..51)), Ok(()));
    assert_eq!(shuffle(&mut things[..1], &mut [].into_iter()), Ok(()));
}

/// How many shoes a test makes: many when `SABOT_SHOES` says so, else so many.
fn shoes(else_so_many: u32) -> u32 {
    let said = std::env::var("SABOT_SHOES").ok().and_then(|number| number.parse().ok());
    said.unwrap_or(else_so_many)
}

/// Collects shoes on all processors: in so many parts whatever the machine, each with its own seed,
/// so that only the number of shoes decides what is collected.
fn collect(name: &str, shoes: u32, add: impl Fn(&mut Shoes, &mut Words) + Sync) -> Shoes {
    const PARTS: u32 = 16;
    let part = |seed: u32| {
        let mut words = Words::seeded(name, seed);
        let mut part = Shoes::new();
        (seed..shoes).step_by(PARTS as usize).for_each(|_| add(&mut part, &mut words));
        part
    };
    let collected = std::thread::scope(|scope| {
        let parts: Vec<_> = (0..PARTS).map(|seed| scope.spawn(move || part(seed))).collect();
        parts
            .into_iter()
            .map(|part| part.join().unwrap())
            .reduce(|all, part| all.merge(&part))
            .unwrap()
    });
    assert_eq!(collected.count(), shoes);
    collected
}

/// Collects what a shuffle makes of the places of 416 cards.
fn shuffled(shoes: u32, shuffle: Shuffle) -> Shoes {
    collect("shuffled", shoes, |shoes, words| {
        let mut places: Vec<u16> = (0..CARDS).map(|place| u16::try_from(place).unwrap()).collect();
        shuffle(&mut places, words);
        shoes.add_places(&places);
    })
}

/// All cards of a shoe, in the order in which they leave it.
fn deal(mut shoe: Shoe, cut: u32) -> Vec<u8> {
    shoe.cut(cut).unwrap();
    let mut cards = Vec::new();
    while let Some(index) = shoe.take() {
        cards.push(u8::try_from(shoe.open(index).unwrap().card.index()).unwrap());
    }
    cards
}

/// The secret that a seeded stream gives.
fn drawn(words: &mut Words) -> Secret {
    let Ok(secret) = Secret::draw(|bytes| {
        words.fill(bytes);
        Ok::<_, Infallible>(())
    });
    secret
}

fn report(what: &str, shoes: &Shoes) {
    println!("{} {what}, {} repeated", shoes.count(), shoes.repeated());
    for finding in shoes.findings() {
        println!("  {:32} z {:7.2}  chance {:.4}", finding.test, finding.z, finding.chance());
    }
}

#[test]
fn the_bounds_are_those_of_the_tables() {
    for (z, chance) in [(0.0, 1.0), (1.0, 0.317_311), (1.959_964, 0.05), (2.575_829, 0.01)] {
        assert!((two_sided(z) - chance).abs() < 1e-6, "{z}: {}", two_sided(z));
        assert!((two_sided(-z) - chance).abs() < 1e-6, "{z}: {}", two_sided(-z));
    }
    assert!((two_sided(5.0) / 5.733_031e-7 - 1.0).abs() < 1e-5, "{}", two_sided(5.0));
}

/// The final cards, as the table sees them: whole shoes with nonces and cut, every card opened.
#[test]
fn the_cards_of_many_shoes_pass_the_tests_at_99_percent() {
    let shoes = collect("whole shoes", shoes(3000), |shoes, words| {
        let secret = drawn(words);
        let cut = below(416, words).unwrap();
        let nonces = vec![words.next().unwrap().to_be_bytes().to_vec()];
        shoes.add_cards(&deal(Shoe::first(secret, 8, nonces).unwrap(), cut));
    });
    report("whole shoes", &shoes);
    assert_eq!(shoes.repeated(), 0);
    assert!(shoes.failures().is_empty(), "{:?}", shoes.failures());
}

/// The shuffle alone: cards of the same kind are told apart, so that the tests see more.
#[test]
fn the_shuffle_passes_the_tests_at_99_percent() {
    let shoes = shuffled(shoes(150_000), sabots);
    report("shuffles", &shoes);
    assert_eq!(shoes.repeated(), 0);
    assert!(shoes.failures().is_empty(), "{:?}", shoes.failures());
}

/// Whether all of these tests fail.
fn fail(shoes: &Shoes, tests: &[&str]) -> bool {
    let failures = shoes.failures();
    tests.iter().all(|test| failures.iter().any(|failure| failure.test == *test))
}

/// Sixteen bits is what careless code takes; a smaller bias needs more shoes. It moves cards of the
/// same kind in different decks alike, and so needs the tests that tell them apart.
#[test]
fn a_modulo_biased_shuffle_is_caught() {
    let shoes = shuffled(150_000, modulo_biased::<16>);
    report("shuffles with 16 bits modulo n", &shoes);
    assert!(fail(&shoes, &["draws read back"]));
}

/// The cards alone, without their places, show a bias of eleven bits.
#[test]
fn a_coarse_modulo_bias_is_seen_in_the_cards() {
    let shoes = shuffled(150_000, modulo_biased::<11>);
    report("shuffles with 11 bits modulo n", &shoes);
    assert!(fail(&shoes, &["kind by position", "place before and after", "draws read back"]));
}

#[test]
fn a_naive_swap_shuffle_is_caught() {
    let shoes = shuffled(20_000, naive_swap);
    report("naive shuffles", &shoes);
    assert!(fail(&shoes, &["kind by position", "place before and after", "draws read back"]));
}

#[test]
fn a_shuffle_in_which_no_card_may_stay_is_caught() {
    let shoes = shuffled(20_000, off_by_one);
    report("shuffles off by one", &shoes);
    assert!(fail(&shoes, &["kind by position", "draws read back"]));
}

/// Neighbours stay together in it, which is what runs, serial correlation and twins look for.
#[test]
fn a_shuffle_that_stops_early_is_caught() {
    let shoes = shuffled(3000, half_done);
    report("shuffles half done", &shoes);
    assert!(fail(&shoes, &["runs of low cards", "runs of a colour, spread"]));
    assert!(fail(&shoes, &["serial correlation", "neighbours of a kind", "kind by position"]));
}

/// A clock that counts milliseconds gives no more than this a minute.
#[test]
fn a_source_with_a_seed_of_sixteen_bits_is_caught_repeating_itself() {
    let shoes = collect("small seeds", 3000, |shoes, words| {
        let mut poor = Words::seeded("poor", words.next().unwrap() >> 16);
        shoes.add_cards(&deal(Shoe::first(drawn(&mut poor), 8, Vec::new()).unwrap(), 0));
    });
    assert!(shoes.repeated() > 20, "{} repeated", shoes.repeated());
}

#[test]
fn no_shoe_repeats_over_many_starts() {
    let (mut commitments, mut roots, mut orders) =
        <(HashSet<_>, HashSet<_>, HashSet<_>)>::default();
    for start in 0..2000 {
        let secret = Secret::draw(getrandom::fill).unwrap();
        assert!(commitments.insert(secret.first_commitment()), "start {start} repeats its entropy");
        let shoe = Shoe::first(secret, 8, Vec::new()).unwrap();
        assert!(roots.insert(shoe.root()), "start {start} repeats a root");
        assert!(orders.insert(deal(shoe, 0)), "start {start} repeats an order");
    }
}

/// The cards that entropy and nonces make, by the page: the tests of the shuffle are tests of the
/// shoe because of this.
fn by_the_page(entropy: &[u8], nonces: &[Vec<u8>], decks: u8) -> Vec<u8> {
    let mut hasher = Sha256::new_with_prefix("sabot-shoe-1 nonces");
    for nonce in nonces {
        hasher.update([u8::try_from(nonce.len()).unwrap()]);
        hasher.update(nonce);
    }
    let mut stream = entropy.to_vec();
    ChaCha20::new(&hasher.finalize(), &[0; 12].into()).apply_keystream(&mut stream);
    let mut words = stream.chunks(4).map(|word| u32::from_be_bytes(word.try_into().unwrap()));
    let mut cards: Vec<u8> = (0..decks).flat_map(|_| 0..52).collect();
    shuffle(&mut cards, &mut words).unwrap();
    cards
}

#[test]
fn the_cards_of_a_shoe_are_those_that_the_shuffle_makes() {
    let mut words = Words::seeded("by the page", 0);
    for decks in 1..=16 {
        let secret = drawn(&mut words);
        let nonces: Vec<_> = (0..decks * 4).map(|number| vec![number; number.into()]).collect();
        let nonces: Vec<_> = nonces.into_iter().skip(1).collect();
        let expected = by_the_page(secret.bytes(), &nonces, decks);
        let cut = below(u32::from(decks) * 52, &mut words).unwrap();
        let cards = deal(Shoe::first(secret, decks.into(), nonces).unwrap(), cut);
        let (behind, front) = expected.split_at(cut as usize);
        assert_eq!(cards, [front, behind].concat(), "{decks} decks cut at {cut}");
    }
}

/// The order of eight decks has 2,229.3 bits, which are 279 bytes.
#[test]
fn a_shoe_takes_enough_bytes_from_its_source() {
    let mut words = Words::seeded("counted", 0);
    let mut taken = 0;
    let Ok(secret) = Secret::draw(|bytes| {
        taken += bytes.len();
        words.fill(bytes);
        Ok::<_, Infallible>(())
    });
    assert_eq!(taken, ENTROPY_BYTES);
    assert!(taken >= 279);
    let mut same = vec![0; ENTROPY_BYTES];
    Words::seeded("counted", 0).fill(&mut same);
    assert_eq!(secret.bytes(), same, "the bytes of the source are not those of the secret");
}

/// The order hangs on every byte that makes a draw. A draw below a power of two is made of the
/// lowest bits of its word, so that the bytes above them do not matter, and only those.
#[test]
fn every_byte_that_makes_a_draw_changes_the_order() {
    let mut entropy = vec![0; ENTROPY_BYTES];
    Words::seeded("every byte", 0).fill(&mut entropy);
    let cards = |entropy: &[u8]| {
        let secret = Secret::from_bytes(entropy).unwrap();
        deal(Shoe::first(secret, 8, Vec::new()).unwrap(), 0)
    };
    let honest = cards(&entropy);
    let mut changes = |at: usize| {
        // Some change of the byte may bring a card of the same kind; not all of them do.
        [1, 2, 4, 8, 16, 32, 64, 128].into_iter().any(|bit| {
            entropy[at] ^= bit;
            let changed = cards(&entropy) != honest;
            entropy[at] ^= bit;
            changed
        })
    };
    // One word of four bytes for each draw, the first below 416, the last below 2.
    for at in 0..415 * 4_usize {
        let bound = 416 - at / 4;
        let lowest_bits = bound.is_power_of_two() && at % 4 < 3;
        assert_eq!(changes(at), !lowest_bits, "byte {at}, of the draw below {bound}");
    }
    assert!(!changes(415 * 4), "the rest is held in reserve for forgotten words");
}

/// Even if the house's entropy were worthless, the players' nonces would mix the shoe.
#[test]
fn every_nonce_changes_the_order() {
    let secret = Secret::from_bytes(&[0; ENTROPY_BYTES]).unwrap();
    let word = |text: &str| text.as_bytes().to_vec();
    let mut all: Vec<Vec<Vec<u8>>> = (0..=255).map(|byte| vec![vec![byte]]).collect();
    all.extend([vec![], vec![vec![0; 2]], vec![vec![0; 64]], vec![vec![0]; 2], vec![vec![0]; 64]]);
    // Where one nonce ends and the next begins matters, and so does which came first.
    all.extend([vec![word("abc")], vec![word("ab"), word("c")], vec![word("a"), word("bc")]]);
    all.extend([vec![word("c"), word("ab")], vec![word("a"), word("b"), word("c")]]);
    let mut orders = HashSet::new();
    for nonces in all {
        let shoe = Shoe::first(secret.clone(), 8, nonces.clone()).unwrap();
        assert!(orders.insert(deal(shoe, 0)), "{nonces:?} repeat an order");
    }
}
