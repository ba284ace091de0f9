mod flaky;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use flaky::{Flaky, Luck};
use futures_util::TryStreamExt as _;
use object_store::memory::InMemory;
use object_store::path::Path as Key;
use object_store::{ObjectStore, ObjectStoreExt as _, ObjectStoreScheme};
use othello_core::progress::Silent;
use url::Url;

use crate::place::Place;
use crate::{Begun, Role, Stage, StoreError};

/// The size of parts: files of the tests have several.
const PART: usize = 1000;

fn opens(store: Arc<dyn ObjectStore>) -> impl Fn(&str) -> Result<Place, StoreError> {
    move |url| {
        let (_, key) = ObjectStoreScheme::parse(&Url::parse(url).unwrap()).unwrap();
        Ok(Place::of(url, store.clone(), key)?.with_part_bytes(PART))
    }
}

fn begin(stage: &Stage, store: &Arc<dyn ObjectStore>) -> Result<Begun, StoreError> {
    stage.begin_at(&opens(store.clone()), &Silent)
}

/// Does a command whose only work is to write these files, named from the folder of the URL.
fn write(
    stage: &Stage,
    store: &Arc<dyn ObjectStore>,
    url: &str,
    files: &[(&str, Vec<u8>)],
) -> Result<(), StoreError> {
    let begun = begin(stage, store)?;
    let folder = stage.path_of(url).unwrap().parent().unwrap();
    for (name, content) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if fs::read(&path).ok().as_ref() != Some(content) {
            fs::write(path, content).unwrap();
        }
    }
    begun.send(&Silent)
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

/// Returns all objects of a store, each with its tag.
fn objects(store: &dyn ObjectStore) -> BTreeMap<String, (Vec<u8>, String)> {
    run(async {
        let mut objects = BTreeMap::new();
        for object in store.list(None).try_collect::<Vec<_>>().await.unwrap() {
            let content = store.get(&object.location).await.unwrap().bytes().await.unwrap();
            objects.insert(object.location.to_string(), (content.to_vec(), object.e_tag.unwrap()));
        }
        objects
    })
}

fn put(store: &dyn ObjectStore, key: &str, content: &[u8]) {
    run(store.put(&Key::from(key), content.to_vec().into())).unwrap();
}

fn content(seed: u8, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| (at as u64 * 31 + u64::from(seed) * at as u64 / 7) as u8).collect()
}

fn store() -> Arc<dyn ObjectStore> {
    Arc::new(InMemory::new())
}

#[test]
fn an_output_is_sent_in_one_piece_or_in_parts_and_its_stage_removed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("stage");
    for bytes in [0, 1, PART - 1, PART, PART + 1, 10 * PART, 10 * PART + 1] {
        let (store, url) = (store(), "s3://bucket/run/a%20b.games");
        let stage = Stage::new(&root, [(url, Role::Output)]);
        assert!(stage.path_of(url).unwrap().ends_with("a b.games"));
        write(&stage, &store, url, &[("a b.games", content(1, bytes))]).unwrap();
        let objects = objects(&*store);
        assert_eq!(objects.keys().collect::<Vec<_>>(), ["run/a b.games"]);
        assert_eq!(objects["run/a b.games"].0, content(1, bytes));
        assert!(!root.exists());
    }
}

#[test]
fn an_input_is_an_object_or_a_folder_of_them() {
    let (folder, store) = (tempfile::tempdir().unwrap(), store());
    put(&*store, "run/a.games", b"a");
    put(&*store, "run/more/b.games", b"b");
    put(&*store, "running/c.games", b"c");
    let (file, run) = ("s3://bucket/run/a.games", "s3://bucket/run/");
    let stage = Stage::new(folder.path(), [(file, Role::Input), (run, Role::Input)]);
    let begun = begin(&stage, &store).unwrap();
    assert_eq!(fs::read(stage.path_of(file).unwrap()).unwrap(), b"a");
    let run = stage.path_of(run).unwrap();
    assert_eq!(fs::read(run.join("a.games")).unwrap(), b"a");
    assert_eq!(fs::read(run.join("more/b.games")).unwrap(), b"b");
    assert!(!run.with_file_name("running").exists());
    let said = stage.told(&format!("{}: is damaged", run.join("a.games").display()));
    assert_eq!(said, "s3://bucket/run/a.games: is damaged");
    begun.leave();
    assert!(!folder.path().exists());

    let stage = Stage::new(folder.path(), [("s3://bucket/ru", Role::Input)]);
    let error = begin(&stage, &store).err().unwrap().to_string();
    assert!(error.starts_with("s3://bucket/ru: nothing is there"), "{error}");
}

