//! Draws the errors of an evaluation: the mean absolute error of each phase.

use std::ops::Range;

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::metrics::PhaseErrors;

const SIZE: (u32, u32) = (860, 330);

/// Draws the mean absolute error by phase as an SVG picture. Phases without positions are skipped.
/// The same errors give the same text.
pub(super) fn picture(title: &str, phases: &[PhaseErrors]) -> anyhow::Result<String> {
    let mut text = String::new();
    let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
    draw(&area, title, phases).map_err(|error| anyhow::anyhow!("the picture: {error}"))?;
    drop(area);
    Ok(text)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type DrawingError<'a> = DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>;

fn draw<'a>(area: &Area<'a>, title: &str, phases: &[PhaseErrors]) -> Result<(), DrawingError<'a>> {
    area.fill(&WHITE)?;
    let highest = phases.iter().filter_map(|row| row.errors.mae).fold(1.0, f64::max);
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 16))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(44)
        .build_cartesian_2d(0.0..59.0, 0.0..highest * 1.05)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(13)
        .x_label_formatter(&|phase| format!("{phase:.0}"))
        .y_label_formatter(&|discs| format!("{discs:.0}"))
        .x_desc("phase: discs played")
        .y_desc("mean absolute error, discs")
        .light_line_style(TRANSPARENT)
        .draw()?;
    let colour = RGBColor(27, 110, 60);
    for run in runs(phases) {
        let points: Vec<(f64, f64)> = phases[run].iter().filter_map(point).collect();
        chart.draw_series(points.iter().map(|&at| Circle::new(at, 2, colour.filled())))?;
        chart.draw_series(LineSeries::new(points, colour.stroke_width(2)))?;
    }
    area.present()
}

fn point(row: &PhaseErrors) -> Option<(f64, f64)> {
    Some((row.phase.index() as f64, row.errors.mae?))
}

/// Returns the ranges of consecutive phases that have errors. The picture has one line for each
/// range, with a gap at phases without errors.
fn runs(phases: &[PhaseErrors]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = vec![];
    for (index, _) in phases.iter().enumerate().filter(|(_, row)| row.errors.mae.is_some()) {
        match runs.last_mut() {
            Some(run) if run.end == index => run.end += 1,
            _ => runs.push(index..index + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::GroupErrors;
    use othello_engine::board::Phase;

    #[test]
    fn a_phase_without_positions_has_no_point() {
        let row = |phase: Phase| {
            let mae = (phase.index() % 3 != 1).then_some(5.0);
            let positions = u64::from(mae.is_some());
            let errors = GroupErrors { positions, bias: None, bias_error: None, mae, mse: mae };
            PhaseErrors { phase, empties: 60 - phase.index(), errors }
        };
        let rows: Vec<PhaseErrors> = Phase::all().take(6).map(row).collect();
        assert_eq!(runs(&rows), [0..1, 2..4, 5..6]);
        let text = picture("a < b", &rows).expect("it is drawn");
        assert_eq!(text.matches("<circle").count(), 4);
        assert!(text.contains("a &lt; b"), "{text}");
    }
}
