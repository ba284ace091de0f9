//! `--games-out` and `--transcripts-out`: writes the games of a match to files.

use std::path::{Path, PathBuf};

use othello_cli::Session;
use othello_engine::board::{Position, Side, notation::board_text};
use othello_engine::file::{
    Begin, Existing, FileError, Kind, Provenance, Reader, check_output, check_replaceable, plain,
};
use othello_engine::progress::Progress as _;
use othello_engine::record::GameWriter;
use sha2::{Digest as _, Sha256};

use crate::arena::PlayedGame;

/// Arguments about the files of games.
#[derive(clap::Args, Debug)]
pub(super) struct KeptArguments {
    /// Write a record of each game to this file; the moves of the opening count as random ones
    #[arg(long, value_name = "FILE")]
    games_out: Option<PathBuf>,
    /// Write each game with its pair, score and transcript to this file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    transcripts_out: Option<PathBuf>,
    #[arg(long)]
    force: bool,
}

impl KeptArguments {
    /// Returns the rule for existing outputs.
    pub(super) fn existing(&self) -> Existing {
        Existing::by_force(self.force)
    }

    /// Refuses outputs that cannot be written, before the match.
    pub(super) fn check(&self, inputs: &[&Path]) -> anyhow::Result<()> {
        for path in self.outputs() {
            check_output(path, inputs.iter().copied())?;
            if self.force {
                check_replaceable(path)?;
            }
        }
        Ok(())
    }

    /// The requested files.
    pub(super) fn outputs(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.games_out, &self.transcripts_out].into_iter().flatten()
    }

    /// Refuses existing files that belong to another match, as far as this is known before the
    /// match.
    pub(super) fn check_are_own(
        &self,
        settings: &Provenance,
        openings: &[Position],
    ) -> anyhow::Result<()> {
        if self.existing() == Existing::Replace {
            return Ok(());
        }
        if let Some(path) = &self.transcripts_out {
            plain::check_head(path, first_game(openings)?.as_bytes())?;
        }
        let Some(path) = self.games_out.as_ref().filter(|path| path.exists()) else {
            return Ok(());
        };
        let there = Reader::open(path, Kind::Games)?;
        // A sequential test decides which openings are played.
        let all_but_openings = |settings: &Provenance| settings.clone().with("openings", "");
        let [there, wanted] = [there.provenance(), settings].map(all_but_openings);
        if there != wanted {
            return Err(FileError::other_settings(path, &there, &wanted).into());
        }
        Ok(())
    }

    /// Writes the games; `settings` is their provenance.
    pub(super) fn write(
        &self,
        games: &[PlayedGame],
        settings: Provenance,
        session: &Session,
    ) -> anyhow::Result<()> {
        let existing = self.existing();
        if let Some(path) = &self.transcripts_out {
            let lines = games.iter().map(|game| Ok(game.to_json()? + "\n"));
            let text = lines.collect::<Result<String, serde_json::Error>>()?;
            plain::write(path, text.as_bytes(), existing)?;
        }
        let Some(path) = &self.games_out else { return Ok(()) };
        let mut writer = match GameWriter::begin(path, &settings, existing)? {
            Begin::Done(_) => return Ok(()),
            Begin::Writer(writer) => writer,
        };
        let mut left_out = 0;
        for game in games {
            match game.record()? {
                Some(record) => writer.push(record)?,
                None => left_out += 1,
            }
        }
        writer.finish()?;
        if left_out > 0 {
            session.progress().message(&format!(
                "{left_out} games are not recorded: no game that reaches their openings is known"
            ));
        }
        Ok(())
    }
}

/// The beginning of the file of transcripts of a match from these openings: everything before the
/// moves of the first game, which is known before the match.
fn first_game(openings: &[Position]) -> Result<String, serde_json::Error> {
    let Some(&opening) = openings.first() else { return Ok(String::new()) };
    let squares = vec![];
    let unplayed = PlayedGame { pair: 1, game: 1, opening, squares, score: 0, forfeit: None };
    let line = unplayed.to_json()?;
    let known = line.rfind("\",\"moves\"").or_else(|| line.rfind(",\"moves\"")).unwrap_or(0);
    Ok(line[..known].to_owned())
}

/// Returns the checksum of openings, which identifies them in a provenance.
pub(super) fn checksum(openings: &[Position]) -> String {
    let texts = openings.iter().map(|position| board_text(position, Side::Black) + "\n");
    hex::encode(Sha256::digest(texts.collect::<String>()))
}
