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
    let set = weights.set();
    let rows = (set.patterns().len() + 1).div_ceil(COLUMNS);
    let (width, height) = (LEFT + COLUMNS * STEP_X, TOP + rows * STEP_Y);
    let background = rectangle(0, 0, "#ffffff").set("width", width).set("height", height);
    let document = Document::new()
        .set("viewBox", (0, 0, width, height))
        .set("width", width)
        .set("font-family", "sans-serif")
        .add(background)
        .add(text(headline(weights), LEFT, 28, 16));
    let patterns = 0..set.patterns().len();
    let document = patterns.fold(document, |document, number| draw(document, weights, number));
    draw_coverage(document, weights).to_string() + "\n"
}

fn headline(weights: &Weights) -> String {
    let (set, geometry) = (weights.set(), weights.geometry());
    format!(
        "{}: {} patterns, {} instances, {} weights in each of 60 phases",
        short(set.name()),
        set.patterns().len(),
        geometry.instances.len(),
        geometry.parameters()
    )
}

fn draw(document: Document, weights: &Weights, number: usize) -> Document {
    let (pattern, geometry) = (&weights.set().patterns()[number], weights.geometry());
    let (x, y) = corner_of_board(number);
    let instances: Vec<&Instance> =
        geometry.instances.iter().filter(|instance| instance.pattern == number).collect();
    let is_covered = |square: &Square| instances.iter().any(|i| i.squares.contains(square));
    let covered: Vec<Square> = (0..64).filter_map(Square::new).filter(is_covered).collect();
    let corner = |square: &Square| (x + square.index() % 8 * CELL, y + square.index() / 8 * CELL);
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
    let (x, y) = corner_of_board(number);
    let most = instances.iter().copied().max().unwrap_or(0).max(1);
    let captions = [
        "instances that have each square".to_owned(),
        format!("{} of {lines} lines in one instance", lines - open_lines.len()),
    ];
    let document = begin_board(document, number, "all patterns");
    let cells = instances.iter().enumerate().fold(document, |document, (square, &count)| {
        let (left, top) = (x + square % 8 * CELL, y + square / 8 * CELL);
        let strength = f64::from(count) / f64::from(most);
        let cell = rectangle(left, top, PATTERN_COLOUR).set("width", CELL).set("height", CELL);
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
    let board = rectangle(x, y, FELT).set("width", BOARD).set("height", BOARD);
    document.add(text(name, x, y - 8, 12)).add(board)
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

fn rectangle(x: usize, y: usize, fill: &str) -> Rectangle {
    Rectangle::new().set("x", x).set("y", y).set("fill", fill)
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
