//! An example that labels the positions of a game by a list of label rules.
//! To run it: `cargo run --release -p othello-trainer --example 3_label_rule`

mod support;

use std::error::Error;

use othello_engine::record::{Game, GameReader, ScoredPosition};
use othello_trainer::source::LabelRules;

/// The rules: within two plies of the first position with an exact score, the label is the score of
/// perfect play. At all other plies from 10 on, it is the game's result, with half the weight.
const RULES: &str = "solved-2..solved+2:solved, 10..60:result*0.5";

fn main() -> Result<(), Box<dyn Error>> {
    let (game, [by_default, by_rules]) = labelled()?;
    println!("game {:?}", game.squares());
    for (name, rows) in [("the default", by_default), (RULES, by_rules)] {
        println!("{name}: {} positions", rows.len());
        for row in rows.iter().step_by(8) {
            let (ply, label) = (row.position().ply(), row.label().discs());
            println!("  ply {ply:2}: {label:+5.1} discs, counts {}", row.weight().occurrences());
        }
    }
    Ok(())
}

type Labelled = (Game, [Vec<ScoredPosition>; 2]);

pub(crate) fn labelled() -> Result<Labelled, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let mut games = GameReader::open(&support::games(folder.path())?)?;
    let game = games.next().ok_or("no games")??;
    // `Dataset::read` and `othello-trainer fit --labels` take rules in this form.
    let rules: LabelRules = RULES.parse()?;
    let positions = [LabelRules::default(), rules].map(|rules| rules.positions(&game, 1.0));
    Ok((game, positions))
}
