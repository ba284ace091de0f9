//! The pattern sets that are shipped with the program.

use std::path::Path;

use super::PatternSet;
use crate::file::{FileError, Result};
use crate::text::read_by;

const SHIPPED: [(&str, &str); 9] = [
    ("standard", include_str!("../../patterns/standard.toml")),
    ("scalars", include_str!("../../patterns/scalars.toml")),
    ("factors", include_str!("../../patterns/factors.toml")),
    ("small", include_str!("../../patterns/small.toml")),
    ("discs", include_str!("../../patterns/discs.toml")),
    ("ordering", include_str!("../../patterns/ordering.toml")),
    ("edax", include_str!("../../patterns/edax.toml")),
    ("egaroucid", include_str!("../../patterns/egaroucid.toml")),
    ("zebra", include_str!("../../patterns/zebra.toml")),
];

impl PatternSet {
    /// The names of the shipped pattern sets.
    pub const SHIPPED: [&str; SHIPPED.len()] = {
        let mut names = [""; SHIPPED.len()];
        let mut number = 0;
        while number < names.len() {
            names[number] = SHIPPED[number].0;
            number += 1;
        }
        names
    };

    /// Returns the shipped set with this name; `None` if there is no such set.
    pub fn shipped(name: &str) -> Option<Self> {
        let (_, text) = SHIPPED.iter().find(|(shipped, _)| *shipped == name)?;
        Self::from_toml(text).ok()
    }

    /// Returns the names of the shipped sets that `is_wanted` accepts, as in `` `standard`, `small`
    /// or `discs` ``.
    pub fn shipped_names(is_wanted: impl Fn(&Self) -> bool) -> String {
        let wanted = SHIPPED
            .iter()
            .filter(|(_, text)| Self::from_toml(text).is_ok_and(|set| is_wanted(&set)));
        let names: Vec<String> = wanted.map(|(name, _)| format!("`{name}`")).collect();
        match &names[..] {
            [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
            _ => names.concat(),
        }
    }

    /// Returns the shipped set with this name, or else reads the file `name`, relative to `folder`.
    pub fn named(name: &str, folder: &Path) -> Result<Self> {
        if let Some(set) = Self::shipped(name) {
            return Ok(set);
        }
        let path = folder.join(name);
        if !path.exists() {
            let names = Self::SHIPPED.map(|name| format!("`{name}`")).join(", ");
            let reason = format!("neither a file nor one of the pattern sets {names}");
            return Err(FileError::refused(&path, reason));
        }
        read_by(&path, Self::from_toml)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_sets_are_valid_and_read_back() {
        for name in PatternSet::SHIPPED {
            let set = PatternSet::shipped(name).unwrap();
            assert_eq!(set.name(), name);
            assert_eq!(PatternSet::from_toml(&set.to_toml()).unwrap(), set);
        }
        assert!(PatternSet::shipped("none").is_none());
    }

    #[test]
    fn a_name_that_is_neither_shipped_nor_a_file_is_refused_with_the_names() {
        let error = PatternSet::named("smal", Path::new("folder")).unwrap_err().to_string();
        assert!(
            error.contains("folder/smal: neither a file") && error.contains("`small`"),
            "{error}"
        );
    }
}
