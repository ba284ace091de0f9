#!/usr/bin/env bash
# Makes all files of a release from a clean clone: archives of the programs, wheels, the page, the package
# for npm, weights, a bill of materials, checksums. The same commit gives the same bytes in any folder.
#
#   scripts/release.sh [--targets "A B"] [--only "PART PART"] [--built FOLDER] [--dirty] [OUT]
#
# OUT is release in cargo's target folder by default. The parts are programs, wheels, page and npm. The targets are
# those that a machine with Linux builds: x86-64 and aarch64 Linux with glibc 2.17 or later, x86-64 Windows; on
# another system, the system itself. --built takes the programs and the C library in FOLDER for this machine, and builds none.
# --dirty allows changes that are not committed. PROFILE (release) and LEVEL (6, of gzip) make trials cheaper.
#
# On Linux, zig from PyPI compiles C and links: no compiler, cross compiler or old system is needed. Programs with
# another C library than glibc are not made: one that is linked statically cannot load the driver of a GPU.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
system=$(rustc -vV | sed -n 's/^host: //p')
targets=$system parts="programs wheels page npm" built="" dirty=""
[[ $system != x86_64-unknown-linux-gnu ]] ||
    targets="x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu x86_64-pc-windows-gnu"
while [[ ${1-} == --* ]]; do
    case $1 in
    --targets) targets=$2 && shift 2 ;;
    --only) parts=$2 && shift 2 ;;
    --built) built=$(cd "$2" && pwd) targets=$system && shift 2 ;;
    --dirty) dirty=yes && shift ;;
    *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p;}' "$0" >&2 && exit 2 ;;
    esac
done
wanted() { [[ " $parts " == *" $1 "* ]]; }
step() { printf '== %s\n' "$*" >&2; }
if [[ -z $dirty && -n $(git status --porcelain) ]]; then
    echo "there are changes that are not committed: commit them, or say --dirty" >&2 && exit 2
fi

folder=$(cargo metadata --format-version 1 --no-deps | sed -E 's/.*"target_directory":"([^"]*)".*/\1/' | tr -s '\\' /)
out=${1:-$folder/release-page}
mkdir -p "$out" && out=$(cd "$out" && pwd)
[[ -z $(ls -A "$out") ]] || { echo "$out: is not empty; name a folder that is" >&2 && exit 2; }
third=$root/trainer/python/LICENSE-THIRD-PARTY # A wheel takes its licences from this folder alone.
work=$(mktemp -d) && trap 'rm -rf "$work" "$third"' EXIT
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
profile=${PROFILE:-release}

# Neither the day nor the folders of this machine are seen in what is built.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export TZ=UTC LC_ALL=C CARGO_INCREMENTAL=0 CARGO_PROFILE_RELEASE_STRIP=true
prefixes() { # FLAG: the prefixes that the compiler leaves out; the last that fits counts.
    echo "$1=$root=/othello $1=${CARGO_HOME:-$HOME/.cargo}=/cargo $1=$folder=/target"
}
program_flags=$(prefixes --remap-path-prefix) c_flags=$(prefixes -ffile-prefix-map)

tools() { # zig and maturin, in an environment of their own.
    local tools=$folder/release-tools
    if ! cmp -s scripts/release/requirements.txt "$tools/requirements.txt"; then
        "${PYTHON:-python3}" -m venv --clear "$tools"
        "$tools/bin/pip" install --quiet --disable-pip-version-check --requirement scripts/release/requirements.txt
        cp scripts/release/requirements.txt "$tools/"
    fi
    PATH=$tools/bin:$PATH
}
with_zig() { [[ $system == *-linux-* ]]; }
programs_for() { echo "${built:-$folder/$1/${profile/#dev/debug}}"; } # TARGET
glibc() { [[ $1 != *-linux-gnu ]] || echo .2.17; } # The oldest that the compiler of Rust supports.

build() { # TARGET: leaves both programs and the C library in $folder/TARGET/PROFILE.
    local call=build
    ! with_zig || { tools && call=zigbuild; }
    rustup target list --installed | grep -qx "$1" || rustup target add "$1" >&2
    RUSTFLAGS=$program_flags CFLAGS=$c_flags cargo "$call" --locked --profile "$profile" \
        --target "$1$([[ $call == build ]] || glibc "$1")" -p othello-engine -p othello-trainer -p othello-capi >&2
}