/// The command judges what is at its output; only what it changes is sent.
#[test]
fn what_is_at_an_output_is_fetched_and_sent_again_only_if_it_changed() {
    let (folder, store) = (tempfile::tempdir().unwrap(), store());
    let keys = ["w.weights", "w.weights.report.json", "w.weights/part", "w.weightsless", "other"];
    for key in keys {
        put(&*store, &format!("run/{key}"), key.as_bytes());
    }
    let before = objects(&*store);
    let url = "s3://bucket/run/w.weights";
    let stage =
        Stage::new(folder.path(), [("s3://bucket/run/w.weights.report.json", Role::Output)]);
    let begun = begin(&stage, &store).unwrap();
    let path = stage.path_of("s3://bucket/run/w.weights.report.json").unwrap();
    assert_eq!(fs::read(path).unwrap(), b"w.weights.report.json");
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    begun.send(&Silent).unwrap();
    assert_eq!(objects(&*store), before);

    run(store.delete(&Key::from("run/w.weights/part"))).unwrap();
    let before = objects(&*store);
    let stage = Stage::new(folder.path(), [(url, Role::Output)]);
    write(&stage, &store, url, &[("w.weights", b"new".to_vec())]).unwrap();
    let after = objects(&*store);
    assert_eq!(after["run/w.weights"].0, b"new");
    for key in ["run/w.weights.report.json", "run/w.weightsless", "run/other"] {
        assert_eq!(after[key], before[key]);
    }
}

/// A command that refuses what is at its output leaves no stage: the next one looks again.
#[test]
fn a_failed_command_leaves_its_work_alone() {
    let (folder, store) = (tempfile::tempdir().unwrap(), store());
    let root = folder.path().join("stage");
    let url = "s3://bucket/a.games";
    let stage = Stage::new(&root, [("s3://bucket/in", Role::Input), (url, Role::Output)]);
    let path = stage.path_of(url).unwrap();
    begin(&stage, &store).err().unwrap();
    put(&*store, "in", b"input");
    put(&*store, "a.games", b"existing");
    let begun = begin(&stage, &store).unwrap();
    assert_eq!(fs::read(path).unwrap(), b"existing");
    begun.leave();
    assert!(!root.exists());
    for work in [path.to_owned(), path.with_added_extension("partial")] {
        let begun = begin(&stage, &store).unwrap();
        fs::write(&work, "work").unwrap();
        begun.leave();
        let begun = begin(&stage, &store).unwrap();
        assert_eq!(fs::read(&work).unwrap(), b"work");
        assert_eq!(fs::read(stage.path_of("s3://bucket/in").unwrap()).unwrap(), b"input");
        fs::remove_file(&work).unwrap();
        begun.leave();
        assert!(!root.exists());
    }
    // Killed, it leaves what it fetched, which is no work.
    drop(begin(&stage, &store).unwrap());
    put(&*store, "a.games", b"another");
    let _begun = begin(&stage, &store).unwrap();
    assert_eq!(fs::read(path).unwrap(), b"another");
}

#[test]
fn what_somebody_else_wrote_meanwhile_is_not_replaced() {
    let (folder, store) = (tempfile::tempdir().unwrap(), store());
    let url = "s3://bucket/a.games";
    let stage = Stage::new(folder.path(), [(url, Role::Output)]);
    for before in [None, Some(b"before")] {
        if let Some(before) = before {
            put(&*store, "a.games", before);
        }
        let begun = begin(&stage, &store).unwrap();
        fs::write(stage.path_of(url).unwrap(), "mine").unwrap();
        put(&*store, "a.games", b"theirs");
        let error = begun.send(&Silent).unwrap_err().to_string();
        assert!(error.contains("is not what it was when this command began"), "{error}");
        assert_eq!(objects(&*store)["a.games"].0, b"theirs");
        assert_eq!(fs::read(stage.path_of(url).unwrap()).unwrap(), b"mine");
        // Once theirs is taken away, the same command sends what it had made.
        run(store.delete(&Key::from("a.games"))).unwrap();
        begin(&stage, &store).unwrap().send(&Silent).unwrap();
        assert_eq!(objects(&*store)["a.games"].0, b"mine");
    }
}

