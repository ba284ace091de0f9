//! Tests that a device (kernels run on the CPU) finds the same labels as the native code.

use othello_engine::progress::Silent;
use othello_engine::record::{Game, Label, ScoredPosition, Weight};
use othello_kernels::host::HostLauncher;

use super::relabelled;
use crate::backend::SolveMany;
use crate::backend::kernels::{KernelSolver, solver_program};
use crate::records::relabel::{Relabel, Search, Settings};
use crate::records::testing::{Folder, random_game};

fn check<R: Relabel>(folder: &Folder, settings: &Settings, device: &dyn SolveMany, name: &str) {
    for (device, out) in [(None, "cpu"), (Some(device), "device")] {
        relabelled::<R>(folder, &["all"], settings, device, out);
    }
    assert!(folder.bytes("device") == folder.bytes("cpu"), "{name}");
}

#[test]
fn games_and_positions_have_the_same_labels_by_a_device() {
    let launcher = HostLauncher::new(&solver_program()).unwrap();
    let device = KernelSolver::new(launcher);
    // The CPU must solve positions with too many steps or empty squares for the device.
    let device = device.with_most_steps(400);
    let games: Vec<Game> = (0..40)
        .map(|number| random_game(number, 6, if number % 10 == 0 { 50 } else { 60 }))
        .collect();
    let mut positions: Vec<ScoredPosition> = vec![];
    for game in &games {
        let replay = game.replay();
        let before = replay.steps.iter().map(|step| step.position);
        let all = before.chain([replay.end, replay.end.pass()]).skip(44);
        let label = Label::of_score(2).unwrap();
        positions.extend(all.map(|p| ScoredPosition::new(p, label, Weight::ONE)));
    }
    let solved = device
        .solve_many(&positions.iter().map(ScoredPosition::position).collect::<Vec<_>>(), &Silent);
    let missing = solved.unwrap().scores.iter().filter(|score| score.is_none()).count();
    assert!((50..positions.len() - 50).contains(&missing), "{missing} of {}", positions.len());
    let search = Search { nodes: None, ..Search::to_depth(2) };
    let all_settings =
        [(8, None), (15, None), (6, Some(search)), (0, Some(Search { depth: 7, ..search }))];
    for (number, (exact, search)) in all_settings.into_iter().enumerate() {
        let settings = Settings { exact, search };
        let folder = Folder::new();
        folder.write("all", &games);
        check::<Game>(&folder, &settings, &device, &format!("games-{number}"));
        let folder = Folder::new();
        folder.write("all", &positions);
        check::<ScoredPosition>(&folder, &settings, &device, &format!("positions-{number}"));
    }
}
