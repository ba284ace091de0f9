//! A picture of a pattern set as SVG. Each pattern has a board, with the numbers of its instances
//! and classes below. A last board has the number of instances on each square.

use std::fmt::Display;

use svg::Document;
use svg::node::element::{Path, Rectangle, Text};

use crate::board::Square;
use crate::eval::Weights;
use crate::pattern::{Coverage, Instance};

const COLUMNS: usize = 4;
/// The side of a board's square. All lengths of this module are in user units of the SVG format.
const CELL: usize = 16;
const BOARD: usize = 8 * CELL;
const STEP_X: usize = BOARD + 64;
const STEP_Y: usize = BOARD + 70;
const LEFT: usize = 20;
const TOP: usize = 66;
const NAME_LENGTH: usize = 29;

const FELT: &str = "#d8ead8";
const PATTERN_COLOUR: &str = "#1b6e3c";
const INSTANCE_COLOUR: &str = "#a3cfa9";

pub(super) fn picture(weights: &Weights) -> String {
    let (set, geometry) = (weights.set(), weights.geometry());
    let (name, patterns) = (short(set.name()), set.patterns().len());
    let (instances, parameters) = (geometry.instances.len(), geometry.parameters());
    let headline = format!(
        "{name}: {patterns} patterns, {instances} instances, {parameters} weights in each of 60 \
         phases"
    );
    let rows = (patterns + 1).div_ceil(COLUMNS);
    let (width, height) = (LEFT + COLUMNS * STEP_X, TOP + rows * STEP_Y);
    let document = Document::new()
        .set("viewBox", (0, 0, width, height))
        .set("width", width)
        .set("font-family", "sans-serif")
        .add(rectangle((0, 0), [width, height], "#ffffff"))
        .add(text(headline, LEFT, 28, 16));
    let draw = |document, number| draw(document, weights, number);
    draw_coverage((0..patterns).fold(document, draw), weights).to_string() + "\n"
}

fn draw(document: Document, weights: &Weights, number: usize) -> Document {
    let (pattern, geometry) = (&weights.set().patterns()[number], weights.geometry());
    let instances = geometry.instances.iter().filter(|instance| instance.pattern == number);
    let instances: Vec<&Instance> = instances.collect();
    let is_covered = |square: &Square| instances.iter().any(|i| i.squares.contains(square));
    let covered: Vec<Square> = Square::all().filter(is_covered).collect();
    let corner = |square: &Square| corner_of_square(number, square.index());
    let cells = |squares: &[Square], colour: &str| {
        let cell = |square| {
            let (left, top) = corner(square);
            format!("M{left} {top}h{CELL}v{CELL}h-{CELL}z")
        };
        path(squares.iter().map(cell).collect()).set("fill", colour)
    };
    let plural = if instances.len() == 1 { "" } else { "s" };
    let classes = geometry.patterns[number].classes;
    let captions = [
        format!("{} squares", pattern.squares().len()),
        format!("{} instance{plural}, {classes} classes", instances.len()),
    ];
    let document = begin_board(document, number, &short(pattern.name()))
        .add(cells(&covered, INSTANCE_COLOUR))
        .add(cells(pattern.squares(), PATTERN_COLOUR));
    let document = end_board(document, number, captions);
    pattern.squares().iter().enumerate().fold(document, |document, (place, square)| {
        let (left, top) = corner(square);
        let digit = text(place + 1, left + CELL / 2, top + 12, 10);
        document.add(digit.set("fill", "#ffffff").set("text-anchor", "middle"))
    })
}

fn draw_coverage(document: Document, weights: &Weights) -> Document {
    let Coverage { instances, lines, open_lines } = Coverage::of(weights.geometry());
    let number = weights.set().patterns().len();
    let most = instances.iter().copied().max().unwrap_or(0).max(1);
    let captions = [
        "instances that have each square".to_owned(),
        format!("{} of {lines} lines in one instance", lines - open_lines.len()),
    ];
    let document = begin_board(document, number, "all patterns");
    let cells = instances.iter().enumerate().fold(document, |document, (square, &count)| {
        let (left, top) = corner_of_square(number, square);
        let strength = f64::from(count) / f64::from(most);
        let cell = rectangle((left, top), [CELL; 2], PATTERN_COLOUR);
        let digits = text(count, left + CELL / 2, top + 12, 10).set("text-anchor", "middle");
        let ink = if strength > 0.5 { "#ffffff" } else { "#000000" };
        document
            .add(cell.set("fill-opacity", format!("{strength:.2}")))
            .add(digits.set("fill", ink))
    });
    end_board(cells, number, captions)
}

fn begin_board(document: Document, number: usize, name: &str) -> Document {
    let (x, y) = corner_of_board(number);
    document.add(text(name, x, y - 8, 12)).add(rectangle((x, y), [BOARD; 2], FELT))
}

fn end_board(document: Document, number: usize, [first, second]: [String; 2]) -> Document {
    let (x, y) = corner_of_board(number);
    let lines = (0..=8).map(|line| {
        let (right, down) = (x + line * CELL, y + line * CELL);
        format!("M{right} {y}v{BOARD}M{x} {down}h{BOARD}")
    });
    document
        .add(path(lines.collect()).set("stroke", "#ffffff"))
        .add(text(first, x, y + BOARD + 16, 11))
        .add(text(second, x, y + BOARD + 31, 11))
}

fn corner_of_board(number: usize) -> (usize, usize) {
    (LEFT + number % COLUMNS * STEP_X, TOP + number / COLUMNS * STEP_Y)
}

fn corner_of_square(board: usize, square: usize) -> (usize, usize) {
    let (x, y) = corner_of_board(board);
    (x + square % 8 * CELL, y + square / 8 * CELL)
}

fn rectangle((x, y): (usize, usize), [width, height]: [usize; 2], fill: &str) -> Rectangle {
    let rectangle = Rectangle::new().set("x", x).set("y", y).set("fill", fill);
    rectangle.set("width", width).set("height", height)
}

fn path(data: String) -> Path {
    Path::new().set("d", data)
}

fn text(content: impl Display, x: usize, y: usize, size: usize) -> Text {
    Text::new(content.to_string()).set("x", x).set("y", y).set("font-size", size)
}

fn short(name: &str) -> String {
    name.chars().take(NAME_LENGTH).collect()
}
