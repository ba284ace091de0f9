#!/usr/bin/env python3
"""Packs a folder as an archive whose bytes depend on nothing but names, contents and who may execute.

    scripts/release/pack.py FOLDER ARCHIVE

ARCHIVE ends in .tar.gz, .tgz or .zip. The time of every file is SOURCE_DATE_EPOCH, in seconds since 1970;
LEVEL (6) is how hard it is packed.
"""

import gzip
import os
import shutil
import sys
import tarfile
import time
import zipfile
from pathlib import Path

LEVEL = int(os.environ.get("LEVEL", "6"))


def members(folder):
    """Returns all files below a folder with their names in the archive, in order."""
    files = (path for path in folder.rglob("*") if path.is_file())
    named = [(path.relative_to(folder.parent).as_posix(), path) for path in files]
    return sorted(named)


def mode(path):
    """Returns the permissions: whether a file can be executed is all that counts."""
    with path.open("rb") as file:
        start = file.read(4)
    program = start.startswith((b"#!", b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe"))
    return 0o755 if program and path.parent.name == "bin" else 0o644


def tar(folder, out, seconds):
    """Writes a tar archive, packed by gzip."""
    packed = gzip.GzipFile(filename="", mode="wb", compresslevel=LEVEL, fileobj=out, mtime=seconds)
    with packed, tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, path in members(folder):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.mode = path.stat().st_size, seconds, mode(path)
            with path.open("rb") as file:
                archive.addfile(entry, file)


def zipped(folder, out, seconds):
    """Writes a zip archive."""
    date = time.gmtime(max(seconds, 315532800))[:6]  # zip begins in 1980
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as archive:
        for name, path in members(folder):
            entry = zipfile.ZipInfo(name, date)
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | mode(path)) << 16
            entry.file_size = path.stat().st_size
            with path.open("rb") as file, archive.open(entry, "w") as packed:
                shutil.copyfileobj(file, packed, 1 << 20)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, archive = map(Path, sys.argv[1:])
    seconds = int(os.environ["SOURCE_DATE_EPOCH"])
    write = zipped if archive.suffix == ".zip" else tar
    with archive.open("wb") as out:
        write(folder.resolve(), out, seconds)


if __name__ == "__main__":
    main()
