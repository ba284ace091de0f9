//! Estimates the time of a comparison and the smallest difference that it can prove.

use othello_engine::board::PHASES;
use othello_engine::eval::{Evaluator, WeightsChoice};
use othello_engine::pattern::Geometry;
use othello_engine::progress::Silent;
use othello_fit::dataset::DataChoice;
use othello_fit::fit::Optimizer;
use othello_fit::metrics::{ErrorsByGame, GameErrors};
use othello_fit::model::Phases;
use othello_fit::source::records::Records;

use super::fits::Study;
use super::{Comparing, Difference, Recipe};
use crate::arena::{Match, smallest_elo};
use crate::{LabError, Result};

/// The standard error of the difference of two recipes' errors, divided by the standard error of
/// one recipe's error: for similar recipes, and for different pattern sets. It is √(2 − 2ρ), where
/// ρ is the correlation of the two errors over games. Measured: 0.1 to 0.3 between recipes that
/// differ, for example, by one feature; about 1 between pattern sets.
const PAIRED: [f64; 2] = [0.25, 1.0];

/// Returns the estimated seconds of a fit on one thread of a processor of 2020, without early
/// stopping. For each phase, an epoch reads the positions of the phase and of its window; an epoch
/// of the factors reads only the positions of the phase.
fn seconds(recipe: &Recipe, phases: &Phases) -> Result<f64> {
    /// The seconds to read a pattern instance of a position, and an element of its factor vector.
    const PASS: [f64; 2] = [1.0e-9, 2.0e-9];
    let Recipe { settings, set, .. } = recipe;
    let mut positions = 0;
    for DataChoice { path, .. } in DataChoice::files(&recipe.data)? {
        let ranges = Records::open(&path)?.ranges(&path, [u64::MAX; 2], &Silent)?;
        positions += ranges.iter().map(|range| range.most_positions).sum::<u64>();
    }
    let of_phase = positions as f64 * f64::from(settings.share) / PHASES as f64;
    let windows: usize = phases.iter().map(|phase| settings.window.around(phase).count()).sum();
    let epochs = match (recipe.optimizer, set.factors()) {
        (Optimizer::Adam, None) => settings.adam.epochs,
        _ => settings.least_squares.epochs,
    };
    let width = set.factors().map_or(0, |shape| shape.dimensions() * phases.iter().count());
    let factors = settings.factors.as_ref().map_or(0, |factors| factors.epochs);
    let passes = [f64::from(epochs) * windows as f64, f64::from(factors) * width as f64];
    let instances = Geometry::new(set).instances.len() as f64;
    Ok(of_phase * instances * (PASS[0] * passes[0] + PASS[1] * passes[1]))
}

impl Comparing<'_> {
    /// Describes the expected time, and the smallest difference of mean errors that is proven with
    /// probability 0.9, (z₀.₉₉₅ + z₀.₉) · SE(Δ), without the variance due to seeds. SE(Δ) is
    /// estimated as [`PAIRED`] times the standard error of the embedded weights' mean error.
    pub(super) fn expected(&self, recipes: &[Recipe; 2], study: &Study<'_>) -> Result<String> {
        let phases = &study.settings.phases;
        let [first, second] = recipes.each_ref().map(|recipe| seconds(recipe, phases));
        let mut seconds = self.seeds as f64 * (first? + second?);
        let embedded = Evaluator::load(&WeightsChoice::Embedded)?;
        let errors = ErrorsByGame::of(&embedded, &study.test).on(&study.phases());
        let none = GameErrors::new(vec![0.0; errors.games()], vec![1.0; errors.games()]);
        let difference = Difference::between(&[[errors, none]]).ok_or(LabError::NoTestPositions)?;
        let [alike, others] = PAIRED.map(|ratio| ratio * difference.smallest());
        let mut elo = String::new();
        if let Some(pairs) = self.openings.map(<[_]>::len) {
            seconds += pairs as f64 * Match::seconds_at(self.strength);
            elo = format!("; by the match, {:.0} Elo with {pairs} pairs", smallest_elo(pairs));
        }
        let (fits, games, threads) =
            (2 * self.seeds, study.test.len(), rayon::current_num_threads());
        let time = seconds / threads as f64;
        let time =
            if time < 100.0 { format!("{time:.0} s") } else { format!("{:.0} min", time / 60.0) };
        Ok(format!(
            "{fits} fits: about {time} on {threads} threads; the smallest difference that is proven \
             9 times in 10 is about {alike:.3} discs between similar recipes and {others:.3} between \
             others, with {games} test games{elo}"
        ))
    }
}
