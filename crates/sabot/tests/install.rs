//! `make install`, `make uninstall`, and the set-up of Rust on a machine that has none.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Every file below a folder, from there.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inside) = folders.pop() {
        for entry in fs::read_dir(inside).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

fn make(target: &str, prefix: &str, root_folder: &Path) -> Output {
    let mut command = Command::new("make");
    let program = format!("SABOT={}", env!("CARGO_BIN_EXE_sabot"));
    let prefix = format!("PREFIX={prefix}");
    let stands_for_root = format!("DESTDIR={}", root_folder.display());
    // A make that runs this test has told its own variables.
    command.env_remove("MAKEFLAGS").env_remove("MAKELEVEL").current_dir(root());
    command.args(["--silent", target, &program, &prefix, &stands_for_root]).output().unwrap()
}

#[test]
fn program_manual_and_completions_are_installed_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let output = make("install", "/opt/cards", folder.path());
    assert!(output.status.success(), "{output:?}");
    let installed = files(folder.path());
    for wanted in [
        "opt/cards/bin/sabot",
        "opt/cards/share/man/man1/sabot.1",
        "opt/cards/share/man/man1/sabot-rules-diff.1",
        "opt/cards/share/bash-completion/completions/sabot",
        "opt/cards/share/zsh/site-functions/_sabot",
        "opt/cards/share/fish/vendor_completions.d/sabot.fish",
    ] {
        assert!(installed.iter().any(|path| path == wanted), "{wanted} is missing: {installed:?}");
    }
    let program = folder.path().join("opt/cards/bin/sabot");
    let listed = Command::new(program).args(["rules", "list"]).output().unwrap();
    assert!(listed.status.success() && !listed.stdout.is_empty());
    // Somebody else's page stays.
    let other = folder.path().join("opt/cards/share/man/man1/other.1");
    fs::write(&other, "").unwrap();
    let output = make("uninstall", "/opt/cards", folder.path());
    assert!(output.status.success(), "{output:?}");
    assert_eq!(files(folder.path()), ["opt/cards/share/man/man1/other.1"]);
}

fn completions(shell: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sabot"));
    String::from_utf8(command.args(["completions", shell]).output().unwrap().stdout).unwrap()
}

/// Completion as a shell does it: books, topics and methods.
#[test]
fn bash_completes_books_topics_and_methods() {
    let script = completions("bash");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sabot");
    fs::write(&file, script).unwrap();
    for (words, wanted) in [
        ("sabot play v", "vic-2005"),
        ("sabot rules show n", "nz-1998"),
        ("sabot drill --topic out", "out-of-sequence"),
        ("sabot play --method h", "half-on-six"),
        ("sabot odds --with l", "lucky-6"),
        ("sabot judge --under t", "tas-2013"),
        ("sabot tournament new t", "tas-2013"),
        // It has no tournaments.
        ("sabot tournament new n", ""),
    ] {
        let words: Vec<_> = words.split(' ').collect();
        let typed = words.join(" ");
        let (last, before) = (words[words.len() - 1], words[words.len() - 2]);
        let ask = format!(
            "source '{}'; COMP_WORDS=({typed}); COMP_CWORD={}; _sabot sabot '{last}' '{before}'; \
             echo \"${{COMPREPLY[@]}}\"",
            file.display(),
            words.len() - 1
        );
        let output = Command::new("bash").args(["-c", &ask]).output().unwrap();
        let offered = String::from_utf8(output.stdout).unwrap();
        let offered: Vec<_> = offered.split_whitespace().collect();
        let none = wanted.is_empty() && offered.is_empty();
        assert!(none || offered.contains(&wanted), "{typed}: {offered:?}");
    }
}

/// fish is asked by the text of its script: each command that takes a book offers them.
#[test]
fn fish_offers_books_where_a_book_is_named() {
    let script = completions("fish");
    for condition in [
        "__fish_sabot_using_subcommand play",
        "__fish_sabot_using_subcommand drill",
        "__fish_sabot_using_subcommand rules; and __fish_seen_subcommand_from show",
    ] {
        let line = format!("complete -c sabot -n \"{condition}\" -f -a \"act-2012 ");
        assert!(script.contains(&line), "{line} is missing");
    }
}

