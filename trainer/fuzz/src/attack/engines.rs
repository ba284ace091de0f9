//! Attacks by players that start further processes, none of which may survive the match.

use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::findings::End;
use super::ground::Ground;
use super::process::run;

/// The first lines of the shell scripts that act as players. `SLEEP` is a long `sleep`, which the
/// match must end.
const LEAVERS: [&str; 6] = [
    STUCK,
    "SLEEP &",
    "setsid SLEEP &",
    "(SLEEP &)",
    "setsid sh -c '(SLEEP &) & SLEEP' &",
    "trap '' TERM HUP INT; (setsid SLEEP &)",
];

/// The script of a player that never answers; it is used only in matches that are killed.
const STUCK: &str = "exec SLEEP";

pub(super) fn round(ground: &mut Ground<'_>, times: usize) {
    let &mut Ground { place, limits, ref mut findings, .. } = ground;
    for (number, leaver) in LEAVERS.into_iter().enumerate().take(times) {
        for signal in [None, Some("KILL"), Some("INT")] {
            if signal.is_none() && leaver == STUCK {
                continue;
            }
            let sleep_of_ours = format!("sleep {}.{number}", 100_000 + std::process::id());
            let folder = tempfile::tempdir().expect("a folder");
            let engine = folder.path().join("engine.sh");
            let leaver = leaver.replace("SLEEP", &format!("{sleep_of_ours} </dev/null >/dev/null"));
            let program = place.binaries.join("othello-engine");
            let script =
                format!("{leaver}\nexec {} gtp --weights mobility --level 1\n", program.display());
            fs::write(&engine, script).expect("writable");
            let mut words = place.words(
                "othello-trainer match PLAYER mobility --openings @some.openings --pairs 2 --depth 1",
            );
            words[2] = format!("gtp:sh {}", engine.display()).into();
            let mut command = place.command_of(folder.path(), &words);
            let fault = match signal {
                None => run(&mut command, limits).fault(limits),
                Some(signal) => {
                    command.stdout(Stdio::null()).stderr(Stdio::null());
                    let mut child = command.spawn().expect("the binary runs");
                    sleep(Duration::from_millis(400));
                    let signal = [format!("-{signal}"), child.id().to_string()];
                    assert!(
                        Command::new("kill").args(signal).status().is_ok_and(|it| it.success())
                    );
                    child.wait().expect("its end");
                    None
                }
            };
            // The guard processes of the match need a moment to kill the player's processes.
            let deadline = Instant::now() + Duration::from_secs(10);
            while is_left(&sleep_of_ours) && Instant::now() < deadline {
                sleep(Duration::from_millis(50));
            }
            let left = is_left(&sleep_of_ours).then(|| "leaves programs behind".to_owned());
            let name = signal.map_or("trainer match", |_| "trainer match, killed");
            findings.note(name, fault.or(left), End::Done, &leaver);
        }
    }
}

fn is_left(line: &str) -> bool {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    let wanted: Vec<u8> = line.replace(' ', "\0").into_bytes();
    lines.into_iter().any(|found| found.strip_suffix(b"\0") == Some(&wanted))
}
