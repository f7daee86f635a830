//! Where sessions are kept: one log, and one key each.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// The stream of a session's table.
pub(crate) const STREAM: &str = "table 1";

/// The log of a floor, in a folder of its own.
pub(crate) const FLOOR: &str = "floor.sabot";
/// The log of drills.
const DRILLS: &str = "drills.sabot";

/// The folder of everything that sabot keeps for this person.
pub(crate) struct Data {
    folder: PathBuf,
    /// Whether it was named on the command line, so that the next command has to name it too.
    named: bool,
}

impl Data {
    /// The folder that was named, that of the environment, or the system's place for such data.
    pub(crate) fn folder(named: Option<&Path>) -> Result<Self> {
        let said = std::env::var_os("SABOT_DATA").filter(|said| !said.is_empty());
        let folder = named
            .map(Path::to_path_buf)
            .or_else(|| said.map(PathBuf::from))
            .or_else(|| dirs::data_dir().map(|folder| folder.join("sabot")))
            .context("no folder for sessions is known; name one with --data FOLDER")?;
        Ok(Self { folder, named: named.is_some() })
    }

    /// What a command needs behind it to find this folder again.
    pub(crate) fn option(&self) -> String {
        if self.named { format!(" --data {}", quoted(&self.folder)) } else { String::new() }
    }

    fn sessions(&self) -> PathBuf {
        self.folder.join("sessions")
    }

    fn make(folder: &Path) -> Result<()> {
        std::fs::create_dir_all(folder).with_context(|| {
            format!("cannot make the folder {}; name another with --data FOLDER", folder.display())
        })
    }

    /// Where the events of `sabot tournament run` are kept, one log each.
    pub(crate) fn events(&self) -> Result<PathBuf> {
        let folder = self.folder.join("events");
        Self::make(&folder)?;
        Ok(folder)
    }

    /// Where the token for a server is kept.
    pub(crate) fn token_for(&self, address: &str) -> Result<PathBuf> {
        let folder = self.folder.join("servers");
        Self::make(&folder)?;
        let safe = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
        Ok(folder.join(address.chars().map(safe).collect::<String>()))
    }

    /// Where the floor of `sabot serve` is kept.
    pub(crate) fn floor(&self) -> PathBuf {
        self.folder.join("floor")
    }

    /// Notes about terminals that show a table now.
    pub(crate) fn screens(&self) -> PathBuf {
        self.folder.join("screens")
    }

    /// The log of drills.
    pub(crate) fn drills(&self) -> Result<PathBuf> {
        Self::make(&self.folder)?;
        Ok(self.folder.join(DRILLS))
    }

    /// Names for a new session's log, by the time and the book: the first that can be made is its.
    pub(crate) fn new_sessions(&self, book: &str) -> Result<impl Iterator<Item = PathBuf>> {
        let folder = self.sessions();
        Self::make(&folder)?;
        let now = moment(std::time::SystemTime::now()).strftime("%Y-%m-%dT%H-%M-%SZ");
        let book = book.rsplit('/').next().unwrap_or(book).replace('@', "-over-");
        Ok((1..1000).map(move |again| {
            let number = if again == 1 { String::new() } else { format!("-{again}") };
            folder.join(format!("{now}-{book}{number}.sabot"))
        }))
    }

    /// Every session, the newest last.
    pub(crate) fn all_sessions(&self) -> Result<Vec<PathBuf>> {
        let mut sessions = self.with_extension("sabot")?;
        sessions.sort_by_cached_key(|path| in_order(&name_of(path)));
        Ok(sessions)
    }

    /// The files of sessions whose names end so.
    fn with_extension(&self, end: &str) -> Result<Vec<PathBuf>> {
        let folder = self.sessions();
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(missing) if missing.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(fault) => bail!("{}: {fault}", folder.display()),
        };
        let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
        Ok(paths
            .filter(|path| path.extension().is_some_and(|extension| extension == end))
            .collect())
    }

    /// Every session, and every one whose log is gone though what is beside its key knows it; the
    /// newest last.
    pub(crate) fn sessions_and_lost(&self) -> Result<Vec<PathBuf>> {
        let mut sessions = self.all_sessions()?;
        let beside = self.with_extension("head")?.into_iter();
        let logs = beside.map(|head| head.with_extension("sabot"));
        let lost = logs.filter(|log| !log.exists() && store::knows_a_log(&key_of(log)));
        sessions.extend(lost);
        sessions.sort_by_cached_key(|path| in_order(&name_of(path)));
        Ok(sessions)
    }

    /// The session that a person means: a file, a name, a part of just one name, or the newest.
    pub(crate) fn session(&self, said: Option<&str>) -> Result<PathBuf> {
        if let Some(path) = said.map(Path::new).filter(|path| path.is_file()) {
            return Ok(path.to_path_buf());
        }
        let sessions = self.all_sessions()?;
        let (place, option) = (self.sessions(), self.option());
        let Some(said) = said else {
            return sessions.last().cloned().with_context(|| {
                let place = place.display();
                format!("there is no session in {place} yet; `sabot play{option}` begins one")
            });
        };
        let named = sessions.iter().find(|path| name_of(path) == said);
        let part = sessions.iter().filter(|path| name_of(path).contains(said));
        match (named, part.collect::<Vec<_>>().as_slice()) {
            (Some(path), _) | (None, &[path]) => Ok(path.clone()),
            (None, []) => bail!(
                "there is no session `{said}` in {}; `sabot audit list{option}` tells which there \
                 are",
                place.display()
            ),
            (None, several) => {
                let newest = several.iter().rev().take(5).map(|path| name_of(path));
                let newest = newest.collect::<Vec<_>>().join(", ");
                let more = match several.len().saturating_sub(5) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                bail!("`{said}` may be any of these sessions; name one: {newest}{more}")
            }
        }
    }
}

