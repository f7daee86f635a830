//! The set-up: all that is wrong with it is told at once, and what is unwise is said.

use server::config::{Config, Source};

fn read(text: &str) -> Result<Config, Vec<String>> {
    Config::read(&[Source::parsed("set-up.toml", text)])
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
        sign = ["dealer shuffles", "operator dances", "operator posts main 500..5"]
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
        "set-up.toml: `certificate`: /nowhere/certificate.pem",
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
        "table 2: limits of 500 to 5",
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

/// Titles, lines of signs and books are looked at one by one: nothing hides behind another fault.
#[test]
fn one_fault_of_a_table_hides_no_other() {
    let faults = read(
        r#"
        [[table]]
        title = "Twice"
        opens = "operator opens mars-1999"
        sign = ["operator dances"]
        [[table]]
        title = "Twice"
        sign = ["dealer shuffles", 7]
        [[table]]
        title = "Signs"
        opens = "operator opens act-2018"
        sign = ["operator sings", "operator posts main 500..5", "operator posts tie 400..4"]
        "#,
    )
    .unwrap_err();
    let wanted = [
        ("table 1: ", "mars-1999"),
        ("table 1: ", "`operator dances`"),
        ("table 2: ", "a second table \"Twice\""),
        ("table 2: ", "`opens`"),
        ("table 2: ", "`sign` = [\"dealer shuffles\", 7]"),
        ("table 2: ", "`dealer shuffles` is no line of a sign"),
        ("table 3: ", "`operator sings`"),
        ("table 3: ", "500"),
        ("table 3: ", "400"),
    ];
    for (at, what) in wanted {
        let told = faults.iter().filter(|fault| fault.contains(at) && fault.contains(what)).count();
        assert_eq!(told, 1, "{at}{what}: {faults:#?}");
    }
    assert_eq!(faults.len(), wanted.len(), "{faults:#?}");
}

/// A file that is not TOML is told fault by fault with their lines, and no value is guessed at.
#[test]
fn a_file_that_is_no_toml_hides_nothing_that_was_said_elsewhere() {
    let text = "listen = nowhere\nrobots = 99\n[[table]\ntitle = \"Mars\"\n";
    let file = Source::parsed("set-up.toml", text);
    let said = |name: &str, key: &str, value: &str| {
        Source::new(name, toml::Table::from_iter([(key.to_owned(), value.into())]))
    };
    let sources = [
        file,
        said("SABOT_BEHIND_TLS", "behind_tls", "perhaps"),
        // Its key may stand in the file.
        said("SABOT_CERTIFICATE", "certificate", "/nowhere/certificate.pem"),
        said("--robots", "robots", "many"),
    ];
    let faults = Config::read(&sources).unwrap_err();
    let wanted =
        ["set-up.toml, line 1: ", "set-up.toml, line 3: ", "SABOT_BEHIND_TLS: ", "--robots: "];
    for what in wanted {
        let told = faults.iter().filter(|fault| fault.starts_with(what)).count();
        assert_eq!(told, 1, "{what}: {faults:#?}");
    }
    assert_eq!(faults.len(), wanted.len(), "{faults:#?}");
}
