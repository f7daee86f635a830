//! The books of a house: those that come with Sabot, and the folders that its set-up names. No
//! request reaches another folder.

use std::path::PathBuf;
use std::sync::Arc;

use rulebooks::Book;
use transcript::{Books, Shelf};

/// What ends the name of a book within a name: sheets of side bets or a base follow.
const MARKS: [char; 2] = ['+', '@'];

/// The books of a house.
#[derive(Debug, Default)]
pub(crate) struct HouseBooks {
    shelf: Shelf,
    /// Its own books: the names by which they are asked for, and their folders.
    own: Vec<(String, String)>,
}

impl HouseBooks {
    /// The books in these folders, beside those that come with Sabot.
    ///
    /// # Errors
    ///
    /// With every folder that is no book, and why.
    pub(crate) fn with(folders: &[PathBuf]) -> Result<Self, Vec<String>> {
        let (mut books, mut faults) = (Self::default(), Vec::new());
        for folder in folders {
            match books.own_book(folder) {
                Ok(book) => books.own.push(book),
                Err(why) => faults.push(format!("{}: {why}", folder.display())),
            }
        }
        if faults.is_empty() { Ok(books) } else { Err(faults) }
    }

    fn own_book(&self, folder: &std::path::Path) -> Result<(String, String), String> {
        let path = folder.canonicalize().map_err(|fault| fault.to_string())?;
        let id = path.file_name().and_then(|id| id.to_str()).map(str::to_owned);
        let path = path.to_str().filter(|path| !path.contains(MARKS)).map(str::to_owned);
        let (Some(id), Some(path)) = (id, path) else {
            return Err("a folder whose path is plain text without `+` and `@` would do".into());
        };
        if self.ids().any(|known| known == id) {
            return Err(format!("there is a book `{id}` already"));
        }
        self.shelf.book(&path, None)?;
        Ok((id, path))
    }

    /// The names of all books.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        rulebooks::ids().into_iter().chain(self.own.iter().map(|(id, _)| id.as_str()))
    }

    /// Where a book is that a request names.
    fn place(&self, name: &str) -> Result<String, String> {
        let (id, rest) = name.split_at(name.find(MARKS).unwrap_or(name.len()));
        if rulebooks::ids().contains(&id) {
            return Ok(name.to_owned());
        }
        let own = self.own.iter().find(|(own, _)| own == id);
        own.map(|(_, path)| format!("{path}{rest}")).ok_or_else(|| {
            let known: Vec<_> = self.ids().collect();
            format!("there is no rulebook `{id}`; there are {}", known.join(", "))
        })
    }
}

impl Books for HouseBooks {
    fn book(&self, name: &str, base: Option<&str>) -> Result<Arc<Book>, String> {
        let (name, own) = rulebooks::named(name);
        let base = base.or(own).map(|base| self.place(base)).transpose()?;
        self.shelf.book(&self.place(name)?, base.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_of(place: &std::path::Path, id: &str) -> PathBuf {
        let folder = place.join(id);
        std::fs::create_dir(&folder).unwrap();
        for own in rulebooks::sources(&rulebooks::load("act-2012", None).unwrap()) {
            std::fs::write(folder.join(own.file), own.text.replace("act-2012", id)).unwrap();
        }
        folder
    }

    #[test]
    fn a_house_has_the_books_that_its_set_up_names_and_no_other_folder() {
        let place = tempfile::tempdir().unwrap();
        let named = folder_of(place.path(), "house-1");
        let other = folder_of(place.path(), "house-2");
        let books = HouseBooks::with(std::slice::from_ref(&named)).unwrap();
        let load = |name: &str| books.book(name, None).map(|book| book.rulebook.title.with.len());
        assert_eq!(load("house-1"), Ok(0));
        assert_eq!(load("house-1+lucky-6"), Ok(1));
        assert_eq!(load("act-2018+lucky-6"), Ok(1));
        let [named, other] = [named, other].map(|path| path.to_str().unwrap().to_owned());
        for name in [named, other, "house-2".into(), "..".into(), "crates".into(), String::new()] {
            let told = load(&name).unwrap_err();
            assert!(told.contains("there is no rulebook"), "{name}: {told}");
            assert!(told.ends_with("vic-2005, house-1"), "{name}: {told}");
            assert!(books.book("vic-2005", Some(&name)).is_err(), "{name}");
        }
        // A table over another base is listed by a name that finds its book.
        let base_of = |book: Arc<Book>| book.base_index.as_ref().map(|index| index.entries.len());
        let amended = books.book("vic-2005", Some("act-2018")).map(base_of);
        assert!(matches!(amended, Ok(Some(_))), "{amended:?}");
        assert_eq!(books.book("vic-2005@act-2018", None).map(base_of), amended);
    }

    #[test]
    fn what_is_no_book_of_a_house_is_told_with_its_reason() {
        let place = tempfile::tempdir().unwrap();
        let twice = folder_of(place.path(), "house-1");
        let taken = folder_of(place.path(), "act-2018");
        let empty = place.path().join("empty");
        std::fs::create_dir(&empty).unwrap();
        let broken = folder_of(place.path(), "broken");
        std::fs::write(broken.join("rulebook.toml"), "[title]\n").unwrap();
        let nowhere = place.path().join("nowhere");
        let all = [twice.clone(), twice, taken, empty, broken, nowhere];
        let faults = HouseBooks::with(&all).unwrap_err();
        assert_eq!(faults.len(), 5, "{faults:#?}");
        assert!(faults[0].contains("a book `house-1` already"), "{faults:#?}");
        assert!(faults[1].contains("a book `act-2018` already"), "{faults:#?}");
        assert!(faults[2].contains("a folder with rulebook.toml"), "{faults:#?}");
        assert!(faults[3].contains("rulebook.toml:"), "{faults:#?}");
        assert!(faults[4].contains("nowhere"), "{faults:#?}");
    }
}
