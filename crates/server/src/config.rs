//! How the server is set up: a file, the environment and flags, in that order, and all faults at
//! once.

mod event;
mod pace;
mod zone;

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use jiff::tz::TimeZone;
use rules::Cents;
use store::{Deals, Pace};
use toml::{Table, Value};

pub use self::event::EventConfig;
pub use self::pace::pace;
use crate::books::HouseBooks;
use crate::problem::Problem;
use crate::{opening, tls};

/// How the server is set up.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where it listens.
    pub listen: SocketAddr,
    /// The folder of the log, its key and the door.
    pub data: PathBuf,
    /// Certificate and key for TLS.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// A proxy in front of it speaks TLS.
    pub behind_tls: bool,
    /// Addresses of proxies whose word on the sender is taken.
    pub trusted: Vec<IpAddr>,
    /// Addresses that `/metrics` answers beside those of this machine.
    pub metrics_for: Vec<IpAddr>,
    /// Where people reach it, if that is not where it listens.
    pub public_url: Option<String>,
    /// How long the head of a request, and its body, may take to come, in seconds.
    pub request_seconds: u32,
    /// Origins that are taken for its own, where a proxy changes `Host`.
    pub origins: Vec<String>,
    /// What a guest is given to play with.
    pub guest_chips: Cents,
    /// Requests a second of one person or address.
    pub requests_per_second: u32,
    /// New guests an hour from one address.
    pub guests_per_hour: u32,
    /// Sockets that may be open at once, and of one address.
    pub most_sockets: u32,
    /// Sockets of one address.
    pub sockets_per_address: u32,
    /// How long a player may do nothing before the session ends, in minutes.
    pub idle_player: u32,
    /// The same for staff.
    pub idle_staff: u32,
    /// Robots that fill seats at each table that the system deals.
    pub robots: u32,
    /// The house's time zone: its clock on the wall.
    pub time_zone: TimeZone,
    /// Folders of the house's own books.
    pub books: Vec<PathBuf>,
    /// The tables of a floor that has none yet.
    pub tables: Vec<TableConfig>,
    /// The tournament that is held every so often.
    pub tournament: Option<EventConfig>,
}

/// A table to open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableConfig {
    /// Its name.
    pub title: String,
    /// The line that opens it, such as `operator opens act-2018 with dragon`.
    pub opens: String,
    /// The lines of its sign.
    pub sign: Vec<String>,
    /// Who deals.
    pub deals: Deals,
    /// The pace, where the system deals.
    pub pace: Pace,
}

/// The example, which is the configuration that the server starts with.
pub const EXAMPLE: &str = include_str!("example.toml");

impl Default for Config {
    fn default() -> Self {
        Self::read(&[]).expect("the example is a configuration")
    }
}

/// Every key of the file with what may stand there.
const KEYS: [(&str, &str); 20] = [
    ("listen", "an address and a port, such as \"127.0.0.1:7373\""),
    ("data", "a folder"),
    ("certificate", "a file with certificates, in PEM"),
    ("certificate_key", "a file with the key of the certificate, in PEM"),
    ("behind_tls", "true or false"),
    ("trusted", "a list of addresses of proxies"),
    ("metrics_for", "a list of addresses"),
    ("public_url", "an origin such as \"https://tables.example.org\""),
    ("request_seconds", "a number from 1 to 3600"),
    (
        "origins",
        "a list of origins such as \"https://example.org\", as browsers write them: small letters, \
         no slash at the end, no usual port",
    ),
    ("guest_chips", "an amount in whole dollars"),
    ("requests_per_second", "a number above zero"),
    ("guests_per_hour", "a number above zero"),
    ("most_sockets", "a number above zero"),
    ("sockets_per_address", "a number above zero"),
    ("idle_minutes_player", "a number of minutes"),
    ("idle_minutes_staff", "a number of minutes"),
    ("robots", "a number from 0 to 6"),
    ("books", "a list of folders, each a book of your own that `sabot rules check` finds sound"),
    ("time_zone", "a zone such as \"Australia/Sydney\", or an offset such as \"+10:00\""),
];

/// Keys with keys of their own.
const LISTS: [&str; 2] = ["table", "tournament"];

/// Where a value is from, for those who look for it.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name, such as a path, `SABOT_LISTEN` or `--listen`.
    pub name: String,
    /// Its values: none, if it cannot be read.
    pub values: Table,
    /// Why it cannot be read: all of it.
    pub faults: Vec<String>,
}

impl Source {
    /// A source with these values.
    #[must_use]
    pub fn new(name: impl Into<String>, values: Table) -> Self {
        Self { name: name.into(), values, faults: Vec::new() }
    }

