//! `sabot rules new`: the files of a book of one's own.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::json;

use crate::books::pretty;
use crate::show::Format;

/// Makes the folder and writes its files; says what to do next.
pub(crate) fn write(id: &str, from: Option<&str>, folder: &Path, format: Format) -> Result<String> {
    if rulebooks::book_id(id).is_none() {
        let most = rules::BOOK_ID_LENGTH;
        bail!("`{id}` is no id of a book; allowed: at most {most} letters a-z, digits and `-`");
    }
    if rulebooks::ids().contains(&id) {
        bail!("{id} comes with sabot; allowed: another id, which may begin `--from {id}`");
    }
    let skeleton = rulebooks::skeleton(from)?;
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let book = folder.join(id);
    // The folder itself must be new: nobody's book is written over.
    fs::create_dir(&book).with_context(|| {
        format!("{} cannot be made; allowed: a name that is free", book.display())
    })?;
    let mut files =
        vec![("rulebook.toml", &skeleton.rulebook), ("clauses.toml", &skeleton.clauses)];
    files.extend(skeleton.sheets.iter().map(|(file, text)| (file.as_str(), text)));
    for (file, text) in &files {
        let file = book.join(file);
        fs::write(&file, text).with_context(|| file.display().to_string())?;
    }
    let shown = book.display().to_string();
    if let Err(error) = rulebooks::load(&shown, None) {
        let _ = fs::remove_dir_all(&book);
        bail!("{shown} would not load: {error}; allowed: `--in` the folder of its base");
    }
    if format.is_json() {
        let files: Vec<_> = files.into_iter().map(|(file, _)| file).collect();
        return Ok(pretty(&json!({ "book": shown, "files": files })));
    }
    Ok(format!(
        "{shown} is written, and can be played under as it is: sabot play {shown}\n\n\
         1. Write {shown}/clauses.toml, with the source beside you.\n\
         2. Answer {shown}/rulebook.toml, section by section, each with its clause.\n\
         3. sabot rules check {shown}\n\
         4. sabot judge FILE… on transcripts that open with `operator opens {shown}`.\n"
    ))
}
