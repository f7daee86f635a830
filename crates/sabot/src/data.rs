//! Where sessions are kept: one log, one key and one lock each.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// The stream of a session's table.
pub(crate) const STREAM: &str = "table 1";

/// The folder of everything that sabot keeps for this person.
pub(crate) struct Data(PathBuf);

impl Data {
    /// The folder that was named, that of the environment, or the system's place for such data.
    pub(crate) fn folder(named: Option<&Path>) -> Result<Self> {
        let named = named.map(Path::to_path_buf);
        let said = std::env::var_os("SABOT_DATA").filter(|said| !said.is_empty());
        let folder = named
            .or_else(|| said.map(PathBuf::from))
            .or_else(|| dirs::data_dir().map(|folder| folder.join("sabot")))
            .context("no folder for sessions is known; name one with --data FOLDER")?;
        Ok(Self(folder))
    }

    fn sessions(&self) -> PathBuf {
        self.0.join("sessions")
    }

    fn make(folder: &Path) -> Result<()> {
        std::fs::create_dir_all(folder).with_context(|| {
            format!("cannot make the folder {}; name another with --data FOLDER", folder.display())
        })
    }

    /// Notes about terminals that show a table now.
    pub(crate) fn screens(&self) -> PathBuf {
        self.0.join("screens")
    }

    /// The log of drills.
    pub(crate) fn drills(&self) -> Result<PathBuf> {
        Self::make(&self.0)?;
        Ok(self.0.join("drills.sabot"))
    }

    /// A new session's log, named by the time and the book.
    pub(crate) fn new_session(&self, book: &str) -> Result<PathBuf> {
        let folder = self.sessions();
        Self::make(&folder)?;
        let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H-%M-%SZ");
        let book = book.rsplit('/').next().unwrap_or(book).replace('@', "-over-");
        for again in 1..1000 {
            let number = if again == 1 { String::new() } else { format!("-{again}") };
            let path = folder.join(format!("{now}-{book}{number}.sabot"));
            if !path.exists() {
                return Ok(path);
            }
        }
        bail!("{} is full of sessions of this very second", folder.display())
    }

    /// Every session, the newest last.
    pub(crate) fn all_sessions(&self) -> Result<Vec<PathBuf>> {
        let folder = self.sessions();
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(missing) if missing.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(fault) => bail!("{}: {fault}", folder.display()),
        };
        let mut sessions: Vec<_> = entries
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "sabot"))
            .collect();
        sessions.sort();
        Ok(sessions)
    }

    /// The session that a person means: a file, a part of a name, or the newest.
    pub(crate) fn session(&self, said: Option<&str>) -> Result<PathBuf> {
        if let Some(path) = said.map(Path::new).filter(|path| path.is_file()) {
            return Ok(path.to_path_buf());
        }
        let sessions = self.all_sessions()?;
        let wanted = |path: &&PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            said.is_none_or(|said| name.contains(said))
        };
        let found = sessions.iter().rev().find(wanted).cloned();
        found.with_context(|| match said {
            Some(said) => format!(
                "there is no session `{said}` in {}; `sabot audit list` tells which there are",
                self.sessions().display()
            ),
            None => format!(
                "there is no session in {} yet; `sabot play` begins one",
                self.sessions().display()
            ),
        })
    }
}

/// Takes a session away that never began.
pub(crate) fn remove(log: &Path) {
    let name = log.file_name().unwrap_or_default().to_string_lossy();
    let beside =
        ["", "-wal", "-shm", ".lock"].map(|end| log.with_file_name(format!("{name}{end}")));
    for path in beside.iter().chain([&key_of(log)]) {
        // What is not there need not be taken away.
        let _ = std::fs::remove_file(path);
    }
}

/// The key of a session's secrets, outside its log.
pub(crate) fn key_of(log: &Path) -> PathBuf {
    log.with_extension("key")
}
