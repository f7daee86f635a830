//! `sabot serve` as a process of its own, for tests.
#![allow(dead_code, reason = "not every test needs all of it")]

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;

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

/// A server that runs until it is stopped, or the test is over.
pub(crate) struct Running {
    pub(crate) child: Child,
    out: BufReader<ChildStdout>,
    pub(crate) address: String,
    pub(crate) link: Option<String>,
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
        let mut child = Command::new(env!("CARGO_BIN_EXE_sabot"))
            .args(["--json", "serve", "--config"])
            .arg(&config)
            .arg("--data")
            .arg(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut first = String::new();
        out.read_line(&mut first).unwrap();
        let Ok(said) = serde_json::from_str::<Value>(&first) else {
            let mut fault = String::new();
            child.stderr.take().unwrap().read_to_string(&mut fault).unwrap();
            panic!("it does not start: {first}{fault}");
        };
        let address = said["address"].as_str().unwrap().to_owned();
        let link = said["link"].as_str().map(str::to_owned);
        Self { child, out, address, link }
    }

    /// Stops it as a service does, and gives what it says.
    pub(crate) fn stop(mut self) -> String {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        let mut said = String::new();
        self.out.read_to_string(&mut said).unwrap();
        assert!(self.child.wait().unwrap().success());
        said
    }
}