/// Requests fail before they are done or after: then only the answer is lost.
#[test]
fn nothing_is_lost_in_a_store_that_fails_at_random() {
    let files = [
        ("run/large.games", content(1, 7 * PART + 5)),
        ("run/small.games", content(2, 10)),
        ("run/more/middling.games", content(3, 2 * PART)),
        ("run/records.json", content(4, 3)),
    ];
    let (url, mut failures) = ("s3://bucket/run", 0);
    for seed in 0..10 {
        let folder = tempfile::tempdir().unwrap();
        let inner = store();
        let flaky: Arc<dyn ObjectStore> =
            Arc::new(Flaky { inner: inner.clone(), luck: Luck::new(seed, 10) });
        let stage = Stage::new(folder.path(), [(url, Role::Output)]);
        let mut is_begun = false;
        while let Err(error) = write(&stage, &flaky, url, &files) {
            assert!(matches!(error, StoreError::Store { .. }), "{error}");
            failures += 1;
            let there = objects(&*inner);
            let local = stage.path_of(url).unwrap().parent().unwrap();
            is_begun |= local.join("run").exists();
            for (name, content) in &files {
                let sent = there.get(*name).map(|(content, _)| content);
                assert!(sent.is_none_or(|sent| sent == content), "{name} is there in part");
                let is_here = fs::read(local.join(name)).is_ok_and(|file| file == *content);
                assert!(is_here || !is_begun, "seed {seed}: {name} is lost");
            }
        }
        assert_eq!(objects(&*inner).len(), files.len());

        let stage = Stage::new(folder.path(), [(url, Role::Input)]);
        let begun = loop {
            match begin(&stage, &flaky) {
                Ok(begun) => break begun,
                Err(error) => assert!(matches!(error, StoreError::Store { .. }), "{error}"),
            }
            failures += 1;
        };
        for (name, content) in &files {
            let path = stage.path_of(url).unwrap().parent().unwrap().join(name);
            assert_eq!(&fs::read(path).unwrap(), content);
        }
        begun.leave();
    }
    assert!(failures > 50, "{failures} failures only");
}

#[test]
fn a_stage_belongs_to_one_process_at_a_time() {
    let (folder, store) = (tempfile::tempdir().unwrap(), store());
    let stage = Stage::new(folder.path(), [("s3://bucket/a.games", Role::Output)]);
    let begun = begin(&stage, &store).unwrap();
    let error = begin(&stage, &store).err().unwrap();
    assert!(matches!(error, StoreError::Busy { .. }), "{error}");
    drop(begun);
    begin(&stage, &store).unwrap();
    // Outputs decide which stage it is, so that another number of threads finds it again.
    let other = |url| {
        Stage::new(Path::new("stage"), [("s3://bucket/in", Role::Input), (url, Role::Output)])
    };
    let path = |stage: &Stage| stage.path_of("s3://bucket/in").unwrap().to_owned();
    assert_eq!(path(&other("s3://bucket/a")), path(&other("s3://bucket/a")));
    assert_ne!(path(&other("s3://bucket/a")), path(&other("s3://bucket/b")));
}

#[test]
fn texts_that_name_no_object_are_refused() {
    let refused = |url: &str, reason: &str| {
        let error = Place::open(url).err().unwrap().to_string();
        assert!(error.starts_with(url) && error.contains(reason), "{error}");
    };
    refused("memory:///", "names a whole bucket");
    refused("memory:///a?b", "has a ? or #");
    refused("memory:///a#b", "has a ? or #");
    refused("ftp://host/a", "expected one such as s3://");
    refused("s3:// /a", "is no URL of an object");
}
