use std::time::{Duration, Instant};

use crate::search::Limits;

/// The time of each player: a main time, then periods (byo-yomi) with a fixed number of moves.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TimeSettings {
    /// The time for all moves before the first byo-yomi period.
    pub main: Duration,
    /// The time of a byo-yomi period, in which a player makes [`Self::moves`] moves.
    pub period: Duration,
    /// The number of moves in a byo-yomi period; 0 in games without such periods.
    pub moves: u32,
}

/// The clock of one player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    settings: TimeSettings,
    left: Duration,
    /// The number of moves to make in the rest of the byo-yomi period; 0 during the main time.
    moves: u32,
}

/// With byo-yomi periods, 1/`RESERVE` of a move's time is unused, because searches end late.
const RESERVE: u32 = 10;
/// Without byo-yomi periods, the time kept in reserve for one very late answer.
const VERY_LATE: Duration = Duration::from_millis(30);
/// Without byo-yomi periods, 1/`KEPT` of the remaining time is also kept in reserve.
const KEPT: u32 = 50;
/// Without byo-yomi periods, the reserve for each remaining move, whose search may start late.
const LATE: Duration = Duration::from_millis(3);
/// A position with this number of empty squares can be solved in [`SOLVED_TIME`] seconds.
const SOLVED: f64 = 22.0;
const SOLVED_TIME: f64 = 0.4;
/// The factor by which each additional empty square multiplies the time to solve a position.
const SOLVED_FACTOR: f64 = 2.1;
const LEAST_MOVES: u32 = 2;

impl Clock {
    /// Creates the clock at the start of a game.
    pub fn new(settings: TimeSettings) -> Self {
        let clock = Self { settings, left: settings.main, moves: 0 };
        if settings.main.is_zero() { clock.in_next_period() } else { clock }
    }

    /// Creates a clock with the time `left` for the rest of the game.
    pub fn absolute(left: Duration) -> Self {
        Self::new(TimeSettings { main: left, ..TimeSettings::default() })
    }

    fn in_next_period(self) -> Self {
        let TimeSettings { period, moves, .. } = self.settings;
        if moves == 0 { self } else { Self { left: period, moves, ..self } }
    }

    /// Sets the clock to the time `left` for `moves` moves (0: main time) that another program
    /// states. If `left` is the clock's own time, rounded down to whole seconds, the clock keeps
    /// its more precise time.
    pub fn hear(&mut self, left: Duration, moves: u32) {
        let is_known = left.subsec_nanos() == 0 && self.left.as_secs() == left.as_secs();
        if !is_known || moves != self.moves {
            (self.left, self.moves) = (left, moves);
        }
    }

    /// Returns the remaining main time or, in a byo-yomi period, the remaining time of the period.
    pub fn left(&self) -> Duration {
        self.left
    }

    /// Subtracts the time that a move took, and begins the next period if necessary.
    pub fn spend(&mut self, time: Duration) {
        let over = time.saturating_sub(self.left);
        self.left = self.left.saturating_sub(time);
        match self.moves {
            0 if self.left.is_zero() => {
                *self = self.in_next_period();
                self.left = self.left.saturating_sub(over);
            }
            0 => {}
            1 => *self = self.in_next_period(),
            moves => self.moves = moves - 1,
        }
    }

    /// Returns the time for the next move at `empties` empty squares:
    ///
    /// * Without byo-yomi: (time left − reserve) / n. The reserve is at most half of the time left;
    ///   n is an estimate of the player's number of moves until it can solve the position.
    /// * Before the first byo-yomi period: 0.9 · (main time left / m + period / moves in a period),
    ///   where m is the player's number of moves to the end of the game.
    /// * In a byo-yomi period: 0.9 · (time left in the period / moves left in the period).
    pub fn for_move(&self, empties: u32) -> Duration {
        let TimeSettings { period, moves, .. } = self.settings;
        let in_period = |share: Duration| share - share / RESERVE;
        match self.moves {
            0 if moves == 0 => {
                let kept = VERY_LATE + self.left / KEPT + LATE * empties.div_ceil(2);
                let usable = self.left - kept.min(self.left / 2);
                usable / moves_before_the_end(usable, empties)
            }
            0 => in_period(self.left / empties.div_ceil(2).max(1) + period / moves),
            moves => in_period(self.left / moves),
        }
    }
}

