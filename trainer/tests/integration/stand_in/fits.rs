//! Tests on a stand-in GPU. Fits must equal those on the CPU. The stand-in must report a stream
//! that uses the memory of another stream without waiting for it.

use super::child::{Ended, Place};

/// A setting of the stand-in driver: the GPU has no free memory for the positions, so a fit copies
/// them to the GPU again for each use.
const STAGED: &str = "free-later=0";

fn check_clean(ended: &Ended, what: &str) {
    assert_eq!(ended.unreleased(), [], "{what}");
    assert_eq!(ended.report["unordered"], 0, "{what}: {}", ended.stderr);
    assert_eq!(ended.report["undone"], 0, "{what}");
}

/// The seed determines when the stand-in driver runs operations. With every third seed, they run as
/// late as possible, to detect host memory that is released before its content is copied.
#[test]
fn a_fit_gives_the_same_bytes_on_the_cpu_by_host_run_kernels_and_in_twenty_orders_of_the_streams() {
    let place = Place::new(60);
    let orders = (0..20).map(|seed| {
        let resident = if seed % 4 == 3 { "" } else { STAGED };
        format!("seed={seed} {resident}")
    });
    let others = ["pools=0", "capability=75 driver=12000"].map(str::to_owned);
    let drivers: Vec<String> = orders.chain(others).collect();
    for optimizer in ["lsq", "adam"] {
        let fit = format!("--optimizer {optimizer}");
        let expected = place.fit("", &format!("{fit} --device cpu")).sha256();
        eprintln!("{optimizer}: sha256 {expected}");
        let host = place.fit("", &format!("{fit} --device host"));
        assert_eq!(host.sha256(), expected, "{optimizer}: host-run kernels");
        for asked in &drivers {
            let ended = place.fit(asked, &fit);
            assert_eq!(ended.json()["device"], "cuda");
            assert_eq!(ended.sha256(), expected, "{optimizer}, {asked}");
            check_clean(&ended, asked);
            assert_eq!(ended.calls("cuMemHostAlloc") > 0, asked.contains(STAGED), "{asked}");
            assert_eq!(ended.calls("cuMemAlloc_v2") > 0, asked == "pools=0", "{asked}");
        }
    }
}

const FACTORS: &str = "--factors 8/3 --optimizer adam --batch 300";

#[test]
fn a_fit_gives_the_same_bytes_on_one_gpu_and_on_two() {
    let place = Place::new(60);
    for fit in ["--optimizer lsq", "--optimizer adam", FACTORS] {
        let expected = place.fit("", &format!("{fit} --device cpu")).sha256();
        assert_eq!(place.fit("", &format!("{fit} --device host")).sha256(), expected, "{fit}");
        for (seed, gpus) in [(1, "cuda:0"), (2, "cuda:1"), (3, "cuda:0,1"), (4, "cuda:0,1")] {
            for staged in ["", STAGED] {
                let asked = format!("seed={seed} {staged} devices=2");
                let ended = place.fit(&asked, &format!("{fit} --device {gpus} --threads 3"));
                assert_eq!(ended.sha256(), expected, "{fit}, {asked}, {gpus}");
                assert_eq!(ended.calls("cuMemHostAlloc") > 0, staged == STAGED, "{asked}, {gpus}");
                check_clean(&ended, &asked);
            }
        }
    }
    let absent = place.fit("devices=2", "--device cuda:0,2");
    assert!(absent.stderr.contains("--device cuda:0,2: there is no GPU 2"), "{}", absent.stderr);
}

/// Counts the driver calls of one epoch, by comparing a fit of 3 epochs with a fit of 2 epochs.
#[test]
fn an_update_of_factors_takes_two_launches_and_waits_for_nothing() {
    const UPDATES: u64 = 15;
    let place = Place::new(60);
    let fit = |epochs: u32| {
        let fit = format!("--factors 8/3 --batch 10 --epochs {epochs} --threads 1");
        place.fit("", &fit).report["calls"].clone()
    };
    let (before, after) = (fit(2), fit(3));
    let more = |entry: &str| {
        let [before, after] = [&before, &after].map(|calls| calls[entry].as_u64().unwrap_or(0));
        after.saturating_sub(before)
    };
    let all: u64 = before.as_object().unwrap().keys().map(|entry| more(entry)).sum();
    let (launches, waits) = (more("cuLaunchKernel"), more("cuStreamSynchronize"));
    eprintln!("an epoch of {UPDATES} updates: {all} calls, {launches} launches, {waits} waits");
    // The end of an epoch rounds the weights, and measures them on each of three phases.
    assert_eq!(launches, 2 * UPDATES + 7);
    assert!(waits <= 5 && more("cuStreamWaitEvent") == 0);
    assert_eq!(more("cuMemAllocAsync"), 1, "the sum of squares of the epoch");
    assert!(all <= 10 * UPDATES, "{before}\n{after}");
}