/// A machine whose commands are these scripts, and which has not much else.
struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    fn new(commands: &[(&str, &str)]) -> Self {
        let machine = Self { folder: tempfile::tempdir().unwrap() };
        for tool in ["sh", "cut", "sort", "cat", "chmod"] {
            let found = ["/bin", "/usr/bin"].map(|place| Path::new(place).join(tool));
            let found = found.into_iter().find(|path| path.exists()).unwrap();
            symlink(found, machine.folder.path().join(tool)).unwrap();
        }
        machine.command("id", "echo 0");
        machine.command("cc", "");
        for (name, script) in commands {
            machine.command(name, script);
        }
        machine
    }

    fn command(&self, name: &str, script: &str) {
        let path = self.folder.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn set_up(&self) -> (bool, String) {
        let mut command = Command::new(root().join("tools/rust.sh"));
        command.env_clear().env("PATH", self.folder.path()).env("BIN", self.folder.path());
        let output = command.arg("1.94").output().unwrap();
        let told = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(told).unwrap())
    }
}

const RUSTUP: &str = "echo \"rustup $*\"; printf '#!/bin/sh\\necho cargo 1.99.0 x\\n' > \
                      \"$BIN/cargo\"; chmod +x \"$BIN/cargo\"";

#[test]
fn rust_is_installed_where_it_is_missing() {
    let packages = format!(
        "echo \"apt-get $*\"; case \"$*\" in *rustup) printf '%s\\n' '#!/bin/sh' '{}' > \
         \"$BIN/rustup\"; chmod +x \"$BIN/rustup\";; esac",
        RUSTUP.replace('\'', "'\\''")
    );
    let machine = Machine::new(&[("apt-get", &packages)]);
    let (good, told) = machine.set_up();
    assert!(good, "{told}");
    assert!(told.contains("apt-get install -q -y rustup"), "{told}");
    assert!(told.contains("rustup toolchain install stable"), "{told}");
    let (good, told) = machine.set_up();
    assert!(good && told.is_empty(), "the second time there is nothing to do: {told}");
}

#[test]
fn where_no_package_has_rust_the_one_command_is_said() {
    let without = [("apt-get", "case \"$*\" in *rustup) exit 100;; esac")];
    for machine in [Machine::new(&without), Machine::new(&[])] {
        let (good, told) = machine.set_up();
        assert!(!good && told.contains("https://sh.rustup.rs | sh"), "{told}");
    }
}

#[test]
fn rust_that_is_too_old_is_replaced_or_told() {
    let old = ("cargo", "echo cargo 1.85.1 x");
    let (good, told) = Machine::new(&[old]).set_up();
    assert!(!good && told.contains("cargo is 1.85.1, and Sabot needs Rust 1.94"), "{told}");
    let (good, told) = Machine::new(&[old, ("rustup", RUSTUP)]).set_up();
    assert!(good && told.contains("rustup default stable"), "{told}");
    for enough in ["1.94.0", "1.100.2", "2.0.0", "1.96.0-nightly"] {
        let script = format!("echo 'cargo {enough} x'");
        let (good, told) = Machine::new(&[("cargo", &script)]).set_up();
        assert!(good && told.is_empty(), "{enough}: {told}");
    }
}

/// `rust-version` is what the packages of the lock file need, and the documents say the same.
#[test]
fn the_rust_version_is_true() {
    let version = |text: &str| -> (u32, u32) {
        let mut parts = text.split('.').map(|part| part.parse().unwrap());
        (parts.next().unwrap(), parts.next().unwrap_or(0))
    };
    let host = Command::new("rustc").arg("-vV").output().unwrap().stdout;
    let host = String::from_utf8(host).unwrap();
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let arguments = ["metadata", "--format-version", "1", "--locked", "--filter-platform", host];
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(root()).output().unwrap();
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = found["packages"].as_array().unwrap();
    let (own, others): (Vec<_>, Vec<_>) = packages.iter().partition(|p| p["source"].is_null());
    let own = own[0]["rust_version"].as_str().unwrap();
    let needs = others.iter().filter_map(|p| Some((version(p["rust_version"].as_str()?), p)));
    let (needed, by) = needs.max_by_key(|(version, _)| *version).unwrap();
    assert_eq!(version(own), needed, "{} needs another Rust than Cargo.toml says", by["name"]);
    for file in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        let text = fs::read_to_string(root().join(file)).unwrap();
        assert!(text.contains(&format!("Rust {own} or newer")), "{file} says something else");
    }
}
