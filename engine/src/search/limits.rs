use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::Searcher;
use crate::eval::Evaluate;
use crate::simd::Instructions;

/// The limits of a search. A search checks its limits only at nodes with large enough subtrees, so
/// it continues for some milliseconds, or some ten thousand nodes, after a limit is reached. With
/// only a limit of nodes, on one thread, a search is reproducible.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The number of nodes at which the search ends; `None` for no such limit.
    pub nodes: Option<u64>,
    /// The time at which the search ends; `None` for no such limit.
    pub deadline: Option<Instant>,
    /// A function that ends the search once it returns true. Such a function replaces the deadline
    /// on platforms without a clock for [`Instant`], such as WebAssembly.
    pub is_over: Option<fn() -> bool>,
    /// A flag that ends the search once any thread sets it; `None` for no such flag.
    pub stop: Option<Arc<AtomicBool>>,
    /// A flag that, once set, ends the search even in its first iteration, which other limits let
    /// finish. Other limits add shallower searches before a search to the end of the game, even if
    /// they are never reached; this flag adds none.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// True if searches at `Strength::exact` or fewer empty squares ignore all limits.
    pub spare_perfect_play: bool,
}

impl Limits {
    fn are_reached(&self, nodes: u64) -> bool {
        self.nodes.is_some_and(|most| nodes >= most)
            || self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.is_over.is_some_and(|is_over| is_over())
            || self.are_interrupted()
    }

    /// Returns true if the interrupt flag is set: the search must return a result at once.
    pub fn are_interrupted(&self) -> bool {
        self.interrupt.as_ref().is_some_and(|interrupt| interrupt.load(Ordering::Relaxed))
    }

    /// Returns true if any limit other than the flag `interrupt` is set.
    pub(super) fn are_set(&self) -> bool {
        self.nodes.is_some() || self.are_of_time()
    }

    pub(super) fn are_of_time(&self) -> bool {
        self.stop.is_some() || self.deadline.is_some() || self.is_over.is_some()
    }
}

#[derive(Debug, Default)]
pub(super) struct Control {
    pub(super) limits: Limits,
    pub(super) has_limits: bool,
    /// True while the limits are ignored, because the search has not found a move yet.
    pub(super) is_patient: bool,
    /// True if the interrupt flag ends the search even while `is_patient` disables other limits.
    pub(super) is_interruptible: bool,
    pub(super) is_stopped: bool,
    /// The node limit of a search by realization probability; `None` in other searches. With an
    /// invalid model, the search could otherwise visit nearly the whole game tree.
    pub(super) most_nodes: Option<u64>,
}

impl Control {
    pub(super) fn new(limits: &Limits, is_patient: bool) -> Self {
        let has_limits = limits.are_set() || limits.interrupt.is_some();
        Self { limits: limits.clone(), has_limits, is_patient, ..Self::default() }
    }

    pub(super) fn end_at(&mut self, nodes: u64) {
        self.most_nodes = Some(nodes);
        self.has_limits = true;
    }
}

