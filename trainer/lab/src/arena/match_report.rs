use std::fmt;
use std::time::Instant;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::{
    Budget, Conditions, Decision, Effort, MatchResult, SIGNIFICANT, SprtReport, Statistics,
};

/// A result of a match. If `--fail-if` names it, the exit status is 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, derive_more::Display)]
#[display(rename_all = "kebab-case")]
pub enum Finding {
    /// The first player is proven worse; with `--sprt`, H0 is accepted
    Worse,
    /// The first player is not proven better; with `--sprt`, H1 is not accepted
    NotBetter,
    /// A player forfeited a game
    Forfeit,
}

/// The report of a match.
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
pub struct MatchReport {
    /// The name of the first player.
    first: String,
    /// The name of the second player.
    second: String,
    /// The number of pairs of games.
    pairs: usize,
    /// The depth, in plies, of the searches of a player that states no depth of its own.
    depth: u32,
    /// The number of empty squares at or below which a player solves positions exactly, if it
    /// states no number of its own.
    exact: u32,
    /// Each player's limits on nodes and time of a search, before it solves positions exactly.
    budgets: [Budget; 2],
    #[serde(flatten)]
    statistics: Statistics,
    /// The sequential test, if there was one.
    sprt: Option<SprtReport>,
    /// The result, of which JSON omits the games.
    #[serde(flatten)]
    pub result: MatchResult,
    /// The wall time of the match.
    seconds: f64,
}

impl MatchReport {
    /// Creates the report of a match that began at `begun` and ends now.
    pub fn new(conditions: &Conditions, result: MatchResult, begun: Instant) -> Self {
        let Conditions { players: [first, second], depth, exact, budgets, sprt } =
            conditions.clone();
        let statistics = result.statistics();
        let sprt = sprt.map(|sprt| sprt.report(&statistics.pentanomial));
        let (pairs, seconds) = (result.pairs.len(), begun.elapsed().as_secs_f64());
        Self { first, second, pairs, depth, exact, budgets, statistics, sprt, result, seconds }
    }
}

impl fmt::Display for MatchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, second, pairs, depth, exact, statistics, seconds, .. } = self;
        let MatchResult { distinct_openings, distinct_games, forfeits, resigned, efforts, .. } =
            &self.result;
        let Statistics { wins, draws, losses, mean_discs, mean_discs_error, .. } = statistics;
        let budget = match self.budgets {
            [one, other] if one == other => one.to_string(),
            // A player's name with a colon, such as `a.weights:ms=5`, already states its limits.
            [one, other] => [(first, one), (second, other)]
                .map(|(player, budget)| match budget == Budget::default() || player.contains(':') {
                    true => String::new(),
                    false => format!("{budget} ({player})"),
                })
                .concat(),
        };
        writeln!(
            f,
            "{first} against {second}, depth {depth}{budget}, exact at ≤ {exact}, {pairs} pairs:"
        )?;
        writeln!(f, "  {wins} won, {draws} drawn, {losses} lost")?;
        writeln!(f, "  up to symmetry: {distinct_openings} openings, {distinct_games} games")?;
        for (player, Effort { nodes, seconds }) in [first, second].into_iter().zip(*efforts) {
            let nodes = if nodes > 0 { format!("{nodes} nodes, ") } else { String::new() };
            if seconds > 0.0 {
                writeln!(f, "  {player}: {nodes}{seconds:.1} s before exact play")?;
            }
        }
        let [one, other] = self.budgets;
        let [first_effort, second_effort] = efforts.map(|effort| effort.seconds);
        if one.milliseconds.is_some() && one == other && second_effort > 0.0 {
            let ratio = first_effort / second_effort;
            writeln!(f, "  equal time: {first} took {ratio:.3} times that of {second}")?;
        }
        for (player, number) in [(first, 1), (second, 2)] {
            let forfeited = forfeits.iter().filter(|forfeit| forfeit.player == number).count();
            for (games, lost) in [(forfeited, "forfeited"), (resigned[number - 1], "resigned")] {
                if games > 0 {
                    writeln!(f, "  {games} games {lost} by {player}")?;
                }
            }
        }
        let counts = statistics.pentanomial.0.map(|count| count.to_string()).join(", ");
        writeln!(f, "  {counts} pairs of 0, 0.5, 1, 1.5, 2 points for {first}")?;
        let error = mean_discs_error.map_or(String::new(), |error| format!(" ± {error:.2}"));
        write!(f, "  {mean_discs:+.2}{error} discs a game")?;
        match &self.sprt {
            None => writeln!(f, ", {} (95 % intervals)", self.difference())?,
            Some(sprt) => {
                let percent = 100.0 * sprt.confidence;
                let elo = self.elo(sprt.elo_interval);
                writeln!(f, " (95 % interval), {elo} ({percent:.0} %, however it was stopped)")?;
            }
        }
        write!(f, "  {}, {seconds:.1} s", self.reason())
    }
}

