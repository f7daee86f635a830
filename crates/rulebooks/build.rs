//! Embeds every folder of `rulebooks/` and every file of `sidebets/`, so that adding a book is
//! adding a folder, and adding a sheet of side bets is adding a file.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

fn main() {
    embed_books();
    embed_sheets();
}

fn embed_sheets() {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"))
        .join("../../sidebets")
        .canonicalize()
        .expect("the folder sidebets/ stands beside crates/");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files: Vec<_> = fs::read_dir(&root)
        .expect("sidebets/ can be read")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|file| file.strip_suffix(".toml").map(str::to_owned))
        .collect();
    files.sort();
    let sheet = |id: &String| {
        let file = root.join(format!("{id}.toml")).display().to_string();
        format!("({id:?}, include_str!({file:?})),\n")
    };
    let code = format!("[\n{}]", files.iter().map(sheet).collect::<String>());
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("sheets.rs");
    fs::write(out, code).expect("the build folder can be written");
}

fn embed_books() {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"))
        .join("../../rulebooks")
        .canonicalize()
        .expect("the folder rulebooks/ stands beside crates/");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut ids: Vec<_> = fs::read_dir(&root)
        .expect("rulebooks/ can be read")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|id| root.join(id).join("rulebook.toml").is_file())
        .collect();
    ids.sort();
    let mut code = String::from("[\n");
    for id in ids {
        let file = |name: &str| root.join(&id).join(name).display().to_string();
        writeln!(
            code,
            "({id:?}, include_str!({:?}), include_str!({:?})),",
            file("rulebook.toml"),
            file("clauses.toml")
        )
        .expect("writing to a string");
    }
    code.push(']');
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("embedded.rs");
    fs::write(out, code).expect("the build folder can be written");
}
