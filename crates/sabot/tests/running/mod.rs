//! `sabot serve` as a process of its own, for tests.
#![allow(dead_code, reason = "not every test needs all of it")]

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// How long a server may take to start, to answer or to stop. Nothing is measured by it: a test
/// that waits for ever tells nobody why.
const PATIENCE: Duration = Duration::from_mins(3);

/// Two tables without robots that wait for nobody's eyes.
pub(crate) const CONFIG: &str = r#"
listen = "127.0.0.1:0"
requests_per_second = 100000
guests_per_hour = 100000
robots = 0
[[table]]
title = "One"
opens = "operator opens act-2018"
sign = ["operator posts main 5..500", "operator posts tie 5..100"]
pace = "at-once"
[[table]]
title = "Two"
opens = "operator opens nz-1998"
sign = ["operator posts main 5..500", "operator posts tie 5..100"]
pace = "at-once"
"#;

/// Kills a process that has not done in time what is waited for, and says where its threads stood.
/// It is called off by dropping what it gives.
fn watched(pid: Pid, waits_for: &'static str) -> mpsc::Sender<()> {
    let (done, called_off) = mpsc::channel();
    std::thread::spawn(move || {
        if called_off.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
            eprintln!("it hangs: {waits_for}\n{}", threads(pid));
            let _ = kill_process(pid, Signal::KILL);
        }
    });
    done
}

/// What the threads of a process are waiting for, as far as the system tells.
fn threads(pid: Pid) -> String {
    let folder = PathBuf::from(format!("/proc/{}/task", pid.as_raw_nonzero()));
    let tasks = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let told = tasks.map(|task| {
        let read = |file: &str| std::fs::read_to_string(task.path().join(file)).unwrap_or_default();
        format!("{} {} {}", read("comm").trim(), read("wchan").trim(), read("syscall").trim())
    });
    told.collect::<Vec<_>>().join("\n")
}

/// A server that runs until it is stopped, or the test is over.
pub(crate) struct Running {
    pub(crate) child: Child,
    out: BufReader<ChildStdout>,
    pub(crate) address: String,
    pub(crate) link: Option<String>,
    /// What it says of its start.
    pub(crate) notes: Vec<String>,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Running {
    pub(crate) fn start(folder: &Path) -> Self {
        Self::start_with(folder, CONFIG)
    }

    pub(crate) fn start_with(folder: &Path, text: &str) -> Self {
        let config = folder.join("sabot.toml");
        std::fs::write(&config, text).unwrap();
        // To a file: a pipe that nobody reads holds up whoever writes much.
        let faults = folder.join("stderr");
        let mut child = Command::new(env!("CARGO_BIN_EXE_sabot"))
            .args(["--json", "serve", "--config"])
            .arg(&config)
            .arg("--data")
            .arg(folder)
            .stdout(Stdio::piped())
            .stderr(File::create(&faults).unwrap())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut first = String::new();
        let started = watched(Pid::from_child(&child), "to start");
        out.read_line(&mut first).unwrap();
        drop(started);
        let Ok(said) = serde_json::from_str::<Value>(&first) else {
            let _ = child.kill();
            child.wait().unwrap();
            let fault = std::fs::read_to_string(&faults).unwrap();
            panic!("it does not start: {first}{fault}");
        };
        let address = said["address"].as_str().unwrap().to_owned();
        let link = said["link"].as_str().map(str::to_owned);
        let notes = said["notes"].as_array().unwrap().iter();
        let notes = notes.map(|note| note.as_str().unwrap().to_owned()).collect();
        Self { child, out, address, link, notes }
    }

    /// Stops it as a service does, and gives what it says.
    pub(crate) fn stop(mut self) -> String {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, Signal::TERM).unwrap();
        let mut said = String::new();
        let stopped = watched(pid, "to stop");
        self.out.read_to_string(&mut said).unwrap();
        drop(stopped);
        assert!(self.child.wait().unwrap().success());
        said
    }
}