fn probability(p: f64) -> String {
    match p {
        ..0.000_1 => "p < 0.0001".to_owned(),
        ..0.001 => format!("p = {p:.5}"),
        ..0.01 => format!("p = {p:.4}"),
        ..0.1 => format!("p = {p:.3}"),
        _ => format!("p = {p:.2}"),
    }
}

impl MatchReport {
    /// Returns true if the match has this result, such as a worse first player or a forfeit.
    pub fn shows(&self, finding: Finding) -> bool {
        let Statistics { elo, p_value, .. } = self.statistics;
        let proven = p_value < SIGNIFICANT;
        match (finding, self.sprt.as_ref().map(|sprt| sprt.decision)) {
            (Finding::Worse, None) => proven && elo < 0.0,
            (Finding::Worse, Some(decision)) => decision == Decision::H0,
            (Finding::NotBetter, None) => !proven || elo < 0.0,
            (Finding::NotBetter, Some(decision)) => decision != Decision::H1,
            (Finding::Forfeit, _) => !self.result.forfeits.is_empty(),
        }
    }

    /// Returns a text with the second player, the limits of its searches, and the number of pairs.
    pub(crate) fn terms(&self) -> String {
        let Self { second, budgets: [_, budget], pairs, .. } = self;
        format!("{second}{budget}, {pairs} pairs")
    }

    /// Returns the Elo difference, first player minus second, with its 95 % interval, as text.
    pub(crate) fn difference(&self) -> String {
        self.elo(self.statistics.elo_interval)
    }

    /// Returns a text that states which player is better, with the p-value or the sequential test.
    pub fn reason(&self) -> String {
        let Self { first, second, sprt, statistics: Statistics { elo, p_value, .. }, .. } = self;
        let Some(SprtReport { elo0, elo1, llr, llr_bounds: [low, high], decision, .. }) = sprt
        else {
            let verdict = match (*p_value < SIGNIFICANT, *elo > 0.0) {
                (true, true) => format!("{first} is better than {second}"),
                (true, false) => format!("{second} is better than {first}"),
                (false, _) => "no difference proven".to_owned(),
            };
            return format!("{verdict} ({}, by pair)", probability(*p_value));
        };
        let decided = match decision {
            Decision::H0 => format!("{first} is not better than {second} by {elo1:+} Elo"),
            Decision::H1 => format!("{first} is better than {second} by more than {elo0:+} Elo"),
            Decision::Open => "nothing is decided; more pairs are needed".to_owned(),
        };
        format!(
            "SPRT of {elo0:+} against {elo1:+} Elo: {decided} (log-likelihood ratio {llr:+.2}, bounds \
             {low:+.2} and {high:+.2})"
        )
    }