/// In each fit, the stand-in driver skips one necessary wait. The fit must fail or give wrong
/// weights, or the driver must report unordered use of memory. At least one fit must fail or give
/// wrong weights; otherwise, the order of the streams would not matter.
#[test]
fn a_wait_that_is_forgotten_is_noticed() {
    let place = Place::new(60);
    let fit = "--threads 1";
    let ended = place.fit(STAGED, fit);
    let expected = ended.sha256();
    let needed = ended.report["needed_waits"].as_array().unwrap();
    let needed: Vec<u64> = needed.iter().map(|wait| wait.as_u64().unwrap()).collect();
    eprintln!("{} of {} waits are needed", needed.len(), ended.calls("cuStreamWaitEvent"));
    assert!(needed.len() > 10);
    let mut other_bytes = 0;
    for &wait in needed.iter().step_by((needed.len() / 12).max(1)) {
        // With these seeds, the stand-in runs an operation only when the host waits for one.
        for seed in [0, 3, 6] {
            let asked = format!("{STAGED} seed={seed} skip-wait={wait}");
            let ended = place.fit(&asked, fit);
            let unordered = ended.report["unordered"].as_u64().unwrap();
            let differs = ended.status != Some(0) || ended.sha256() != expected;
            eprintln!("wait {wait}, seed {seed}: {unordered} unordered, differs: {differs}");
            assert!(differs || unordered > 0, "{asked}");
            other_bytes += u32::from(differs);
        }
    }
    assert!(other_bytes > 0, "the order of the streams never mattered");
}

#[test]
fn the_benchmark_runs_through_the_driver() {
    let place = Place::new(1);
    let bench = "bench --device cuda --patterns small --games 20 --repetitions 1 --json";
    let ended = place.run("seed=2", bench);
    assert_eq!(ended.json()["device"], "cuda");
    check_clean(&ended, "bench");
}

#[test]
fn relabelling_runs_through_the_driver() {
    let place = Place::new(30);
    let relabel = |asked: &str, device: &str, threads: u32| {
        let run = "relabel a.games --exact 9 --out b.games --force --json --device";
        place.run(asked, &format!("{run} {device} --threads {threads}"))
    };
    let expected = relabel("", "cpu", 1).sha256();
    for (asked, threads) in [("seed=3", 1), ("seed=4", 2), ("pools=0", 2)] {
        let ended = relabel(asked, "cuda", threads);
        assert_eq!(ended.sha256(), expected, "{asked}");
        check_clean(&ended, asked);
        assert!(ended.calls("cuLaunchKernel") > 0, "{asked}");
    }
}

#[test]
fn the_doctor_describes_the_gpu() {
    let place = Place::new(1);
    let ended = place.run("capability=89 driver=12020", "doctor --json");
    let report = ended.json();
    assert_eq!((&report["device"], &report["optimizer"]), (&"cuda".into(), &"adam".into()));
    let gpu = &report["gpu"];
    assert_eq!(gpu["name"], "Stand-in for a GPU");
    assert_eq!(gpu["architecture"], "compute_89");
    assert_eq!((&gpu["driver"], &gpu["memory_bytes"]), (&12020.into(), &(1u64 << 30).into()));
    check_clean(&ended, "doctor");
}

#[test]
fn ptx_is_kept_and_compiled_anew_where_it_is_damaged() {
    let place = Place::new(60);
    let compiled = |expected| {
        let ended = place.fit("", "");
        assert_eq!(ended.status, Some(0), "{}", ended.stderr);
        assert_eq!(ended.calls("nvrtcCompileProgram"), expected);
    };
    compiled(1);
    compiled(0);
    let kept = std::fs::read_dir(place.path("cache/othello-trainer")).unwrap();
    for file in kept {
        std::fs::write(file.unwrap().path(), "damaged").unwrap();
    }
    compiled(1);
    compiled(0);
}
