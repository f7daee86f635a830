//! The description of the API and what is made from it.
//!
//! `SABOT_DOCS=write cargo test -p server --test described` writes the types of the page anew.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod house;

use std::path::Path;
use std::time::Duration;

use house::cup::everybody;
use house::{House, quick};
use serde_json::{Value, json};
use server::config::{TableConfig, pace};
use testkit::cups::DUEL;

const TYPES: &str = "web/src/lib/types.ts";

#[test]
fn the_types_of_the_page_are_those_of_the_server() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(TYPES);
    let made = server::openapi::typescript();
    if std::env::var_os("SABOT_DOCS").is_some_and(|said| said == "write") {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &made).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == made, "{TYPES} is old; SABOT_DOCS=write writes it anew");
}

#[test]
fn everything_that_is_named_in_the_document_is_in_it() {
    fn references(value: &serde_json::Value, found: &mut Vec<String>) {
        match value {
            serde_json::Value::Object(fields) => {
                for (key, value) in fields {
                    match (key.as_str(), value.as_str()) {
                        ("$ref", Some(path)) => found.push(path.to_owned()),
                        _ => references(value, found),
                    }
                }
            }
            serde_json::Value::Array(items) => {
                for item in items {
                    references(item, found);
                }
            }

            _ => {}
        }
    }
    let document = server::openapi::document();
    let mut found = Vec::new();
    references(&document, &mut found);
    assert!(found.len() > 50, "{}", found.len());
    for path in found {
        let at = path.strip_prefix('#').unwrap();
        assert!(document.pointer(at).is_some(), "{path} leads nowhere");
    }
}

/// What stands behind a mark, each up to the next quotation mark.
fn marked(page: &str, mark: &str) -> std::collections::BTreeSet<String> {
    page.split(mark).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
}

#[test]
fn the_page_tells_problems_queries_shapes_and_what_the_socket_says() {
    let (page, document) = (server::openapi::page(), server::openapi::document());
    let (there, linked) = (marked(&page, "id=\""), marked(&page, "href=\"#"));
    assert_eq!(there.len(), page.matches("id=\"").count(), "an anchor stands there twice");
    assert!(linked.len() > 60, "{linked:?}");
    assert!(linked.is_subset(&there), "{:?}", linked.difference(&there));
    assert!(!page.contains("#/components/"), "what is referred to is a link");
    for code in table::Code::ALL {
        assert!(there.contains(&format!("problem-{}", code.key())), "{}", code.key());
    }
    for code in ["bad-request", "too-many", "signed-out", "unknown"] {
        assert!(there.contains(&format!("problem-{code}")), "{code}");
    }
    for name in ["as", "after", "book", "decks"] {
        assert!(page.contains(&format!("<code>?{name}=</code>")), "{name}");
    }
    let told = document["x-socket"]["told"]["oneOf"].as_array().unwrap();
    assert_eq!(told.len(), 3, "{told:?}");
    let schemas = document["components"]["schemas"].to_string();
    for kind in ["view", "update", "gap", "answer", "unsubscribed", "over", "pong", "problem"] {
        assert!(schemas.contains(&format!("\"const\":\"{kind}\"")), "{kind}");
    }
}

/// Something of a schema: what must be there, and nothing else.
fn sample(schema: &Value, document: &Value) -> Value {
    if let Some(path) = schema["$ref"].as_str() {
        return sample(document.pointer(path.trim_start_matches('#')).unwrap(), document);
    }
    if let Some(known) = schema["examples"].get(0).or_else(|| schema["enum"].get(0)) {
        return known.clone();
    }
    if let Some(fixed) = schema.get("const") {
        return fixed.clone();
    }
    if let Some(first) = schema["oneOf"].get(0) {
        return sample(first, document);
    }
    match schema["type"].as_str() {
        Some("object") => {
            let needed = schema["required"].as_array().into_iter().flatten();
            let field = |name: &Value| {
                let name = name.as_str().unwrap();
                (name.to_owned(), sample(&schema["properties"][name], document))
            };
            Value::Object(needed.map(field).collect())
        }
        Some("integer") => json!(1),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        _ => json!("something"),
    }
}

