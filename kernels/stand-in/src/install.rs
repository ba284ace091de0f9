use std::path::Path;
use std::{fs, io};

/// Copies the stand-in's library into a folder as `libcuda.so`, `libcuda.so.1` and `libnvrtc.so`,
/// for programs that search this folder first. The copies lack the entry point `lacks`, if any.
pub fn install(folder: &Path, lacks: Option<&str>) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let test = std::env::current_exe()?;
    let next_to_it = test.parent().unwrap_or(Path::new("."));
    let names = [next_to_it.to_owned(), next_to_it.join("deps")];
    let found = names.map(|folder| folder.join("libothello_stand_in.so"));
    let library = found.into_iter().find(|path| path.exists());
    let mut bytes = fs::read(library.ok_or_else(|| not_found("no libothello_stand_in.so"))?)?;
    if let Some(entry) = lacks {
        let name = [b"\0", entry.as_bytes(), b"\0"].concat();
        let is_there = |at: &usize| bytes[*at..].starts_with(&name);
        let places: Vec<usize> = (0..bytes.len()).filter(is_there).collect();
        places.iter().for_each(|place| bytes[place + 1] = b'_');
        if places.is_empty() {
            return Err(not_found(&format!("no {entry} in the library")));
        }
    }
    let library = folder.join("library.so");
    fs::write(&library, bytes)?;
    for name in ["libcuda.so", "libcuda.so.1", "libnvrtc.so"] {
        fs::hard_link(&library, folder.join(name))?;
    }
    Ok(())
}

fn not_found(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, what)
}
