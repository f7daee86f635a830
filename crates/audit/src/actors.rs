//! Who acted: the actor of every record is the one that its act names, and a command of the house's
//! own is named after its place in the stream.

use store::Acted;
use table::{By, Role};

/// A command as its records have it.
#[derive(Clone, Debug, Default)]
pub struct Name {
    /// Who acted.
    pub actor: String,
    /// The name of the command.
    pub key: String,
}

/// Who said an act.
pub(crate) struct Speaker<'a> {
    /// The account of the person who sent it; nothing for the house itself.
    who: Option<&'a str>,
    by: By,
}

impl<'a> Speaker<'a> {
    /// The house itself, in a role.
    pub(crate) const fn house(by: By) -> Self {
        Self { who: None, by }
    }

    /// Who sent an act: the second person, where one confirmed it.
    pub(crate) fn of<A>(acted: &'a Acted<A>) -> Self {
        Self { who: acted.second.as_deref().or(acted.who.as_deref()), by: acted.by }
    }
}

/// Says what is wrong with the actor or the key of a command that begins with this record.
pub(crate) fn check(
    (stream, first): (&str, u64),
    name: &Name,
    speaker: &Speaker<'_>,
) -> Option<String> {
    let Name { actor, key } = name;
    let due = speaker.who.map_or_else(|| speaker.by.to_string(), str::to_owned);
    if speaker.who.is_some() || *key == format!("{stream} {first}") {
        return (*actor != due).then(|| format!("its actor is `{actor}`, though `{due}` acted"));
    }
    // A step of the house's own that somebody asked for has their name for it.
    let role = |role: &Role| By::role(*role).to_string() == *actor;
    let own = *actor == due || Role::ALL.iter().any(role);
    own.then(|| format!("the key of a command of the house's own is `{key}`"))
}