    /// The text of a file. One that is not TOML is told with all of its faults, and its values are
    /// not looked at: where a bracket is missing, they would be taken for something else.
    #[must_use]
    pub fn parsed(name: impl Into<String>, text: &str) -> Self {
        let name = name.into();
        let (_, errors) = toml::de::DeTable::parse_recoverable(text);
        let line = |error: &toml::de::Error| {
            let start = error.span().map_or(0, |span| span.start);
            text.bytes().take(start).filter(|byte| *byte == b'\n').count() + 1
        };
        let mut faults: Vec<_> = errors
            .iter()
            .map(|error| format!("{name}, line {}: {}", line(error), error.message()))
            .collect();
        let values = match text.parse() {
            Ok(values) if faults.is_empty() => values,
            Ok(_) => Table::new(),
            Err(fault) => {
                if faults.is_empty() {
                    faults.push(format!("{name}, line {}: {}", line(&fault), fault.message()));
                }
                Table::new()
            }
        };
        Self { name, values, faults }
    }

    /// A source that cannot be had at all.
    #[must_use]
    pub fn unread(name: impl Into<String>, why: &str) -> Self {
        let name = name.into();
        Self { faults: vec![format!("{name}: {why}")], name, values: Table::new() }
    }
}

struct Reader<'a> {
    merged: &'a Table,
    from: &'a std::collections::BTreeMap<String, String>,
    /// Whether a source could not be read: what is missing may stand there.
    unread: bool,
    faults: Vec<String>,
}

impl Reader<'_> {
    fn fault(&mut self, key: &str) {
        let may = KEYS.iter().find(|(known, _)| *known == key).map_or("", |(_, may)| may);
        let from = self.from.get(key).map_or("the example", String::as_str);
        let found = self.merged.get(key).map_or_else(String::new, |v| format!(" = {v}"));
        self.faults.push(format!("{from}: `{key}`{found}; allowed: {may}"));
    }

    fn get<T>(&mut self, key: &str, read: impl Fn(&Value) -> Option<T>) -> Option<T> {
        let value = self.merged.get(key)?;
        let read = read(value);
        if read.is_none() {
            self.fault(key);
        }
        read
    }

    fn number(&mut self, key: &str, least: i64, most: i64) -> i64 {
        let within = |value: &Value| match value {
            Value::Integer(number) => Some(*number),
            Value::String(text) => text.parse().ok(),
            _ => None,
        };
        let found = self.get(key, |value| within(value).filter(|n| (least..=most).contains(n)));
        found.unwrap_or(least)
    }

    fn count(&mut self, key: &str, least: i64, most: i64) -> u32 {
        u32::try_from(self.number(key, least, most)).unwrap_or(u32::MAX)
    }

    fn text(&mut self, key: &str) -> Option<String> {
        self.get(key, |value| value.as_str().map(str::to_owned)).filter(|text| !text.is_empty())
    }

    fn list<T>(&mut self, key: &str, one: impl Fn(&str) -> Option<T>) -> Vec<T> {
        let read = |value: &Value| match value {
            Value::Array(items) => items.iter().map(|item| one(item.as_str()?)).collect(),
            Value::String(text) => {
                text.split(',').map(str::trim).filter(|t| !t.is_empty()).map(&one).collect()
            }
            _ => None,
        };
        self.get(key, read).unwrap_or_default()
    }
}

impl Config {
    /// Whether people reach it by TLS.
    #[must_use]
    pub const fn is_tls(&self) -> bool {
        self.tls.is_some() || self.behind_tls
    }

