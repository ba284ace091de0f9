//! Games in SGF, the Smart Game Format, version 4: `GM[2]` is Othello.
//!
//! A point is written `d3` as in Othello or `dc` as in Go, both counted from the upper left corner.

use super::ggf::split_value;
use super::{Discs, Position, Side, Square, StatedGame};
use crate::text::excerpt;

/// Reads the main line of the first game in a text. Does not check that the moves are legal. An
/// error lacks its subject, the file's name: "has a board of size `10`, not 8".
pub fn parse(text: &str) -> Result<StatedGame, String> {
    let mut nodes = Nodes(begin(text)?);
    let mut setup = Setup::default();
    let (mut turns, mut result) = (vec![], None);
    while let Some((name, values)) = nodes.next_property()? {
        match (name.as_str(), values.as_slice()) {
            ("GM", [value]) if value.trim() == "2" => setup.is_othello = true,
            ("GM", values) => {
                let game = values.join(" ");
                return Err(format!("is of game `{}`, not of Othello, GM[2]", excerpt(&game)));
            }
            ("SZ", [value]) if value.trim() != "8" => {
                return Err(format!("has a board of size `{}`, not 8", excerpt(value)));
            }
            ("RU", [value]) if value.to_ascii_lowercase().contains("anti") => {
                return Err(format!("has other rules, `{}`", excerpt(value)));
            }
            ("AB" | "AW" | "AE" | "PL", _) if !turns.is_empty() => {
                return Err(format!("has `{name}` after a move"));
            }
            ("AB", values) => setup.put(values, Some(Side::Black))?,
            ("AW", values) => setup.put(values, Some(Side::White))?,
            ("AE", values) => setup.put(values, None)?,
            ("PL", [value]) => setup.side = Some(read_side(value)?),
            ("B", [value]) => turns.push((Side::Black, read_turn(value)?)),
            ("W", [value]) => turns.push((Side::White, read_turn(value)?)),
            ("RE", [value]) => result = read_result(value),
            _ => {}
        }
    }
    if !setup.is_othello {
        return Err("does not state its game; expected GM[2], Othello".to_owned());
    }
    let side = setup.side.unwrap_or(Side::Black);
    Ok(StatedGame { position: setup.position(side)?, side, turns, result })
}

/// Reads a result for black: 12 for `B+12`, −3 for `W+3`, 0 for `Draw`; `None` for `W+Resign`.
fn read_result(value: &str) -> Option<Discs> {
    let (winner, discs) = value.split_once('+').unwrap_or(("B", value));
    let sign = read_side(winner).ok()?.sign();
    let discs = if discs.trim() == "Draw" { 0.0 } else { discs.trim().parse::<f64>().ok()? };
    (0.0..=64.0).contains(&discs).then_some(sign * discs as Discs)
}

fn begin(text: &str) -> Result<&str, String> {
    // The error quotes no text, because a GTP client may name a file that it has no right to read.
    let begun = text.split_once("(;").or_else(|| text.split_once('('));
    let (_, game) = begun.ok_or("has no game of SGF; expected (;GM[2]…)")?;
    Ok(game)
}

#[derive(Default)]
struct Setup {
    is_othello: bool,
    side: Option<Side>,
    discs: Option<[u64; 2]>,
}

impl Setup {
    fn put(&mut self, points: &[String], side: Option<Side>) -> Result<(), String> {
        let mut discs = self.discs.unwrap_or_default();
        for point in points {
            let bits = read_points(point)?;
            discs = discs.map(|own| own & !bits);
            if let Some(side) = side {
                discs[side as usize] |= bits;
            }
        }
        self.discs = Some(discs);
        Ok(())
    }

    fn position(&self, side: Side) -> Result<Position, String> {
        let Some(colours) = self.discs else {
            return Ok(if side == Side::Black { Position::START } else { Position::START.pass() });
        };
        let [player, opponent] = side.black_first(colours);
        let position = Position::new(player, opponent).filter(|position| position.discs() >= 4);
        position.ok_or_else(|| "sets up fewer than four discs".to_owned())
    }
}

struct Nodes<'a>(&'a str);

impl Nodes<'_> {
    fn next_property(&mut self) -> Result<Option<(String, Vec<String>)>, String> {
        // The main line goes on in the first variation of each branch, so it ends at the first `)`.
        self.0 = self.0.trim_start_matches(|c: char| c.is_whitespace() || c == ';' || c == '(');
        if self.0.is_empty() || self.0.starts_with(')') {
            return Ok(None);
        }
        let (name, rest) = self.0.split_once('[').ok_or_else(|| self.wrong())?;
        // Property names of early SGF versions contain lower-case letters, which are ignored.
        let name: String = name.trim().chars().filter(|c| !c.is_ascii_lowercase()).collect();
        let is_valid = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
        if name.is_empty() || !name.bytes().all(is_valid) {
            return Err(self.wrong());
        }
        let (mut values, mut rest) = (vec![], Some(rest));
        while let Some(inside) = rest {
            let (value, behind) = split_value(inside).ok_or_else(|| self.wrong())?;
            values.push(value);
            self.0 = behind;
            rest = behind.trim_start().strip_prefix('[');
        }
        Ok(Some((name, values)))
    }

    fn wrong(&self) -> String {
        format!("`{}` is not a property; expected NAME[value]", excerpt(self.0))
    }
}

