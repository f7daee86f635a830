//! Embeds the transcripts of `transcripts/`, so that an installed binary knows what shows a clause.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// What is in a folder, in order.
fn inside(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("transcripts/ can be read");
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

fn main() {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"))
        .join("../../transcripts")
        .canonicalize()
        .expect("the folder transcripts/ stands beside crates/");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut code = String::from("&[\n");
    for file in inside(&root).iter().filter(|path| path.is_dir()).flat_map(|path| inside(path)) {
        if file.extension().is_some_and(|extension| extension == "coup") {
            let name = file.strip_prefix(&root).expect("it is inside").display().to_string();
            let file = file.display().to_string();
            writeln!(code, "({name:?}, include_str!({file:?})),").expect("writing to a string");
        }
    }
    code.push(']');
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("transcripts.rs");
    fs::write(out, code).expect("the build folder can be written");
}