/// A time of the system's clock. One that is beyond every calendar gives the last moment there is,
/// and no panic.
pub(crate) fn moment(at: std::time::SystemTime) -> jiff::Timestamp {
    jiff::Timestamp::try_from(at).unwrap_or(jiff::Timestamp::MAX)
}

/// A session's name.
pub(crate) fn name_of(log: &Path) -> String {
    log.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// What names are ordered by: their numbers count as numbers, so that the tenth session of a
/// second comes behind the second, and the first, which has no number, before both.
fn in_order(name: &str) -> Vec<(u64, String)> {
    let part = |part: &str| (part.parse().unwrap_or(0), part.to_owned());
    name.split('-').map(part).collect()
}

/// A path as it is typed in a shell.
pub(crate) fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+,:@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Takes a session away that never began.
pub(crate) fn remove(log: &Path) {
    let name = log.file_name().unwrap_or_default().to_string_lossy();
    let beside = ["", "-wal", "-shm"].map(|end| log.with_file_name(format!("{name}{end}")));
    for path in beside.iter().chain([&key_of(log), &log.with_extension("head")]) {
        // What is not there need not be taken away.
        let _ = std::fs::remove_file(path);
    }
}

/// The key of a log's secrets, outside the log. A floor and the drills keep theirs under names of
/// their own; an event that is called `floor` has the key of a session.
pub(crate) fn key_of(log: &Path) -> PathBuf {
    let sessions = log.with_extension("key");
    let own = match log.file_name().and_then(|name| name.to_str()) {
        Some(FLOOR) => log.with_file_name("key"),
        Some(DRILLS) => log.with_file_name(format!("{DRILLS}.key")),
        _ => return sessions,
    };
    if sessions.exists() && !own.exists() { sessions } else { own }
}

/// Writes a file that only its owner may read.
pub(crate) fn keep_private(path: &Path, text: &str) -> Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options
        .open(path)
        .and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()));
    written.with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_sessions(names: &[&str]) -> (tempfile::TempDir, Data) {
        let folder = tempfile::tempdir().expect("a folder");
        let data = Data { folder: folder.path().to_owned(), named: true };
        std::fs::create_dir(data.sessions()).expect("a folder");
        for name in names {
            std::fs::write(data.sessions().join(format!("{name}.sabot")), "").expect("a file");
        }
        (folder, data)
    }

    #[test]
    fn sessions_of_one_second_are_in_the_order_in_which_they_began() {
        let second = "2026-11-16T12-00-00Z-act-2018";
        let later = "2026-11-16T12-00-01Z-act-2018";
        let names = ["", "-2", "-3", "-10"].map(|number| format!("{second}{number}"));
        let mut names: Vec<_> = names.iter().map(String::as_str).chain([later]).collect();
        let (_folder, data) = with_sessions(&names);
        let found = data.all_sessions().expect("sessions");
        assert_eq!(found.iter().map(|path| name_of(path)).collect::<Vec<_>>(), names);
        assert_eq!(name_of(&data.session(None).expect("the newest")), later);
        names.pop();
        let (_folder, data) = with_sessions(&names);
        assert_eq!(name_of(&data.session(None).expect("the newest")), format!("{second}-10"));
        assert_eq!(name_of(&data.session(Some(second)).expect("a whole name")), second);
    }

    #[test]
    fn a_name_of_several_sessions_is_refused_with_them() {
        let names = ["2026-11-16T12-00-00Z-act-2018", "2026-11-16T12-00-00Z-nz-1998"];
        let (_folder, data) = with_sessions(&names);
        assert_eq!(name_of(&data.session(Some("nz")).expect("one")), names[1]);
        let refused = data.session(Some("2026")).expect_err("two").to_string();
        assert!(names.iter().all(|name| refused.contains(name)), "{refused}");
    }

    #[test]
    fn a_clock_beyond_every_calendar_is_no_fault() {
        use std::time::{Duration, SystemTime};
        let day = Duration::from_hours(24);
        let (soon, late) = (SystemTime::UNIX_EPOCH + day, SystemTime::UNIX_EPOCH + day * 4_000_000);
        assert_eq!(moment(soon).as_second(), 86_400);
        assert_eq!(moment(late), jiff::Timestamp::MAX);
    }

    #[test]
    fn a_floor_and_drills_keep_their_keys_under_names_of_their_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = |name: &str| folder.path().join(name);
        assert_eq!(key_of(&log("a.sabot")), log("a.key"));
        assert_eq!(key_of(&log(FLOOR)), log("key"));
        assert_eq!(key_of(&log(DRILLS)), log("drills.sabot.key"));
        std::fs::write(log("floor.key"), "").expect("a file");
        assert_eq!(key_of(&log(FLOOR)), log("floor.key"), "of an event that is called floor");
        std::fs::write(log("key"), "").expect("a file");
        assert_eq!(key_of(&log(FLOOR)), log("key"));
    }

    #[test]
    fn a_folder_is_named_as_a_shell_wants_it() {
        assert_eq!(quoted(Path::new("/tmp/a-b.c")), "/tmp/a-b.c");
        assert_eq!(quoted(Path::new("my data")), "'my data'");
        assert_eq!(quoted(Path::new("O'Brien")), r"'O'\''Brien'");
    }
}
