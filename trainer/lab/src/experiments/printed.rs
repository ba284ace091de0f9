use std::fmt;

use othello_engine::text_table::table;

use super::tuning::not_proven_worse;
use super::{
    AtAnEnd, CONFIDENCE, ComparedErrors, Comparison, Curve, Estimate, Law, Needed, PhaseCurve,
    Played, Prediction, Record, Standing, Tested, Tuned, Verdict,
};
use crate::arena::{SprtReport, Statistics};

impl ComparedErrors {
    /// Prints the errors of `first` and `second` by phase, and the difference with its confidence
    /// interval. `sample` describes the sample, such as `5 seeds, 1000 games`.
    pub fn print(
        &self,
        f: &mut fmt::Formatter<'_>,
        [first, second]: [&str; 2],
        sample: &str,
    ) -> fmt::Result {
        let columns = ["phase", "positions", first, second, "difference", "±"];
        let rows = self.phases.iter().map(|row| {
            let Estimate { difference, difference_error } = row.estimate;
            let numbers = [row.first_mae, row.second_mae, difference, difference_error];
            let [one, two, difference, error] = numbers.map(|discs| format!("{discs:.3}"));
            [row.phase.to_string(), format!("{:.0}", row.positions), one, two, difference, error]
        });
        writeln!(f, "{}", table(columns, rows))?;
        let percent = 100.0 * self.confidence;
        let Estimate { difference, difference_error } = self.estimate;
        write!(
            f,
            "mean absolute error of `{first}` minus that of `{second}`: {difference:+.4} ± \
             {difference_error:.4} discs ({percent:.0} %, {sample})"
        )
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, second, errors, seeds, tested, .. } = self;
        errors.print(f, [first, second], &format!("{seeds} seeds, {} games", tested.test_games))?;
        writeln!(f, "\n{tested}")?;
        if let Some(Played { statistics, sprt }) = &self.played {
            let Statistics { wins, draws, losses, elo, p_value, .. } = statistics;
            write!(f, "match: {wins} won, {draws} drawn, {losses} lost, {elo:+.0} Elo, ")?;
            match sprt {
                None => writeln!(f, "p = {p_value:.3}")?,
                Some(SprtReport { elo0, elo1, decision, .. }) => {
                    writeln!(f, "SPRT of {elo0:+} against {elo1:+} Elo: {decision}")?;
                }
            }
        }
        match self.verdict {
            Verdict::First => write!(f, "`{first}` is better"),
            Verdict::Second => write!(f, "`{second}` is better"),
            Verdict::Equal => {
                let Needed { seeds, games } = errors.needed;
                let smallest = errors.smallest;
                write!(
                    f,
                    "equal: no difference is proven; to prove one of {smallest} discs takes about \
                     {seeds} seeds and {games} test games"
                )
            }
        }
    }
}

impl fmt::Display for Curve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = ["share", "games", "MAE", "±", "law"];
        let rows = self.points.iter().map(|point| {
            let error = point.mae_error.map_or("-".into(), |error| format!("{error:.3}"));
            let law = format!("{:.3}", self.law.at(point.games));
            let [games, mae] = [format!("{:.0}", point.games), format!("{:.3}", point.mae)];
            [point.share.to_string(), games, mae, error, law]
        });
        writeln!(f, "{}\n", table(columns, rows))?;
        let columns = ["phase", "positions", "MAE", "predicted", "missed by", "floor", "exponent"];
        let rows = self.phases.iter().map(|row| {
            let PhaseCurve { phase, positions, law, prediction, .. } = row;
            let [measured, predicted, floor, exponent] =
                [prediction.measured, prediction.predicted, law.floor, law.exponent]
                    .map(|number| format!("{number:.3}"));
            let missed = format!("{:+.1} %", prediction.missed_percent);
            let positions = format!("{positions:.0}");
            [phase.to_string(), positions, measured, predicted, missed, floor, exponent]
        });
        writeln!(f, "{}\n", table(columns, rows))?;
        writeln!(f, "{}", self.tested)?;
        let Law { floor, scale, exponent } = self.law;
        writeln!(f, "error of `{}` = {floor:.3} + {scale:.3} · games^-{exponent:.3}", self.recipe)?;
        let Prediction { predicted, measured, missed_percent, .. } = self.prediction;
        writeln!(
            f,
            "the smaller shares predict {predicted:.3} for the largest; it has {measured:.3}: missed by \
             {missed_percent:+.2} %"
        )?;
        write!(f, "twice as many games would reach {:.3}", self.twice)
    }
}

fn cells(record: &Record) -> [String; 9] {
    let number = |value: Option<f64>| value.map_or("-".into(), |v| format!("{v:.3}"));
    let is_best = record.outcome == Standing::Best;
    let shown = |value: Option<f64>| number(value.filter(|_| !is_best));
    [
        record.round.to_string(),
        record.share.to_string(),
        record.by_seed.len().to_string(),
        number(record.mae),
        shown(record.difference),
        shown(record.difference_error),
        record.outcome.to_string(),
        record.trial.clone(),
        record.name.clone(),
    ]
}

impl fmt::Display for Tuned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns =
            ["round", "share", "seeds", "MAE", "worse by", "±", "<outcome", "<trial", "<values"];
        writeln!(f, "{}\n", table(columns, self.trials.iter().map(cells)))?;
        let best = self.trials.last().map_or(0, |last| last.round);
        let last = self.trials.iter().filter(|trial| trial.round == best);
        for trial in last.filter(|trial| trial.outcome == Standing::Best) {
            writeln!(f, "best: {}, mean absolute error {:.3} discs", trial.name, self.mae)?;
        }
        for AtAnEnd { name, value, end } in &self.at_an_end {
            let more = if *end == "largest" { "larger" } else { "smaller" };
            writeln!(f, "{name} = {value} is the {end} value tried: {more} values may be better")?;
        }
        writeln!(f, "{}", self.tested)?;
        let open = not_proven_worse(&self.trials);
        let names: Vec<&str> = open.iter().map(|trial| &*trial.name).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join("; ") };
        write!(f, "not proven worse ({:.0} %): {names}", 100.0 * CONFIDENCE)
    }
}

impl fmt::Display for Tested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: u64 = self.test_labels.iter().map(|kind| kind.1).sum();
        let percent = |count: u64| 100.0 * count as f64 / all as f64;
        let kind = |(kind, count): &(String, u64)| format!("{kind} {:.0} %", percent(*count));
        let kinds = self.test_labels.iter().map(kind).collect::<Vec<_>>().join(", ");
        write!(f, "labels of the test positions: {kinds}")?;
        self.training_has.warning().map_or(Ok(()), |line| write!(f, "\n{line}"))
    }
}