/// Returns `limits` with the deadline that `clock` sets for a move; without a clock, no deadline.
pub(super) fn limits_of_move(clock: Option<Clock>, empties: u32, limits: &Limits) -> Limits {
    // If the time is too long for `Instant`, there is no deadline.
    let deadline = clock.and_then(|clock| Instant::now().checked_add(clock.for_move(empties)));
    Limits { deadline, ..limits.clone() }
}

/// Returns an estimate of the number of moves that the player makes until it can solve the position
/// in the time for one move: an equal share of `time` for each remaining move. The result is at
/// least [`LEAST_MOVES`], or all remaining moves if they are fewer.
fn moves_before_the_end(time: Duration, empties: u32) -> u32 {
    let all = empties.div_ceil(2).max(1);
    let share = time.as_secs_f64() / f64::from(all);
    let more = libm::log((share / SOLVED_TIME).max(f64::MIN_POSITIVE)) / libm::log(SOLVED_FACTOR);
    let solved = (SOLVED + more).clamp(0.0, f64::from(empties));
    let before = (f64::from(empties) - solved) / 2.0;
    all.min((libm::ceil(before) as u32 + 1).max(LEAST_MOVES))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_player_that_takes_its_time_never_runs_out_of_it() {
        for settings in [
            TimeSettings { main: 60 * SECOND, period: Duration::ZERO, moves: 0 },
            TimeSettings { main: 60 * SECOND, period: 10 * SECOND, moves: 5 },
            TimeSettings { main: Duration::ZERO, period: 10 * SECOND, moves: 5 },
        ] {
            let mut clock = Clock::new(settings);
            for empties in (1..=60).rev().step_by(2) {
                let time = clock.for_move(empties);
                assert!(!time.is_zero() && time <= clock.left() + 2 * SECOND, "{clock:?}");
                clock.spend(time);
                assert!(!clock.left().is_zero(), "{settings:?}, {empties} empty squares");
            }
        }
    }

    #[test]
    fn most_of_the_time_is_used_before_the_end_can_be_solved() {
        for (milliseconds, solved) in [(1_000, 18), (5_000, 20), (20_000, 22), (300_000, 26)] {
            let time = Duration::from_millis(milliseconds);
            let mut clock = Clock::absolute(time);
            let mut least = time;
            for empties in (1..=60).rev().step_by(2) {
                // Simulates searches that end late, and solves that need a tenth of their time.
                let share = clock.for_move(empties);
                let late = Duration::from_millis(3);
                clock.spend(if empties > solved { share + late } else { share / 10 });
                least = least.min(clock.left());
                assert!(!clock.left().is_zero(), "{milliseconds} ms, {empties} empty squares");
            }
            assert!(least < time / 5, "{milliseconds} ms: {least:?} left");
        }
    }

    #[test]
    fn periods_begin_when_the_main_time_is_used_up_and_begin_again_after_their_moves() {
        let settings = TimeSettings { main: 5 * SECOND, period: 10 * SECOND, moves: 2 };
        let mut clock = Clock::new(settings);
        let mut left = vec![];
        for seconds in [3, 4, 6, 1, 2] {
            clock.spend(seconds * SECOND);
            left.push(clock.left().as_secs());
        }
        // Move 2 exceeds the main time by two seconds, which count towards the first period.
        assert_eq!(left, [2, 8, 2, 10, 8]);
        let mut absolute = Clock::absolute(5 * SECOND);
        absolute.spend(7 * SECOND);
        assert_eq!((absolute.left(), absolute.for_move(20)), (Duration::ZERO, Duration::ZERO));
    }

    /// If a client states the remaining 0.75 s as 0 whole seconds, the clock must keep its 0.75 s.
    #[test]
    fn who_hears_whole_seconds_knows_what_is_between_them() {
        let mut clock = Clock::absolute(SECOND);
        clock.spend(SECOND / 4);
        clock.hear(Duration::ZERO, 0);
        assert_eq!(clock.left(), SECOND * 3 / 4);
        clock.hear(SECOND / 2, 0);
        assert_eq!(clock.left(), SECOND / 2);
        clock.hear(5 * SECOND, 0);
        assert_eq!(clock.left(), 5 * SECOND);
    }

    #[test]
    fn an_opponent_may_say_what_is_left() {
        let mut clock = Clock::absolute(60 * SECOND);
        clock.hear(8 * SECOND, 4);
        assert_eq!(clock.for_move(40), Duration::from_millis(1_800));
    }
}
