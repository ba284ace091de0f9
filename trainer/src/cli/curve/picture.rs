//! Draws errors as a function of the number of games: those of every seed, and the fitted laws.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::experiments::{Law, Point};

/// The first bytes of every picture.
pub(super) const HEAD: &[u8] = b"<svg ";

const SIZE: (u32, u32) = (860, 360);

/// Draws the errors of points, the law fitted to all of them, and the law fitted to all except the
/// last, as an SVG picture. The same points give the same text.
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
    // The laws are drawn from one side to the other, and fall from left to right.
    let ends = [law, of_smaller].into_iter().flat_map(|law| [law.at(from), law.at(to)]);
    let (lowest, highest) =
        errors.chain(ends).fold((f64::MAX, f64::MIN), |(a, b), error| (a.min(error), b.max(error)));
    let margin = 0.05 * (highest - lowest).max(0.1);
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 16))
        .margin(12)
        .x_label_area_size(52)
        .y_label_area_size(60)
        .build_cartesian_2d((from..to).log_scale(), lowest - margin..highest + margin)?;
    let decimals = if highest - lowest < 0.2 { 3 } else { 2 };
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(0)
        .x_label_formatter(&|_| String::new())
        .set_tick_mark_size(LabelAreaPosition::Bottom, 0)
        .y_labels(6)
        .y_label_formatter(&|discs| format!("{discs:.decimals$}"))
        .x_desc(
            "training games; the line is the law fitted to all points, the grey line to all \
                 but the last",
        )
        .y_desc("mean absolute error, discs")
        .light_line_style(TRANSPARENT)
        .draw()?;
    let (_, plot_bottom) = chart.backend_coord(&(from, lowest - margin));
    name_amounts(area, points, plot_bottom, |games| chart.backend_coord(&(games, lowest)).0)?;
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

/// Writes the numbers of games below the plot; skips those for which there is no room.
fn name_amounts<'a>(
    area: &Area<'a>,
    points: &[Point],
    bottom: i32,
    x: impl Fn(f64) -> i32,
) -> Result<(), DrawingError<'a>> {
    let style = ("sans-serif", 12).into_text_style(area).pos(Pos::new(HPos::Center, VPos::Top));
    let mut end = i32::MIN;
    for point in points {
        let (name, at) = (format!("{:.0}", point.games), x(point.games));
        // A digit is about seven pixels wide.
        let half = 4 * name.len() as i32 + 4;
        if at - half > end {
            area.draw(&PathElement::new([(at, bottom), (at, bottom + 4)], BLACK))?;
            area.draw(&Text::new(name, (at, bottom + 6), style.clone()))?;
            end = at + half;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Share;

    fn point(games: f64) -> Point {
        let by_seed = vec![5.9, 6.1];
        Point { share: Share::ALL, games, mae: 6.0, mae_error: None, by_seed }
    }

    #[test]
    fn laws_lie_within_the_plot_and_labels_beside_one_another() {
        // The law is steep below the first point, and the points are too close for all their
        // labels.
        let steep = Law { floor: 5.0, scale: 1e4, exponent: 2.0 };
        let flat = Law { floor: 5.0, scale: 10.0, exponent: 0.3 };
        let points = [100.0, 1000.0, 1010.0, 10000.0].map(point);
        let text = picture("", &points, &flat, &steep).expect("it is drawn");
        let lines = text.split("<polyline").skip(1);
        let heights: Vec<f64> = lines
            .flat_map(|line| line.split_once("points=\"").unwrap().1.split('"').next())
            .map(|points| points.split_whitespace().collect::<Vec<_>>())
            // The other lines are axes and their marks.
            .filter(|points| points.len() > 50)
            .flatten()
            .map(|at| at.split_once(',').unwrap().1.parse().unwrap())
            .collect();
        let (top, bottom) = (12.0, f64::from(SIZE.1) - 12.0 - 52.0);
        // A clipped line runs along the edge.
        let highest = heights.iter().copied().fold(f64::MAX, f64::min);
        assert!(highest > top && heights.iter().all(|&y| y <= bottom), "{heights:?}");
        assert!(heights.iter().filter(|&&y| y == highest).count() < 3, "{heights:?}");
        let named = |games: &str| text.contains(&format!("\n{games}\n"));
        assert_eq!(
            ["100", "1000", "1010", "10000"].map(named),
            [true, true, false, true],
            "{text}"
        );
    }

    #[test]
    fn every_seed_has_a_dot() {
        let law = Law { floor: 5.0, scale: 10.0, exponent: 0.3 };
        let points = [100.0, 200.0, 400.0].map(point);
        let text = picture("a < b", &points, &law, &law).expect("it is drawn");
        assert!(text.as_bytes().starts_with(HEAD));
        assert_eq!(text.matches("<circle").count(), 6);
        assert!(text.contains("a &lt; b"), "{text}");
        assert_eq!(text, picture("a < b", &points, &law, &law).expect("it is drawn"));
    }
}