    /// What is allowed and unwise, in words.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let mut all = Vec::new();
        if !self.is_tls() && !self.listen.ip().is_loopback() {
            all.push(format!(
                "anybody on the network of {} can read passwords: there is no TLS; set \
                 `certificate` and `certificate_key`, or `behind_tls` with a proxy that speaks it",
                self.listen
            ));
        }
        if self.behind_tls && self.trusted.is_empty() {
            let what = "`behind_tls` without `trusted`: everybody counts as one address, the \
                        proxy's; name the proxy's address in `trusted`";
            all.push(what.into());
        }
        all
    }

    /// Reads the sources over the example, the later over the earlier.
    ///
    /// # Errors
    ///
    /// With every fault of them.
    pub fn read(sources: &[Source]) -> Result<Self, Vec<String>> {
        let mut merged: Table =
            EXAMPLE.parse().map_err(|fault: toml::de::Error| vec![fault.to_string()])?;
        let mut from = std::collections::BTreeMap::new();
        let mut faults = Vec::new();
        for source in sources {
            faults.extend(source.faults.iter().cloned());
            for (key, value) in &source.values {
                if !LISTS.contains(&key.as_str()) && KEYS.iter().all(|(known, _)| known != key) {
                    let known: Vec<_> = KEYS.iter().map(|(known, _)| *known).collect();
                    let known = [&known[..], &LISTS].concat().join(", ");
                    faults.push(format!("{}: `{key}` is no key; there are {known}", source.name));
                    continue;
                }
                merged.insert(key.clone(), value.clone());
                from.insert(key.clone(), source.name.clone());
            }
        }
        let unread = !sources.iter().all(|source| source.faults.is_empty());
        let mut reader = Reader { merged: &merged, from: &from, unread, faults };
        let config = Self::gathered(&mut reader);
        match (config, reader.faults) {
            (Some(config), faults) if faults.is_empty() => Ok(config),
            (_, faults) => Err(faults),
        }
    }

    fn gathered(reader: &mut Reader<'_>) -> Option<Self> {
        let listen = reader.get("listen", |value| value.as_str()?.parse().ok());
        let data = reader.text("data").map(PathBuf::from);
        let certificate = reader.text("certificate").map(PathBuf::from);
        let key = reader.text("certificate_key").map(PathBuf::from);
        let tls = read_tls(reader, certificate, key);
        let behind = |value: &Value| match value {
            Value::Boolean(behind) => Some(*behind),
            Value::String(text) => text.parse().ok(),
            _ => None,
        };
        let behind_tls = reader.get("behind_tls", behind);
        let trusted = reader.list("trusted", address);
        let metrics_for = reader.list("metrics_for", address);
        let origins = reader.list("origins", |text| is_origin(text).then(|| text.to_owned()));
        let read_url = |value: &Value| {
            value.as_str().filter(|text| text.is_empty() || is_origin(text)).map(str::to_owned)
        };
        let public_url = reader.get("public_url", read_url).filter(|url| !url.is_empty());
        let chips = reader.number("guest_chips", 0, 1_000_000_000);
        let time_zone = reader.get("time_zone", |value| zone::named(value.as_str()?));
        let request_seconds = reader.count("request_seconds", 1, 3_600);
        let folders = reader.list("books", |text| Some(PathBuf::from(text)));
        let books = HouseBooks::with(&folders).unwrap_or_else(|faults| {
            let from = reader.from.get("books").map_or("the example", String::as_str);
            reader.faults.extend(faults.iter().map(|fault| format!("{from}: `books`: {fault}")));
            HouseBooks::default()
        });
        let tables = tables(reader, &books);
        let tournament = event::read(reader, &books);
        Some(Self {
            requests_per_second: reader.count("requests_per_second", 1, 1_000_000),
            guests_per_hour: reader.count("guests_per_hour", 1, 1_000_000),
            most_sockets: reader.count("most_sockets", 1, 100_000),
            sockets_per_address: reader.count("sockets_per_address", 1, 100_000),
            idle_player: reader.count("idle_minutes_player", 1, 100_000),
            idle_staff: reader.count("idle_minutes_staff", 1, 100_000),
            robots: reader.count("robots", 0, 6),
            time_zone: time_zone?,
            listen: listen?,
            data: data.unwrap_or_default(),
            tls,
            behind_tls: behind_tls.unwrap_or(false),
            public_url,
            request_seconds,
            trusted,
            metrics_for,
            origins,
            books: folders,
            guest_chips: Cents::new(u64::try_from(chips).ok()?.saturating_mul(100))?,
            tables,
            tournament,
        })
    }
}

/// The files for TLS, which come together and can be read.
fn read_tls(
    reader: &mut Reader<'_>,
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
) -> Option<(PathBuf, PathBuf)> {
    match (certificate, key) {
        (Some(certificate), Some(key)) => {
            if let Err(tls::Fault { key, why }) = tls::load(&certificate, &key) {
                let from = reader.from.get(key).map_or("the example", String::as_str);
                let may = "a certificate with its key, in PEM";
                reader.faults.push(format!("{from}: `{key}`: {why}; allowed: {may}"));
            }
            Some((certificate, key))
        }
        (None, None) => None,
        // The other one may stand in the file that cannot be read.
        (Some(_), None) | (None, Some(_)) if reader.unread => None,
        (Some(_), None) => {
            reader.fault("certificate_key");
            None
        }
        (None, Some(_)) => {
            reader.fault("certificate");
            None
        }
    }
}