/// What needs a role says which, and is refused to whoever has another or none; what needs none is
/// not.
#[tokio::test(flavor = "multi_thread")]
async fn who_may_ask_is_as_the_page_says() {
    let house = House::open(vec![quick("One", "operator opens act-2018")]).await;
    let all = everybody(&house).await;
    let dana = &all.iter().find(|(role, _)| *role == "director").unwrap().1;
    let cup = json!({ "conditions": DUEL });
    assert!(dana.post("/api/v1/tournaments", &cup).await.unwrap().is_good());
    let (document, page) = (server::openapi::document(), server::openapi::page());
    let mut roles = std::collections::BTreeSet::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        let id = if path.contains("/tournaments/") { "e1" } else { "t1" };
        let at = path.replace("{id}", id).replace("{number}", "1").replace("{name}", "Ann");
        let at = at.replace("{sheet}", "seating");
        for (method, operation) in operations.as_object().unwrap() {
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            let body = if schema.is_null() { Value::Null } else { sample(schema, &document) };
            let (method, body) = (method.to_uppercase(), body.to_string().into_bytes());
            let guest = house.client().guest(None).await.unwrap();
            let json = [("content-type", "application/json")];
            let asked_by = async |who: &server::client::Client| {
                let reply = who.request((&method, &at), &json, body.clone()).await.unwrap();
                // A player who does not sit there is refused in other words.
                (reply.body["title"] == "something that is not yours to do", reply)
            };
            let needed = operation["x-roles"].as_array();
            let (refused, reply) = asked_by(&guest).await;
            assert_eq!(refused, needed.is_some(), "{method} {at}: {reply:?}");
            let words = needed.into_iter().flatten().filter_map(Value::as_str);
            let words: Vec<_> = words.collect();
            // What needs no role would end the sessions of those who try it.
            for (role, who) in all.iter().filter(|_| needed.is_some()) {
                let (refused, reply) = asked_by(who).await;
                assert_eq!(refused, !words.contains(role), "{role}: {method} {at}: {reply:?}");
            }
            roles.insert(words.join(" or "));
        }
    }
    for role in ["operator", "director", "director or dealer"] {
        assert!(roles.contains(role), "{role}: {roles:?}");
        assert!(page.contains(&format!("<small>({role})</small>")), "{role}");
    }
    house.close().await;
}

/// A line that opens something is no order: it is told which request does it.
#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_opens_something_is_told_what_would_do() {
    let house = House::open(vec![quick("One", "operator opens act-2018")]).await;
    let olga = house.operator("Olga").await;
    let dana = house.staff(&olga, "director", "Dana").await;
    let cup = json!({ "conditions": DUEL });
    assert!(dana.post("/api/v1/tournaments", &cup).await.unwrap().is_good());
    for place in ["tables/t1", "tournaments/e1"] {
        for line in [
            "condition name = \"Cup\"",
            "operator documents the conditions",
            "operator opens a tournament under act-2018",
        ] {
            let order = json!({ "key": "k", "line": line });
            let path = format!("/api/v1/{place}/orders");
            let told = olga.post(&path, &order).await.unwrap();
            assert_eq!(told.status, 400, "{place} {line}: {told:?}");
            let instead = told.body["instead"].as_str().unwrap();
            assert!(instead.contains("POST /api/v1/tournaments"), "{place} {line}: {told:?}");
        }
    }
    house.close().await;
}

/// The block of `docs/API.md` in that language, and the folder of the repository.
fn block(language: &str) -> (String, std::path::PathBuf) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/API.md")).expect("the page is there");
    let (_, block) = page.split_once(&format!("```{language}\n")).expect("it has a block");
    let (block, _) = block.split_once("```").expect("which ends");
    (block.to_owned(), root)
}

/// What a program prints that ends well and in time.
async fn printed(program: &mut tokio::process::Command) -> String {
    let output = tokio::time::timeout(Duration::from_mins(2), program.output()).await;
    let output = output.expect("it ends").expect("the program is there");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said
}