fn read_turn(value: &str) -> Result<Option<Square>, String> {
    match value.trim().to_ascii_lowercase().as_str() {
        "" | "tt" | "pass" | "pa" => Ok(None),
        point => read_point(point).map(Some),
    }
}

fn read_point(point: &str) -> Result<Square, String> {
    let number = |letter: u8| letter.wrapping_sub(b'a');
    let square = match *point.as_bytes() {
        [file, rank] if rank.is_ascii_alphabetic() => Square::at(number(file), number(rank)),
        _ => point.parse().ok(),
    };
    let wrong = || format!("`{}` is not a point; expected a1 to h8, or aa to hh", excerpt(point));
    square.ok_or_else(wrong)
}

fn read_points(text: &str) -> Result<u64, String> {
    let text = text.trim().to_ascii_lowercase();
    let (first, last) = text.split_once(':').unwrap_or((&text, &text));
    let [first, last] = [read_point(first)?, read_point(last)?].map(Square::index);
    let within = |at: usize, from: usize, to: usize| from.min(to) <= at && at <= from.max(to);
    let inside =
        |&at: &usize| within(at % 8, first % 8, last % 8) && within(at / 8, first / 8, last / 8);
    Ok((0..64).filter(inside).map(|at| 1 << at).sum())
}

fn read_side(value: &str) -> Result<Side, String> {
    match value.trim() {
        "B" | "b" | "black" | "1" => Ok(Side::Black),
        "W" | "w" | "white" | "2" => Ok(Side::White),
        other => Err(format!("`{}` is not a side to move; expected B or W", excerpt(other))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squares(game: &StatedGame) -> Vec<String> {
        let name =
            |turn: &Option<Square>| turn.map_or("pass".to_owned(), |square| square.to_string());
        game.turns.iter().map(|(_, turn)| name(turn)).collect()
    }

    #[test]
    fn the_main_line_is_read_in_both_notations() {
        let text = "a mail before it (;FF[4]GM[2]SZ[8]PB[a \\] b]C[one\\\ntwo];B[f5];W[fd](;B[]N[x];W[D3])(;B[c4]))";
        let game = parse(text).unwrap();
        assert_eq!((game.position, game.side), (Position::START, Side::Black));
        assert_eq!(squares(&game), ["f5", "f4", "pass", "d3"]);
        let sides: Vec<Side> = game.turns.iter().map(|(side, _)| *side).collect();
        assert_eq!(sides, [Side::Black, Side::White, Side::Black, Side::White]);
        let spread = parse("(\n;\nGM[2]\n;B[d3]\n\n;W[c5]\n)\n").unwrap();
        assert_eq!(squares(&spread), ["d3", "c5"]);
    }

    #[test]
    fn positions_are_set_up_by_points_and_rectangles() {
        let game = parse("(;GM[2]AB[a1:b2][h8]AW[c1]AE[b1]PL[W];W[d1])").unwrap();
        let bits = |names: &[&str]| -> u64 {
            names.iter().map(|name| 1 << name.parse::<Square>().unwrap().index()).sum()
        };
        let (black, white) = (bits(&["a1", "a2", "b2", "h8"]), bits(&["c1"]));
        assert_eq!(game.position, Position::new(white, black).unwrap());
        assert_eq!(game.side, Side::White);
        assert_eq!(parse("(;GM[2]PL[W])").unwrap().position, Position::START.pass());
    }

    #[test]
    fn other_texts_are_refused_with_the_expectation() {
        for (text, said) in [
            ("root:x:0", "has no game of SGF"),
            ("(;FF[4];B[f5])", "expected GM[2]"),
            ("(;GM[1];B[f5])", "not of Othello"),
            ("(;GM[2]SZ[10])", "size `10`"),
            ("(;GM[2]RU[Anti-Othello];B[f5])", "other rules, `Anti-Othello`"),
            ("(;GM[2];B[i9])", "`i9` is not a point"),
            ("(;GM[2];B[f5]AB[a1])", "`AB` after a move"),
            ("(;GM[2]AB[a1]PL[x])", "not a side to move"),
            ("(;GM[2]AB[a1])", "fewer than four discs"),
            ("(;GM[2];B[f5", "is not a property"),
            ("(;GM[2];bf5)", "is not a property"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
    }

    #[test]
    fn results_in_discs_are_read() {
        for (text, result) in [
            ("B+12", Some(12)),
            ("W+3.0", Some(-3)),
            ("0", Some(0)),
            ("Draw", Some(0)),
            ("B+Resign", None),
            ("W+T", None),
            ("?", None),
            ("B+65", None),
        ] {
            assert_eq!(parse(&format!("(;GM[2]RE[{text}])")).unwrap().result, result, "{text}");
        }
    }
}