/// An address in the form in which those of connections are compared.
fn address(text: &str) -> Option<IpAddr> {
    text.parse::<IpAddr>().ok().map(|address| address.to_canonical())
}

fn tables(reader: &mut Reader<'_>, books: &HouseBooks) -> Vec<TableConfig> {
    let from = reader.from.get("table").map_or("the example", String::as_str);
    let (mut tables, mut faults) = (Vec::new(), Vec::new());
    let listed = match reader.merged.get("table") {
        Some(Value::Array(listed)) => listed.as_slice(),
        Some(_) => {
            faults.push(format!("{from}: `table`; allowed: [[table]] for each"));
            &[]
        }
        None => &[],
    };
    // Titles count whatever else is wrong with their tables.
    let mut titles = std::collections::BTreeSet::new();
    for (i, one) in listed.iter().enumerate() {
        let at = format!("{from}: table {}", i + 1);
        if let Some(title) = one.get("title").and_then(Value::as_str)
            && !titles.insert(title)
        {
            faults.push(format!("{at}: a second table \"{title}\"; allowed: another title"));
        }
        match table(books, one) {
            Ok(table) => tables.push(table),
            Err(why) => faults.extend(why.iter().map(|why| format!("{at}: {why}"))),
        }
    }
    reader.faults.extend(faults);
    tables
}

/// The keys of a table.
const KNOWN: [&str; 5] = ["title", "opens", "sign", "deals", "pace"];

fn table(books: &HouseBooks, value: &Value) -> Result<TableConfig, Vec<String>> {
    let value =
        value.as_table().ok_or_else(|| vec!["allowed: a title and a line that opens it".into()])?;
    let mut faults: Vec<String> = Vec::new();
    for key in value.keys().filter(|key| !KNOWN.contains(&key.as_str())) {
        faults.push(format!("`{key}` is no key; there are {}", KNOWN.join(", ")));
    }
    let mut must = |key: &str, found: bool, may: &str| {
        if !found {
            let said = value.get(key).map_or_else(String::new, |value| format!(" = {value}"));
            faults.push(format!("`{key}`{said}; allowed: {may}"));
        }
    };
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let title = text("title").filter(|title| is_title(title));
    must("title", title.is_some(), "a name of up to 60 characters");
    let opens = text("opens");
    must("opens", opens.is_some(), "a line such as \"operator opens act-2018\"");
    let lines = value.get("sign").map_or(Some(&[][..]), |sign| sign.as_array().map(Vec::as_slice));
    // What is a line is read as one, also beside something that is none.
    let sign: Vec<String> =
        lines.unwrap_or_default().iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let are_lines = lines.is_some_and(|lines| lines.len() == sign.len());
    must("sign", are_lines, "a list of lines such as [\"operator posts main 5..500\"]");
    let deals = match value.get("deals").map_or(Some("system"), Value::as_str) {
        Some("system") => Some(Deals::System),
        Some("staff") => Some(Deals::Staff),
        Some("keyed") => Some(Deals::Keyed),
        Some(_) | None => None,
    };
    must("deals", deals.is_some(), "\"system\", \"staff\" or \"keyed\"");
    let pace = pace::read(value.get("pace"));
    must("pace", pace.is_some(), pace::MAY);
    let problems = match opens {
        Some(opens) => opening::read(books, opens, &sign).err().unwrap_or_default(),
        None => opening::faults_of_sign(&sign),
    };
    let told = |problem: &Problem| format!("{}; allowed: {}", problem.title, problem.instead);
    faults.extend(problems.iter().map(told));
    match (title, opens, deals, pace) {
        (Some(title), Some(opens), Some(deals), Some(pace)) if faults.is_empty() => {
            Ok(TableConfig { title: title.into(), opens: opens.into(), sign, deals, pace })
        }
        _ => Err(faults),
    }
}

/// Whether a text is an origin as browsers write it: a scheme, a host in small letters, and a port
/// that is not the usual one.
fn is_origin(text: &str) -> bool {
    let (host, usual) = match text.split_once("://") {
        Some(("https", host)) => (host, ":443"),
        Some(("http", host)) => (host, ":80"),
        Some(_) | None => return false,
    };
    let odd = |c: char| c.is_ascii_uppercase() || ['/', ' ', '?', '#', '@'].contains(&c);
    !host.is_empty() && !host.contains(odd) && !host.ends_with(usual)
}

/// Whether a text can be the name of a table.
pub(crate) fn is_title(title: &str) -> bool {
    let length = title.chars().count();
    (1..=60).contains(&length) && title.trim() == title && !title.chars().any(char::is_control)
}
