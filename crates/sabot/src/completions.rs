//! `sabot completions`: scripts that complete commands, options and their values.

use anyhow::{Context, Result};
use clap::{Command, CommandFactory};
use clap_complete::Shell;

use crate::cli::Cli;

pub(crate) fn script(shell: Shell) -> Result<String> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "sabot", &mut script);
    let mut script = String::from_utf8(script).context("the script is not text")?;
    if shell == Shell::Fish {
        // The generator forgets what stands by its place for this shell.
        fish_positions(&Cli::command(), &[], &mut script);
    }
    Ok(script)
}

/// The values of arguments that are known by their place, command by command.
fn fish_positions(command: &Command, path: &[&str], script: &mut String) {
    let values: Vec<_> = command
        .get_positionals()
        .flat_map(clap::Arg::get_possible_values)
        .map(|value| value.get_name().to_owned())
        .collect();
    if let ([first, rest @ ..], false) = (path, values.is_empty()) {
        let mut condition = format!("__fish_sabot_using_subcommand {first}");
        for word in rest {
            condition += &format!("; and __fish_seen_subcommand_from {word}");
        }
        let values = values.join(" ");
        *script += &format!("complete -c sabot -n \"{condition}\" -f -a \"{values}\"\n");
    }
    for inside in command.get_subcommands() {
        fish_positions(inside, &[path, &[inside.get_name()]].concat(), script);
    }
}
