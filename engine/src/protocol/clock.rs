//! The clock of a player: what is left of its time, and how much of that to spend on a move.

use std::time::Duration;

/// The time of each player for a game: some at first, and then some for every so many moves, if any.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TimeSettings {
    /// The time at first.
    pub main: Duration,
    /// The time for [`Self::moves`] moves once that is used up.
    pub period: Duration,
    /// The number of moves of a period; 0 where there are no periods.
    pub moves: u32,
}

/// The clock of one player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    settings: TimeSettings,
    left: Duration,
    /// The number of moves left in the period; 0 while there is main time.
    moves: u32,
}

/// What is kept back of the time for a move, as one part of so many: a search ends some milliseconds late.
const RESERVE: u32 = 10;

impl Clock {
    /// The clock at the start of a game.
    pub fn new(settings: TimeSettings) -> Self {
        let clock = Self { settings, left: settings.main, moves: 0 };
        if settings.main.is_zero() { clock.in_next_period() } else { clock }
    }

    /// A clock with so much time for the rest of the game.
    pub fn absolute(left: Duration) -> Self {
        Self::new(TimeSettings { main: left, ..TimeSettings::default() })
    }

    fn in_next_period(self) -> Self {
        let TimeSettings { period, moves, .. } = self.settings;
        if moves == 0 { self } else { Self { left: period, moves, ..self } }
    }

    /// Sets what is left: for so many moves, or, where these are 0, of the main time.
    pub fn set(&mut self, left: Duration, moves: u32) {
        (self.left, self.moves) = (left, moves);
    }

    /// What is left of the main time, or of the period.
    pub fn left(&self) -> Duration {
        self.left
    }

    /// A move took so long.
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

    /// The time for the next move, with so many empty squares: an equal share for each move that is left to the
    /// player. With periods, the share of one is added.
    pub fn for_move(&self, empties: u32) -> Duration {
        let TimeSettings { period, moves, .. } = self.settings;
        let share = match self.moves {
            0 => self.left / empties.div_ceil(2).max(1) + period / moves.max(1),
            moves => self.left / moves,
        };
        share - share / RESERVE
    }
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
    fn periods_begin_when_the_main_time_is_used_up_and_begin_again_after_their_moves() {
        let settings = TimeSettings { main: 5 * SECOND, period: 10 * SECOND, moves: 2 };
        let mut clock = Clock::new(settings);
        let mut left = vec![];
        for seconds in [3, 4, 6, 1, 2] {
            clock.spend(seconds * SECOND);
            left.push(clock.left().as_secs());
        }
        // Two seconds of the second move are of the first period; that move begins the period.
        assert_eq!(left, [2, 8, 2, 10, 8]);
        let mut absolute = Clock::absolute(5 * SECOND);
        absolute.spend(7 * SECOND);
        assert_eq!((absolute.left(), absolute.for_move(20)), (Duration::ZERO, Duration::ZERO));
    }

    #[test]
    fn an_opponent_may_say_what_is_left() {
        let mut clock = Clock::absolute(60 * SECOND);
        clock.set(8 * SECOND, 4);
        assert_eq!(clock.for_move(40), Duration::from_millis(1_800));
    }
}
