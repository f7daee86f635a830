//! The set-up: all that is wrong with it is told at once, and what is unwise is said.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use server::config::{Config, Source};

fn read(text: &str) -> Result<Config, Vec<String>> {
    Config::read(&[Source { name: "set-up.toml".into(), values: text.parse().unwrap() }])
}

#[test]
fn every_fault_of_every_table_is_told() {
    let faults = read(
        r#"
        certificate = "/nowhere/certificate.pem"
        certificate_key = "/nowhere/key.pem"
        public_url = "tables.example.org"
        [[table]]
        title = "Mars"
        opens = "operator opens mars-1999"
        sign = "operator posts main 5..500"
        deals = 7
        pace = "slow"
        colour = "green"
        [[table]]
        opens = "operator opens act-2018+lucky-6+lucky-6"
        sign = ["dealer shuffles", "operator dances"]
        [[table]]
        title = "Wrong way round"
        opens = "operator opens act-2018"
        sign = ["operator posts main 500..5"]
        [[table]]
        title = "Twice"
        opens = "operator opens act-2018"
        [[table]]
        title = "Twice"
        opens = "operator opens nz-1998"
        "#,
    )
    .unwrap_err();
    let wanted = [
        "/nowhere/certificate.pem",
        "`public_url`",
        "table 1: `colour`",
        "table 1: `sign`",
        "table 1: `deals` = 7",
        "table 1: `pace`",
        "mars-1999",
        "table 2: `title`",
        "each sheet of side bets once",
        "`dealer shuffles`",
        "`operator dances`",
        "table 3: ",
        "table 5: a second table \"Twice\"",
    ];
    for what in wanted {
        let told = faults.iter().filter(|fault| fault.contains(what)).count();
        assert_eq!(told, 1, "{what}: {faults:#?}");
    }
    assert_eq!(faults.len(), wanted.len(), "{faults:#?}");
    assert!(faults.iter().all(|fault| fault.contains(';')), "what is allowed: {faults:#?}");
}

#[test]
fn what_is_unwise_is_said() {
    let warned = |text: &str| read(text).unwrap().warnings();
    assert!(warned("").is_empty());
    let open = warned("listen = \"0.0.0.0:7373\"");
    assert!(open.len() == 1 && open[0].contains("no TLS"), "{open:?}");
    let proxy = warned("listen = \"0.0.0.0:7373\"\nbehind_tls = true");
    assert!(proxy.len() == 1 && proxy[0].contains("`trusted`"), "{proxy:?}");
    assert!(warned("behind_tls = true\ntrusted = [\"127.0.0.1\"]").is_empty());
}
