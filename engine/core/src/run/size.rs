//! The number of units of work, such as games, in a part (a file of a run). One thread makes a part
//! in about 20 seconds, so that a run has few files, and loses little work if it is killed. The
//! number depends only on the settings, so that a run has the same parts on every machine.

/// The target time of a part in seconds, for one thread of a processor of 2020.
const SECONDS: f64 = 20.0;

/// Estimates the seconds of a search: about 12 µs for 2 plies, 0.5 ms for 6, and 0.1 s for 12.
pub fn search(depth: u32) -> f64 {
    12e-6 * 2.5_f64.powi(depth.min(60).cast_signed() - 2)
}

/// Estimates the seconds of an exact solve: 0.06 ms for 10 empties, 3 ms for 16, 40 ms for 20.
pub fn solve(empties: u32) -> f64 {
    3e-3 * 1.9_f64.powi(empties.min(60).cast_signed() - 16)
}

/// Estimates the seconds of a search of `nodes` nodes.
pub fn nodes(nodes: u64) -> f64 {
    nodes as f64 / 3e6
}

/// Estimates the seconds of a self-play game: (52 − `exact`) · `search` + 2 · `solve(exact)`, with
/// a search of `search` seconds for each move from ply 8 to `exact` empty squares.
pub fn game(search: f64, exact: u32) -> f64 {
    let moves = 60_u32.saturating_sub(exact).saturating_sub(8);
    50e-6 + f64::from(moves) * search + 2.0 * solve(exact)
}

/// Returns the number of units of `seconds` each in a part of about 20 s: a power of two ≤ `most`.
pub fn units(seconds: f64, most: u64) -> u64 {
    // Tests set this variable, because all their work would fit into one part of the usual size.
    let asked = std::env::var("OTHELLO_PART_UNITS").ok().and_then(|units| units.parse().ok());
    let fit = (SECONDS / seconds.max(1e-9)).clamp(1.0, most.max(1) as f64) as u64;
    asked.unwrap_or(1 << fit.ilog2())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_slow_work_have_few_units_and_no_part_has_too_many() {
        assert_eq!(units(game(search(20), 20), 1 << 16), 1);
        assert_eq!(units(1e-9, 1 << 16), 1 << 16);
        assert_eq!(units(0.3, 1 << 16), 64);
        assert_eq!(units(solve(30), 1 << 16), 1);
        let games = units(game(search(2), 16), 1 << 16);
        assert!((1024..=8192).contains(&games), "{games}");
    }
}