    fn elo(&self, interval: [Option<f64>; 2]) -> String {
        let elo = self.statistics.elo;
        match interval {
            _ if self.pairs == 0 => "no games".to_owned(),
            [Some(low), Some(high)] => format!("{elo:+.0} Elo ({low:+.0} to {high:+.0})"),
            [Some(low), None] if self.statistics.elo_interval[1].is_none() => {
                format!("more than {low:+.0} Elo: every game was won")
            }
            [None, Some(high)] if self.statistics.elo_interval[0].is_none() => {
                format!("less than {high:+.0} Elo: every game was lost")
            }
            [Some(low), None] => format!("{elo:+.0} Elo (more than {low:+.0})"),
            [None, Some(high)] => format!("{elo:+.0} Elo (less than {high:+.0})"),
            [None, None] => format!("{elo:+.0} Elo (any)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::{Pair, Sprt};

    fn report(pairs: Vec<Pair>) -> MatchReport {
        report_of(pairs, None)
    }

    fn report_of(pairs: Vec<Pair>, sprt: Option<Sprt>) -> MatchReport {
        let players = ["new", "old"].map(str::to_owned);
        let budgets = Default::default();
        let conditions = Conditions { players, depth: 1, exact: 0, budgets, sprt };
        let result = MatchResult {
            pairs,
            distinct_openings: 0,
            distinct_games: 0,
            forfeits: vec![],
            resigned: [0; 2],
            efforts: Default::default(),
            games: vec![],
        };
        MatchReport::new(&conditions, result, Instant::now())
    }

    /// Regressions: the report had no interval if every game was won, and printed p = 1 as 1.00e0.
    #[test]
    fn a_match_is_told_in_words_for_people() {
        let even = report(vec![Pair([2, -2]); 40]).to_string();
        assert!(even.contains("no difference proven (p = 1.00, by pair)"), "{even}");
        let won = report(vec![Pair([10, 20]); 40]).to_string();
        assert!(won.contains("more than +406 Elo: every game was won (95 % intervals)"), "{won}");
        assert!(won.contains("new is better than old (p < 0.0001, by pair)"), "{won}");
        let lost = report(vec![Pair([-10, -20]); 40]).to_string();
        assert!(lost.contains("less than -406 Elo: every game was lost"), "{lost}");
        assert!(lost.contains("old is better than new"), "{lost}");
        let most = report([vec![Pair([2, 2]); 30], vec![Pair([2, -2]); 10]].concat()).to_string();
        assert!(most.contains(" Elo (+") && most.contains(" to +"), "{most}");
    }

    #[test]
    fn a_sequential_test_is_told_with_its_own_interval() {
        let [alpha, beta] = ["0.05"; 2].map(|rate| rate.parse().unwrap());
        let sprt = Sprt { hypotheses: "0,50".parse().unwrap(), alpha, beta };
        let told = |pairs| report_of(pairs, Some(sprt)).to_string();
        let better = told([vec![Pair([2, 2]); 60], vec![Pair([2, -2]); 40]].concat());
        assert!(better.contains("  0, 0, 40, 0, 60 pairs of 0, 0.5, 1, 1.5, 2 points"), "{better}");
        assert!(better.contains("(90 %, however it was stopped)"), "{better}");
        assert!(better.contains("new is better than old by more than +0 Elo"), "{better}");
        let even = told(vec![Pair([2, -2]); 1000]);
        assert!(even.contains("new is not better than old by +50 Elo (log-lik"), "{even}");
        let open = told(vec![Pair([2, -2]); 2]);
        assert!(
            open.contains("nothing is decided") && open.contains("bounds -2.94 and +2.94"),
            "{open}"
        );
    }

    #[test]
    fn findings_fail_a_check_where_they_are_there() {
        use Finding::{Forfeit, NotBetter, Worse};
        let shown = |pairs| {
            let report = report(pairs);
            [Worse, NotBetter, Forfeit].map(|finding| report.shows(finding))
        };
        assert_eq!(shown(vec![Pair([2, -2]); 40]), [false, true, false]);
        assert_eq!(shown(vec![Pair([2, 2]); 40]), [false, false, false]);
        assert_eq!(shown(vec![Pair([-2, -2]); 40]), [true, true, false]);
    }

    #[test]
    fn probabilities_have_two_figures() {
        let written = [1.0, 0.5, 0.0343, 0.001_24, 0.000_123, 2e-9].map(probability);
        let expected =
            ["p = 1.00", "p = 0.50", "p = 0.034", "p = 0.0012", "p = 0.00012", "p < 0.0001"];
        assert_eq!(written, expected);
    }
}
