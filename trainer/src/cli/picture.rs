//! Draws line charts as SVG, and histograms as text.

use std::collections::BTreeMap;

use othello_engine::text_table::table;
use plotters::coord::Shift;
use plotters::prelude::*;

use crate::report::Line;

const SIZE: (u32, u32) = (860, 330);

const MOST_NAMED: usize = 8;

const COLOURS: [RGBColor; 5] = [
    RGBColor(27, 110, 60),
    RGBColor(178, 80, 20),
    RGBColor(50, 90, 180),
    RGBColor(140, 50, 130),
    RGBColor(110, 110, 20),
];

pub(super) struct Picture<'a> {
    pub(super) title: &'a str,
    pub(super) x_label: &'a str,
    pub(super) y_label: &'a str,
    pub(super) x_max: f64,
    pub(super) lines: Vec<Line>,
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type DrawingError<'a> = DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>;

impl Picture<'_> {
    pub(super) fn svg(&self) -> anyhow::Result<String> {
        let mut text = String::new();
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        self.draw(&area).map_err(|error| anyhow::anyhow!("the picture: {error}"))?;
        drop(area);
        Ok(text)
    }

    fn draw<'b>(&self, area: &Area<'b>) -> Result<(), DrawingError<'b>> {
        area.fill(&WHITE)?;
        let points = self.lines.iter().flat_map(|line| line.1.iter().flatten());
        let ends =
            |(low, high): (f64, f64), point: &(f64, f64)| (low.min(point.1), high.max(point.1));
        let (lowest, highest) = points.fold((0.0, 1.0), ends);
        let digits = if highest - lowest < 6.0 { 1 } else { 0 };
        let mut chart = ChartBuilder::on(area)
            .caption(self.title, ("sans-serif", 16))
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(44)
            .build_cartesian_2d(0.0..self.x_max, lowest * 1.05..highest * 1.05)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(13)
            .x_label_formatter(&|place| format!("{place:.0}"))
            .y_label_formatter(&|discs| format!("{discs:.digits$}"))
            .x_desc(self.x_label)
            .y_desc(self.y_label)
            .light_line_style(TRANSPARENT)
            .draw()?;
        for (number, (name, points)) in self.lines.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            for points in points.split(Option::is_none) {
                let points: Vec<(f64, f64)> = points.iter().copied().flatten().collect();
                chart.draw_series(points.iter().map(|&at| Circle::new(at, 2, colour.filled())))?;
                chart.draw_series(LineSeries::new(points, colour.stroke_width(2)))?;
            }
            if (2..=MOST_NAMED).contains(&self.lines.len()) {
                let below = 30 + 16 * number as i32;
                let style = ("sans-serif", 13).into_font().color(&colour);
                area.draw_text(name, &style, (SIZE.0 as i32 - 260, below))?;
            }
        }
        area.present()
    }
}

/// Returns a histogram as bars of text, or an empty text if `counts` is empty. Each pair has the
/// place of a bar on the axis, in discs, and a number to add to this bar. `counted` names what is
/// counted, such as `games`.
pub(super) fn histogram(counted: &str, counts: impl IntoIterator<Item = (i32, u64)>) -> String {
    const MAX_BAR_CHARS: f64 = 50.0;
    let mut bins = BTreeMap::<i32, u64>::new();
    counts.into_iter().for_each(|(number, count)| *bins.entry(number).or_default() += count);
    let Some(&most) = bins.values().max() else { return String::new() };
    let rows = bins.iter().map(|(number, &count)| {
        let bar = "#".repeat((MAX_BAR_CHARS * count as f64 / most.max(1) as f64).ceil() as usize);
        [number.to_string(), count.to_string(), bar]
    });
    table(["discs", counted, "<"], rows) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_without_a_value_has_no_point() {
        let points = (0..6).map(|place| (place % 3 != 1).then_some((f64::from(place), 5.0)));
        let line = |name: &str| (name.to_owned(), points.clone().collect());
        let picture = |lines| Picture {
            title: "a < b",
            x_label: "phase",
            y_label: "discs",
            x_max: 59.0,
            lines,
        };
        let text = picture(vec![line("upper")]).svg().expect("it is drawn");
        assert_eq!(text.matches("<circle").count(), 4);
        assert!(text.contains("a &lt; b") && !text.contains("upper"), "{text}");
        let text = picture(vec![line("upper"), line("lower")]).svg().expect("it is drawn");
        assert!(text.contains("upper") && text.contains("lower"), "{text}");
    }
}