/// The lines for curl, as they stand there but for the address.
#[tokio::test(flavor = "multi_thread")]
async fn the_lines_for_curl_do_what_the_page_says() {
    let (lines, root) = block("sh");
    let house = House::open(vec![quick("One", "operator opens act-2018")]).await;
    let usual = "SABOT=http://127.0.0.1:7373\n";
    assert!(lines.starts_with(usual), "{lines}");
    let lines = lines.replacen(usual, &format!("SABOT={}\n", house.address), 1);
    let asked = lines.lines().filter(|line| line.starts_with("curl ")).count();
    let mut shell = tokio::process::Command::new("sh");
    let said = printed(shell.args(["-euc", &lines]).current_dir(root)).await;
    let answers = serde_json::Deserializer::from_str(&said).into_iter::<Value>();
    let answers: Vec<Value> = answers.collect::<Result<_, _>>().unwrap();
    assert_eq!(answers.len(), asked, "{said}");
    let [me, tables, sat, again, events, shoe, judged, odds] = &answers[..] else {
        panic!("eight answers: {said}")
    };
    assert_eq!(me["balance_cents"], 100_000, "{me}");
    assert_eq!((&tables[0]["id"], &tables[0]["book"]), (&json!("t1"), &json!("act-2018")));
    let kinds = |of: &Value| -> Vec<String> {
        let events = of["events"].as_array().unwrap_or_else(|| panic!("{of}"));
        events.iter().map(|event| event["kind"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!((kinds(sat), &sat["repeated"]), (vec!["arrived".to_owned()], &json!(false)));
    assert_eq!((&again["events"], &again["repeated"]), (&sat["events"], &json!(true)));
    assert_eq!(again["version"], sat["version"]);
    let arrived = kinds(events).iter().filter(|kind| *kind == "arrived").count();
    assert_eq!(arrived, 1, "the order was carried out once: {events}");
    assert_eq!(shoe["number"], 1, "{shoe}");
    assert!(shoe["shoe"]["entropy"].is_null(), "{shoe}");
    assert_eq!(judged["passed"], true, "{judged}");
    let wagers = odds["wagers"].as_array().unwrap();
    let edge = |spot: &str| wagers.iter().find(|one| one["spot"] == spot).unwrap()["edge"].clone();
    assert_eq!(edge("banker"), "114753351728/10847218479825", "{odds}");
    assert!(edge("lucky-6").is_string(), "{odds}");
    house.close().await;
}

/// The program of `docs/API.md`, as it stands there, plays a shoe from its first coup to its last;
/// the shoe is revealed, and the independent verifier proves every card of it.
#[tokio::test(flavor = "multi_thread")]
async fn the_program_in_the_page_plays_a_shoe() {
    let (program, root) = block("python");
    // The fewest decks that a book allows, and a pace for programs.
    let pace = store::Pace { betting_ms: 200, ..pace("at-once").unwrap() };
    let table = quick("One", "operator opens tas-2013 with decks=4");
    let house = House::open(vec![TableConfig { pace, ..table }]).await;
    let record = house.folder.path().join("shoe.json");
    let mut python = tokio::process::Command::new("python3");
    let python = python.args(["-c", &program]).env("SABOT", &house.address);
    let said = printed(python.env("RECORD", &record)).await;
    let summary = said.lines().last().unwrap();
    let numbers: Vec<usize> = summary.split(' ').filter_map(|word| word.parse().ok()).collect();
    let [coups, bets, cards, holds] = numbers[..] else { panic!("{summary}") };
    // 208 cards, seven of which are behind the cutting card; four to six for a coup.
    assert!((33..=52).contains(&coups) && bets * 2 >= coups, "{summary}");
    assert!((197..=208).contains(&cards), "{summary}");
    assert!(said.contains("coup 1 begins") && said.contains("a shuffle comes before"), "{said}");
    let mut verifier = tokio::process::Command::new("python3");
    let verifier = verifier.arg(root.join("tools/verify_shoe.py")).arg(&record);
    let proved = printed(verifier).await;
    let all = format!("Cards dealt: {cards}. Cards proved by their path to the root: {cards}.");
    for what in [&all, "decks: 4", "The entropy is out and is what was committed to"] {
        assert!(proved.contains(what), "{what}: {proved}");
    }
    // The money that the program was told of is what its coups did.
    let wins = said.lines().filter(|line| line.contains(" wins 4.75 with 5 on banker")).count();
    let losses = said.lines().filter(|line| line.contains(" loses 5 on banker")).count();
    assert_eq!(holds, 100_000 + wins * 475 - losses * 500, "{summary}");
    house.close().await;
}

/// Items of the bar.
const ITEMS: usize = 31;

/// Every item of the bar has a row in `docs/BAR.md`, and every row names tests that exist.
#[test]
fn every_promise_has_its_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/BAR.md")).expect("the page is there");
    let (mut items, mut open) = (std::collections::BTreeSet::new(), 0);
    for row in page.lines().filter(|line| line.starts_with("| ")).skip(1) {
        let cells: Vec<_> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [item, _, shown] = cells.as_slice() else { panic!("three cells: {row}") };
        items.insert(item.parse::<usize>().expect("a number"));
        if shown.contains("*open*") {
            open += 1;
            continue;
        }
        let named: Vec<_> = shown.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty() && named.len().is_multiple_of(2), "no test in {row}");
        for pair in named.chunks(2) {
            let [file, test] = pair else { panic!("a file and a test: {row}") };
            assert!(is_in(&root, file, test), "{file} has no {test}");
        }
    }
    assert!(items.into_iter().eq(1..=ITEMS) && open < 6, "{open} are open");
}

/// Whether a file has that test, or something else of that name.
fn is_in(root: &Path, file: &str, test: &str) -> bool {
    let source = std::fs::read_to_string(root.join(file)).unwrap_or_default();
    // A test of the page or a transcript is named by words of its own.
    let wanted = match file.rsplit('.').next() {
        Some("rs") => format!("fn {test}("),
        Some("py") => format!("def {test}("),
        _ => test.to_owned(),
    };
    source.contains(&wanted)
}

/// What a row of `docs/ASVS.md` says first, if it names no test.
const OTHERWISE: [&str; 4] = ["*by design*", "*not applicable*", "*open in part*", "*open*"];

/// Every row of the verification standard's list names tests or says why not, and what it names
/// exists.
#[test]
fn every_requirement_of_the_standard_is_answered() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/ASVS.md")).unwrap();
    let (mut chapters, mut rows) = (Vec::new(), 0);
    for line in page.lines() {
        if let Some(title) = line.strip_prefix("## V") {
            chapters.push(title.split(' ').next().unwrap().parse::<u32>().unwrap());
        }
        let Some(row) = line.strip_prefix("| ") else { continue };
        let cells: Vec<_> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [number, what, shown] = cells.as_slice() else { panic!("three cells: {line}") };
        if *number == "requirement" {
            continue;
        }
        rows += 1;
        let chapter = format!("{}.", chapters.last().unwrap());
        assert!(number.starts_with(&chapter) || number.starts_with("all"), "{line}");
        assert!(!what.is_empty(), "{line}");
        let (mut file, mut tests) = (None, 0);
        for named in shown.split('`').skip(1).step_by(2) {
            if root.join(named).is_file() {
                file = Some(named);
            } else if named.contains('_') && named.is_ascii() && !named.contains('/') {
                let file = file.unwrap_or_else(|| panic!("{named} is in no file: {line}"));
                assert!(is_in(&root, file, named), "{file} has no {named}");
                tests += 1;
            } else if named.contains('/') && named.contains('.') {
                panic!("there is no {named}: {line}");
            } else if file.is_some_and(|file| file.ends_with(".spec.ts")) {
                assert!(is_in(&root, file.unwrap(), named), "{named}: {line}");
                tests += 1;
            }
        }
        let otherwise = OTHERWISE.iter().any(|word| shown.starts_with(word));
        assert!(tests > 0 || otherwise, "neither a test nor a reason: {line}");
    }
    assert!(chapters.into_iter().eq(1..=17) && rows > 180, "{rows} rows");
}
