#!/usr/bin/env python3
"""Packs a folder as an archive whose bytes depend only on names, contents and who may execute.

    scripts/release/pack.py FOLDER ARCHIVE

ARCHIVE ends in .tar.gz, .tgz or .zip. The time of every file is SOURCE_DATE_EPOCH, in seconds since
1970; LEVEL (6) is how hard it is packed.
"""

import gzip
import os
import sys
import tarfile
import time
import zipfile
from pathlib import Path

LEVEL = int(os.environ.get("LEVEL", "6"))
SECONDS = int(os.environ["SOURCE_DATE_EPOCH"])
PROGRAMS = (b"#!", b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe")


def files(folder):
    """Yields each file below a folder: its name in the archive, its path, and its permissions."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    for name, path in sorted((path.relative_to(folder.parent).as_posix(), path) for path in paths):
        with path.open("rb") as file:
            is_program = path.parent.name == "bin" and file.read(4).startswith(PROGRAMS)
        yield name, path, 0o755 if is_program else 0o644


def tar(folder, out):
    """Writes a tar archive, packed by gzip."""
    packed = gzip.GzipFile("", "wb", compresslevel=LEVEL, fileobj=out, mtime=SECONDS)
    with packed, tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, path, mode in files(folder):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.mode = path.stat().st_size, SECONDS, mode
            with path.open("rb") as file:
                archive.addfile(entry, file)


def zipped(folder, out):
    """Writes a zip archive."""
    date = time.gmtime(max(SECONDS, 315532800))[:6]  # zip begins in 1980
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as archive:
        for name, path, mode in files(folder):
            entry = zipfile.ZipInfo(name, date)
            entry.create_system, entry.external_attr = 3, (0o100000 | mode) << 16
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)


source, archive_path = map(Path, sys.argv[1:])
with archive_path.open("wb") as file_out:
    (zipped if archive_path.suffix == ".zip" else tar)(source.resolve(), file_out)
