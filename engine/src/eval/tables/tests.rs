//! The values of tables, and how rarely omitted factors put a value on the wrong side of a window.

use super::*;
use crate::board::Symmetry;
use crate::board::transcript::Step;
use crate::eval::STEPS_PER_DISC;
use crate::pattern::FactorShape;
use crate::random::{Generator, random_game};

#[test]
fn the_parts_add_up_to_the_value_of_the_tables() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../datasets/conformance/conformance.weights");
    let weights = Weights::read(path.as_ref()).unwrap().weights;
    let bytes = std::fs::read(path).unwrap();
    let (file, counts) = ExpandedWeights::read_with_counts(path.as_ref(), bytes).unwrap();
    let tables = Tables::from(file.weights);
    for step in random_game(7, 1, usize::MAX).steps {
        let parts = weights.parts(&step.position).unwrap();
        let value = tables.value(&tables.state(&step.position), &step.position);
        assert_eq!(Value::clamped(parts.steps()), value);
        assert_eq!(parts.scalars.len(), weights.set().scalars().len());
        let expanded = tables.parts(Some(&counts), &step.position);
        assert_eq!(format!("{:?}", expanded.unwrap()), format!("{parts:?}"));
    }
    let no_move = Position::new(15, 0).unwrap();
    assert!(weights.parts(&no_move).is_none());
    assert!(tables.parts(None, &no_move).is_none());
}

/// Draws weights and factors, small enough that few values are clamped.
fn weights(set: &str, shape: FactorShape) -> Weights {
    let set = PatternSet::shipped(set).unwrap().with_factors(Some(shape));
    let mut weights = Weights::zero(set);
    let mut random = Generator::new(5);
    let mut numbers = |count: usize, bound: u32| -> Vec<i16> {
        (0..count).map(|_| random.below(2 * bound + 1) as i16 - bound as i16).collect()
    };
    let parameters = weights.geometry().parameters();
    for phase in Phase::all() {
        let steps = numbers(parameters, 30);
        weights.set_steps(phase, |parameter| steps[parameter]);
    }
    let factors = weights.factors_mut().unwrap();
    for group in 0..shape.groups() {
        let drawn = numbers(parameters * shape.dimensions(), 12);
        factors.set_group(group, |place| drawn[place] as i8);
    }
    weights
}

#[test]
fn tables_add_up_what_the_definition_does_for_every_image_of_a_position() {
    for (set, dimensions, phases) in [
        ("scalars", 8, 20),
        ("small", 16, 7),
        ("small", 32, 60),
        ("small", 64, 60),
        ("small", 128, 60),
        ("edax", 8, 60),
    ] {
        let weights = weights(set, FactorShape::new(dimensions, phases).unwrap());
        let tables = Tables::new(&weights);
        let mut together = 0;
        for step in random_game(9, 1, usize::MAX).steps {
            let position = step.position;
            let parts = weights.parts(&position).unwrap();
            together += parts.together.abs();
            for symmetry in Symmetry::all() {
                let image = position.image(symmetry);
                let value = tables.value(&tables.state(&image), &image);
                assert_eq!(value, Value::clamped(parts.steps()), "{set}, {image:?}");
            }
        }
        assert!(together > 0);
    }
}

#[test]
fn factors_are_left_out_where_they_hardly_ever_move_a_value_across_the_window() {
    let shape = FactorShape::new(16, 7).unwrap();
    let tables = Tables::new(&weights("small", shape));
    let (mut left_out, mut wrong, mut all) = (0, 0, 0);
    for game in 0..20 {
        for step in random_game(7, game, usize::MAX).steps {
            let Step { position, square, .. } = step;
            let flips = position.flips(square);
            let (state, after) = (tables.state(&position), position.after(square, flips));
            let value = tables.value_after(&state, square, flips, &after);
            for discs in [-60, -30, -10, 0, 10, 30, 60] {
                let alpha = Value::clamped(value.steps() + discs * STEPS_PER_DISC);
                let window = [alpha, alpha + Value::STEP];
                let found = tables.value_after_within(&state, square, flips, &after, window);
                let [found_below, below] = [found, value].map(|value| value <= alpha);
                all += 1;
                left_out += u32::from(found != value);
                wrong += u32::from(found_below != below);
            }
        }
    }
    assert!(3 * left_out > all, "{left_out} of {all} left out");
    assert!(100 * wrong < all, "{wrong} of {all} on the wrong side");
}