impl<E: Evaluate, I: Instructions> Searcher<'_, E, I> {
    /// Returns whether the search must end. If so, its values are wrong and must not be stored.
    #[inline]
    pub(super) fn is_stopped(&mut self) -> bool {
        (self.split.is_some() || self.control.has_limits) && self.has_to_stop()
    }

    #[cold]
    fn has_to_stop(&mut self) -> bool {
        if self.split.as_ref().is_some_and(|split| split.is_stopped()) {
            return true;
        }
        let control = &mut self.control;
        if control.most_nodes.is_some_and(|most| self.nodes >= most) {
            control.is_stopped = true;
        }
        if control.is_interruptible && control.limits.are_interrupted() {
            control.is_stopped = true;
        }
        if !control.is_patient && !control.is_stopped {
            control.is_stopped = control.limits.are_reached(self.nodes);
        }
        control.is_stopped
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{positions, searcher};
    use super::super::*;
    use super::{AtomicBool, Ordering};
    use crate::eval::{Evaluator, Mobility};
    use crate::random::{Generator, random_position};
    use othello_testing::on_threads;

    #[test]
    fn a_limit_of_nodes_ends_a_search_with_that_of_a_lesser_depth() {
        let limits = |nodes| Limits { nodes: Some(nodes), ..Limits::default() };
        let new = || searcher(&Mobility, 20_000);
        let mut random = Generator::new(22);
        let mut random = |empties| random_position(&mut random, empties);
        // A preliminary search is `before` plies shallower than the search to the end.
        for (positions, depth, exact, nodes, before) in [
            ((28..40).map(&mut random).collect(), 7, 0, 2_000, 1),
            ((30..36).map(&mut random).collect(), 1, 60, 50_000, 8),
            (positions(28, 8, 15..18), 24, 10, 5_000, 1),
        ] {
            let strength = Strength { depth, exact };
            for position in positions {
                let mut searcher = new();
                let found = searcher.search_within(&position, strength, &limits(nodes));
                let wanted = strength.depth_of(&position);
                assert!(found.depth < wanted, "{found:?}");
                assert!(exact > 0 || found.depth % 2 == 1, "{found:?}");
                let plain = new().search(&position, found.depth);
                assert_eq!((found.value, found.best), (plain.value, plain.best), "{position:?}");
                let below = wanted.min(position.empties() - before);
                assert_eq!(new().search_within(&position, below, &limits(nodes)), found);
                // With `exact` 60, the search goes to the end, which takes minutes.
                if exact < 60 {
                    let whole = searcher.search_within(&position, strength, &limits(u64::MAX));
                    let expected = match exact {
                        0 => new().search(&position, depth).value,
                        _ => new().solve(&position).value,
                    };
                    assert_eq!((whole.value, whole.depth), (expected, wanted), "{position:?}");
                }
                searcher.new_game();
                assert_eq!(searcher.search_within(&position, strength, &limits(nodes)), found);
            }
        }
    }

    #[test]
    fn a_search_by_time_goes_on_from_where_an_earlier_one_ended() {
        let time = || Limits { stop: Some(Arc::new(false.into())), ..Limits::default() };
        let over = || Limits { stop: Some(Arc::new(true.into())), ..Limits::default() };
        let mut nodes = [0; 2];
        for (position, earlier) in
            positions(25, 12, 20..40).into_iter().zip([4, 3, 5].iter().cycle())
        {
            let [mut by_time, mut by_depth] = [(); 2].map(|()| searcher(&Mobility, 20_000));
            let before = by_depth.search(&position, *earlier);
            assert_eq!(by_time.search(&position, *earlier), before);
            let ended = by_time.search_within(&position, 8, &over());
            assert_eq!(ended, Found { nodes: ended.nodes, ..before });
            let on = by_time.search_within(&position, 8, &time());
            let again = by_depth.search(&position, 8);
            assert_eq!((on.value, on.depth), (again.value, 8), "{position:?}");
            nodes = [nodes[0] + on.nodes, nodes[1] + again.nodes];
        }
        assert!(nodes[0] < nodes[1], "{nodes:?}");
    }

    #[test]
    fn an_interrupted_search_has_a_move_at_once_and_leaves_no_wrong_score() {
        let evaluator = Evaluator::embedded();
        let flag =
            |is_set: bool| Limits { interrupt: Some(Arc::new(is_set.into())), ..Limits::default() };
        let level = Level::new(14).unwrap();
        let strength = level.plan(&evaluator).strength();
        let strong = || Search::new(&evaluator).level(level).hash_mb(4);
        for (empties, threads) in [(40, 1), (40, 3), (23, 1), (23, 3), (18, 1), (18, 3)] {
            let position = random_position(&mut Generator::new(32), empties);
            let mut team = strong().threads(threads).team(1).unwrap();
            let mut search = |limits: Limits| {
                let work = |searcher: &mut Searcher<'_, Evaluator>| {
                    searcher.search_within(&position, strength, &limits)
                };
                on_threads(threads, || team.lead(work))
            };
            let (ended, whole) = (search(flag(true)), search(flag(false)));
            assert!(ended.best.is_some_and(|square| position.is_legal(square)), "{ended:?}");
            assert!(ended.depth < strength.depth_of(&position) && ended.nodes < 50_000);
            assert_eq!(whole.depth, strength.depth_of(&position));
            if empties == 18 {
                assert_eq!(whole.value, searcher(&Mobility, 50_000).solve(&position).value);
            }
            if threads == 1 {
                assert_eq!(strong().limits(flag(false)).find(&position), strong().find(&position));
            }
        }
    }

    #[test]
    fn a_search_that_someone_interrupts_ends_soon() {
        let evaluator = Evaluator::embedded();
        for (empties, threads) in [(50, 1), (50, 2), (34, 1), (34, 2), (30, 2)] {
            let position = random_position(&mut Generator::new(33), empties);
            let interrupt = Arc::new(AtomicBool::new(false));
            let limits = Limits { interrupt: Some(Arc::clone(&interrupt)), ..Limits::default() };
            std::thread::spawn(move || {
                std::thread::sleep(std::time::Duration::from_millis(200));
                interrupt.store(true, Ordering::Relaxed);
            });
            let search = Search::new(&evaluator).level(Level::new(60).unwrap()).hash_mb(4);
            let search = search.limits(limits).threads(threads);
            let found = on_threads(threads, || search.find(&position).unwrap());
            assert!(found.best.is_some_and(|square| position.is_legal(square)), "{found:?}");
            assert!(found.depth < empties, "{found:?}");
        }
    }

    #[test]
    fn a_stopped_search_has_a_move_and_leaves_no_wrong_score() {
        let evaluator = Evaluator::embedded();
        let position = random_position(&mut Generator::new(23), 18);
        let score = searcher(&Mobility, 50_000).solve(&position).value.score();
        let stop = Limits { stop: Some(Arc::new(true.into())), ..Limits::default() };
        let late = Limits { deadline: Some(std::time::Instant::now()), ..Limits::default() };
        let few = Limits { nodes: Some(30_000), ..Limits::default() };
        for limits in [stop, late, few] {
            for threads in [1, 3] {
                let mut team = Search::new(&evaluator).hash_mb(1).threads(threads).team(3).unwrap();
                let solve = |searcher: &mut Searcher<'_, Evaluator>, position: &Position| {
                    let stopped = searcher.search_within(position, 60, &limits);
                    assert!(stopped.depth < position.empties() && stopped.best.is_some());
                    assert_eq!(searcher.solve(position).value.score(), score, "{threads} threads");
                };
                on_threads(threads, || team.work(&[position], solve));
            }
        }
    }
}
