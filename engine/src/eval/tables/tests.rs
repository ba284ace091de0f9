use super::*;
use crate::board::Symmetry;
use crate::board::transcript::Step;
use crate::eval::STEPS_PER_DISC;
#[cfg(feature = "embedded")]
use crate::eval::embedded::{self, PACKED};
use crate::pattern::{FactorShape, MAX_SQUARES};
use crate::random::{Generator, random_game};

#[test]
fn the_parts_add_up_to_the_value_of_the_tables() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../datasets/conformance/conformance.weights");
    let weights = Weights::read(path.as_ref()).unwrap().weights;
    let (tables, counts) = (Tables::new(&weights), Counts::from(weights.clone()));
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

fn random_set(random: &mut Generator) -> PatternSet {
    let mut text = String::from("name = \"random\"\nscalars = [\"player_discs\"]\n");
    let mut set = PatternSet::from_toml(&text).unwrap();
    for _ in 0..12 {
        let mut squares: Vec<u32> = (0..64).collect();
        random.shuffle(&mut squares);
        squares.truncate(1 + random.below(MAX_SQUARES as u32) as usize);
        let name =
            |square: &u32| format!("{}{}", (b'a' + *square as u8 % 8) as char, square / 8 + 1);
        let names: Vec<String> = squares.iter().map(name).collect();
        text.push_str(&format!("[[pattern]]\nsquares = \"{}\"\n", names.join(" ")));
        match PatternSet::from_toml(&text) {
            Ok(larger) => set = larger,
            Err(_) => break,
        }
    }
    set
}

/// Draws random weights and factors, so small that few values exceed ±64 discs.
fn weights(set: PatternSet, shape: Option<FactorShape>) -> Weights {
    let mut weights = Weights::zero(set.with_factors(shape));
    let mut random = Generator::new(5);
    let mut numbers = |count: usize, bound: u32| -> Vec<i16> {
        (0..count).map(|_| random.below(2 * bound + 1) as i16 - bound as i16).collect()
    };
    let parameters = weights.geometry().parameters();
    for phase in Phase::all() {
        let steps = numbers(parameters, 30);
        weights.set_steps(phase, |parameter| steps[parameter]);
    }
    if let Some((factors, shape)) = weights.factors_mut().zip(shape) {
        for group in 0..shape.groups() {
            let drawn = numbers(parameters * shape.dimensions(), 12);
            factors.set_group(group, |place| drawn[place] as i8);
        }
    }
    weights
}

#[test]
fn tables_add_up_what_the_definition_does_for_every_image_of_a_position() {
    let mut random = Generator::new(11);
    let sets = (0..4).map(|_| (random_set(&mut random), None));
    let shipped = [
        ("standard", None),
        ("small", None),
        ("scalars", None),
        ("scalars", Some((8, 20))),
        ("small", Some((16, 7))),
        ("small", Some((32, 60))),
        ("small", Some((64, 60))),
        ("small", Some((128, 60))),
        ("edax", Some((8, 60))),
    ];
    let shape = |(dimensions, phases)| FactorShape::new(dimensions, phases).unwrap();
    let shipped = shipped.map(|(name, it)| (PatternSet::shipped(name).unwrap(), it.map(shape)));
    for (set, shape) in sets.chain(shipped) {
        let weights = weights(set, shape);
        let tables = Tables::new(&weights);
        let mut together = 0;
        for step in (0..20).flat_map(|game| random_game(9, game, usize::MAX).steps) {
            let position = step.position;
            let parts = weights.parts(&position).unwrap();
            together += parts.together.abs();
            for symmetry in Symmetry::all() {
                let image = position.image(symmetry);
                let value = tables.value(&tables.state(&image), &image);
                assert_eq!(value, Value::clamped(parts.steps()), "{shape:?}, {image:?}");
            }
        }
        assert_eq!(together > 0, shape.is_some());
    }
}

#[test]
fn factors_are_left_out_where_they_hardly_ever_move_a_value_across_the_window() {
    let shape = FactorShape::new(16, 7).unwrap();
    let tables = Tables::new(&weights(PatternSet::shipped("small").unwrap(), Some(shape)));
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

#[test]
fn likely_is_what_lies_within_three_standard_deviations() {
    let likely = FactorBounds::of(&[8, 12, 8, 12]);
    assert_eq!(likely, FactorBounds { least: 4, mean: 10, greatest: 16 });
    assert_eq!(FactorBounds::of(&[]), FactorBounds { least: 0, mean: 0, greatest: 0 });
}

#[cfg(feature = "embedded")]
#[test]
fn the_embedded_tables_are_those_of_the_embedded_weights_by_class() {
    let (tables, expected) =
        (Tables::packed(&PACKED), layout::expand(&embedded::weights().weights));
    std::thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(|| {
                for (number, expected) in expected.iter().enumerate().rev() {
                    assert!(tables.expand(number).block == *expected, "block {number}");
                }
            });
        }
    });
}

#[cfg(feature = "embedded")]
#[test]
fn a_position_expands_the_block_of_its_phase_alone() {
    let tables = Tables::packed(&PACKED);
    tables.value(&tables.state(&Position::START), &Position::START);
    let expanded = (0..tables.blocks.len()).filter(|&block| tables.blocks[block].get().is_some());
    assert_eq!(expanded.collect::<Vec<_>>(), [0]);
}