documents() { # What is the same for every target, into $work/documents; asks programs of this machine in FOLDER.
    local program share=$work/documents/share
    mkdir -p "$share"/{man/man1,bash-completion/completions,zsh/site-functions,fish/vendor_completions.d,powershell,othello}
    for program in othello-engine othello-trainer; do
        "$1/$program" man "$share/man/man1"
        "$1/$program" completions bash >"$share/bash-completion/completions/$program"
        "$1/$program" completions zsh >"$share/zsh/site-functions/_$program"
        "$1/$program" completions fish >"$share/fish/vendor_completions.d/$program.fish"
        "$1/$program" completions powershell >"$share/powershell/$program.ps1"
    done
    cp engine/weights/{default,tables}.weights "$share/othello/"
    # All guides, and what their commands read; links as what they lead to.
    git ls-files -z -- '*.md' 'LICENSE-*' datasets docs {engine,engine/capi,trainer,trainer/python}/examples \
        engine/capi/include scripts/{slurm/run.sbatch,workflow,release/Containerfile} | tar -chf - --null -T - | tar -xf - -C "$work/documents"
}

archive() { # TARGET FOLDER
    local name=othello-toolkit-$version-$1 kind=tar.gz suffix=
    [[ $1 != *-windows-* ]] || kind=zip suffix=.exe
    mkdir -p "$work/$name"/{bin,lib/pkgconfig,include}
    cp "$2"/othello-{engine,trainer}$suffix "$work/$name/bin/"
    cp -r "$work/documents/." "$work/$name/"
    for file in "$2"/{libothello.{so,dylib,a,dll.a},othello.{dll,lib}}; do
        [[ ! -e $file ]] || cp "$file" "$work/$name/lib/"
    done
    compgen -G "$work/$name/lib/*othello.*" >/dev/null || { echo "$2: no C library; build othello-capi" >&2 && exit 2; }
    cp engine/capi/include/othello.h "$work/$name/include/"
    sed "s/VERSION/$version/" engine/capi/othello.pc >"$work/$name/lib/pkgconfig/othello.pc"
    "${PYTHON:-python3}" scripts/release/notices.py "$1" "$work/$name" othello-engine othello-trainer
    "${PYTHON:-python3}" scripts/release/pack.py "$work/$name" "$out/$name.$kind"
    mv "$work/$name/bill-of-materials.cdx.json" "$out/$name.cdx.json"
    rm -r "${work:?}/$name"
}

if wanted programs; then
    for target in $targets; do
        [[ -n $built ]] || { step "the programs for $target" && build "$target"; }
    done
    # Manual pages and completions do not depend on the target.
    [[ -n $built || " $targets " == *" $system "* ]] || build "$system"
    documents "$(programs_for "$system")"
    for target in $targets; do
        step "the archive for $target"
        archive "$target" "$(programs_for "$target")"
    done
    cp engine/weights/default.weights "$out/othello-$version.weights"
    cp engine/weights/tables.weights "$out/othello-$version-tables.weights"
fi

if wanted wheels; then
    tools
    for target in $targets; do
        [[ $target != *-windows-* || $system == *-windows-* ]] || continue # By the workflow, where there is a Python.
        step "the wheel for $target"
        options=(--target "$target") && ! with_zig || options+=(--zig --compatibility manylinux2014)
        "${PYTHON:-python3}" scripts/release/notices.py "$target" "$work/wheel" othello-python
        mv "$work/wheel/THIRD-PARTY.txt" "$third"
        (cd trainer/python && RUSTFLAGS=$program_flags CFLAGS=$c_flags \
            maturin build --quiet --locked --profile "$profile" "${options[@]}" \
            --sbom-include "$work/wheel/bill-of-materials.cdx.json" --out "$out" >&2)
    done
fi

if wanted page || wanted npm; then
    step "the page, and the engine for JavaScript"
    OTHELLO_TRAINER=$(programs_for "$system")/othello-trainer npm=()
    [[ ! -x $OTHELLO_TRAINER ]] || export OTHELLO_TRAINER
    ! wanted npm || npm=(--npm "$out")
    scripts/build-web.sh ${npm[@]+"${npm[@]}"} "$work/othello-page-$version"
    ! wanted page || "${PYTHON:-python3}" scripts/release/pack.py "$work/othello-page-$version" "$out/othello-page-$version.zip"
fi

"${PYTHON:-python3}" -c 'import hashlib, pathlib, sys # The same lines on every system.
for file in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    print(hashlib.sha256(file.read_bytes()).hexdigest() + "  " + file.name)' "$out" | tee "$work/SHA256SUMS"
mv "$work/SHA256SUMS" "$out/"
