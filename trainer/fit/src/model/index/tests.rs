//! Tests that all instruction sets compute the same parameter indices as the engine, by
//! `Geometry::parameters_of`.

use othello_engine::board::Square;
use othello_engine::pattern::PatternSet;
use othello_engine::random::Generator;

use crate::model::tests::random_positions;
use crate::model::{InstructionSet, Model};

fn compare(set: &PatternSet, games: u64) {
    let mut positions = random_positions(games);
    let mut random = Generator::new(7);
    for _ in 0..100 {
        let (some, others) = (random.next_u64(), random.next_u64());
        positions.extend(othello_engine::board::Position::new(some & !others, others));
    }
    for instructions in InstructionSet::available() {
        let model = Model::with_instructions(set.clone(), instructions);
        assert_eq!(model.instructions(), instructions);
        let rows = model.rows_in_file(&positions);
        assert_eq!(rows.dim(), (positions.len(), model.feature_count()));
        for (row, position) in rows.outer_iter().zip(&positions) {
            let expected: Vec<usize> = model.geometry.parameters_of(position).collect();
            let features = model.features(position);
            let found = features.iter().map(|&parameter| model.in_file(parameter as usize));
            let rows_agree = row.iter().map(|&parameter| parameter as usize).eq(found.clone());
            let name = set.to_toml();
            assert_eq!(found.collect::<Vec<_>>(), expected, "{instructions}, {name}");
            assert!(rows_agree, "{instructions}, {name}");
        }
    }
}

#[test]
fn every_instruction_set_finds_the_classes_of_the_definition() {
    for (name, _) in PatternSet::SHIPPED {
        compare(&PatternSet::shipped(name).unwrap(), 20);
    }
    let none = Model::new(PatternSet::shipped("small").unwrap()).rows_in_file(&[]);
    assert_eq!(none.nrows(), 0);
}

#[test]
fn random_sets_too() {
    for seed in 0..40 {
        let mut random = Generator::new(seed);
        let mut text = "name = \"random\"\n".to_owned();
        let mut set = None;
        for _ in 0..8 {
            let mut squares: Vec<Square> = Square::all().collect();
            random.shuffle(&mut squares);
            squares.truncate(1 + random.below(10) as usize);
            let squares: Vec<String> = squares.iter().map(ToString::to_string).collect();
            text += &format!("[[pattern]]\nsquares = \"{}\"\n", squares.join(" "));
            set = PatternSet::from_toml(&text).ok().or(set);
        }
        compare(&set.unwrap(), 1);
    }
}

#[test]
fn symmetric_sets_too() {
    let sets = [
        // Patterns with eight symmetries, which patterns of nine or ten squares cannot have.
        &["a1 h1 a8 h8", "b2 g2 b7 g7 d4 e4 d5 e5", "c1 f1 a3 h3 a6 h6 c8 f8"][..],
        // Patterns with four symmetries: mirrors at both diagonals or at both axes, or rotations.
        &["a1 h8", "a1 b2 g7 h8 a8 h1", "d1 e1 d8 e8", "a4 a5 h4 h5 d3 e3 d6 e6", "b1 h2 g8 a7"],
        // Patterns with two symmetries: of only fixed squares, only mirrored pairs, or both.
        &["a1 b2 c3 d4 e5 f6 g7 h8", "a1 b1 c1 d1 e1 f1 g1 h1 b2 g2", "a1 b2 c3 d4 e5 f6 g7"],
        &["a1 b1 a2 c1 a3 d1 a4 b2 c3 d4", "a1 h8 b2 g7 c3 f6 d4 e5 b1 a2", "a1 b2 c3"],
    ];
    for patterns in sets {
        let pattern = |squares: &&str| format!("[[pattern]]\nsquares = \"{squares}\"\n");
        let text: String = patterns.iter().map(pattern).collect();
        compare(&PatternSet::from_toml(&format!("name = \"symmetric\"\n{text}")).unwrap(), 5);
    }
}
