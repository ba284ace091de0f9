//! A picture of errors by the number of games: every seed's, and the laws through them.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::Point;
use crate::study::Law;

/// The beginning of every picture.
pub(super) const HEAD: &[u8] = b"<svg ";

const SIZE: (u32, u32) = (860, 360);

/// The errors of points, the law of all of them, and the law of all but the last, as an SVG picture. The
/// same points give the same text.
pub(super) fn picture(
    title: &str,
    points: &[Point],
    law: &Law,
    of_smaller: &Law,
) -> anyhow::Result<String> {
    let mut text = String::new();
    let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
    let drawn = draw(&area, title, points, law, of_smaller);
    drawn.map_err(|error| anyhow::anyhow!("the picture: {error}"))?;
    drop(area);
    Ok(text)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type DrawingError<'a> = DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>;

fn draw<'a>(
    area: &Area<'a>,
    title: &str,
    points: &[Point],
    law: &Law,
    of_smaller: &Law,
) -> Result<(), DrawingError<'a>> {
    area.fill(&WHITE)?;
    let games = points.iter().map(|point| point.games);
    let (fewest, most) =
        games.fold((f64::MAX, 1.0_f64), |(a, b), games| (a.min(games), b.max(games)));
    let (from, to) = (fewest / 1.2, most * 2.2);
    let errors = points.iter().flat_map(|point| point.by_seed.iter().copied());
    let (lowest, highest) =
        errors.fold((law.at(to), 0.0_f64), |(a, b), error| (a.min(error), b.max(error)));
    let margin = 0.05 * (highest - lowest).max(0.1);
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 16))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(52)
        .build_cartesian_2d((from..to).log_scale(), lowest - margin..highest + margin)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_label_formatter(&|games| format!("{games:.0}"))
        .y_label_formatter(&|discs| format!("{discs:.2}"))
        .x_desc("games that train; the line is the law of all points, the grey one that of all but the last")
        .y_desc("mean absolute error, discs")
        .light_line_style(TRANSPARENT)
        .draw()?;
    let curve = |law: &Law| {
        let law = *law;
        (0..=100).map(move |step| {
            let games = from * (to / from).powf(f64::from(step) / 100.0);
            (games, law.at(games))
        })
    };
    let colour = RGBColor(27, 110, 60);
    chart.draw_series(LineSeries::new(curve(of_smaller), RGBColor(150, 150, 150)))?;
    chart.draw_series(LineSeries::new(curve(law), colour.stroke_width(2)))?;
    for point in points {
        let dots = point.by_seed.iter().map(|&error| (point.games, error));
        chart.draw_series(dots.map(|at| Circle::new(at, 3, colour.filled())))?;
    }
    area.present()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Share;

    #[test]
    fn every_seed_has_a_dot() {
        let point = |games: f64| Point {
            share: Share::ALL,
            games,
            mae: 6.0,
            mae_error: None,
            by_seed: vec![5.9, 6.1],
        };
        let law = Law { floor: 5.0, scale: 10.0, exponent: 0.3 };
        let points = [100.0, 200.0, 400.0].map(point);
        let text = picture("a < b", &points, &law, &law).expect("it is drawn");
        assert!(text.as_bytes().starts_with(HEAD));
        assert_eq!(text.matches("<circle").count(), 6);
        assert!(text.contains("a &lt; b"), "{text}");
        assert_eq!(text, picture("a < b", &points, &law, &law).expect("it is drawn"));
    }
}
