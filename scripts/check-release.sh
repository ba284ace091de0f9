#!/usr/bin/env bash
# Unpacks an archive of scripts/release.sh for this machine into a bare Debian without compiler and network, and
# runs `quickstart` there like a new user, which must end within a minute.
#
#   scripts/check-release.sh [--seconds S] [--old RELEASE] ARCHIVE [COMMAND...]
#
# Needs root. The Debian is debootstrap's `minbase` of RELEASE (bookworm). Without debootstrap or its network, it is a
# folder with this machine's shell, tar, gzip and the libraries that they need; the script prints so. COMMAND
# replaces `othello-trainer quickstart`; S (60) is its limit in seconds. ROOT names a folder with an existing
# Debian. The exit status is 3 if this machine does not allow a new root folder.
set -euo pipefail
seconds=60 release=bookworm
while [[ ${1-} == --* ]]; do
    case $1 in
    --seconds) seconds=$2 && shift 2 ;;
    --old) release=$2 && shift 2 ;;
    *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p;}' "$0" >&2 && exit 2 ;;
    esac
done
archive=$(realpath "${1:?an archive}") && shift
[[ $# != 0 ]] || set -- othello-trainer quickstart
sums=$(dirname "$archive")/SHA256SUMS
name=$(basename "$archive" .tar.gz)
(cd "$(dirname "$archive")" && grep -F "  $(basename "$archive")" "$sums" | sha256sum --check --quiet -)
echo "$(basename "$archive"): the checksum of SHA256SUMS"

if [[ $(id -u) != 0 ]] || ! unshare --net --mount --pid --fork true 2>/dev/null; then
    echo "needs root, and namespaces (unshare)" >&2 && exit 3
fi
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
bare=${ROOT:-$work/root}

smallest_root() { # A shell and what unpacks an archive, with their libraries.
    local program library
    mkdir -p "$bare"/{bin,tmp,root,proc,dev}
    for program in sh tar gzip ls cat date dirname uname; do
        cp -L "$(command -v $program)" "$bare/bin/"
        for library in $(ldd "$(command -v $program)" | grep -o '/[^ ]*'); do
            mkdir -p "$bare$(dirname "$library")" && cp -L "$library" "$bare$library"
        done
    done
    # What the programs themselves link: the C library, and what unwinds.
    for library in $(ldconfig -p | grep -oE '/[^ ]*/lib(c|m|dl|pthread|rt|util|gcc_s)\.so\.[0-9]$'); do
        mkdir -p "$bare$(dirname "$library")" && cp -L "$library" "$bare$library"
    done
}
if [[ -z ${ROOT-} ]]; then
    command -v debootstrap >/dev/null ||
        { apt-get update -q && apt-get -o DPkg::Lock::Timeout=120 install -qy --no-install-recommends debootstrap; } >/dev/null 2>&1 || true
    mirror=http://deb.debian.org/debian
    if command -v debootstrap >/dev/null &&
        debootstrap --variant=minbase "$release" "$bare" $mirror >"$work/log" 2>&1; then
        echo "a bare Debian $(cat "$bare/etc/debian_version") by debootstrap"
    else
        rm -rf "$bare" && smallest_root
        echo "a folder with a shell and its libraries: debootstrap could not be had, or had no network"
    fi
fi

mkdir -p "$bare/tmp" "$bare/proc" "$bare/dev"
cp "$archive" "$bare/tmp/archive.tar.gz"
cat >"$bare/tmp/try.sh" <<'TRY'
set -eu
for compiler in cc gcc clang rustc cargo; do
    ! command -v $compiler >/dev/null || { echo "there is a $compiler" && exit 1; }
done
while read -r line; do
    case $line in
    Inter-*|face*|lo:*) ;;
    *) echo "there is a network: $line" && exit 1 ;;
    esac
done </proc/net/dev
echo "neither compiler nor network"
cd /tmp && tar xzf archive.tar.gz && cd "$1"
PATH=$PWD/bin:$PATH && shift
for file in README.md LICENSE-MIT LICENSE-APACHE THIRD-PARTY.txt share/man/man1/othello-trainer-fit.1 \
    share/bash-completion/completions/othello-engine share/othello/default.weights share/othello/tables.weights \
    datasets/patterns/small.toml include/othello.h lib/libothello.so lib/pkgconfig/othello.pc; do
    [ -s $file ] || { echo "$file is not there" && exit 1; }
done
othello-engine --version && othello-trainer --version
othello-engine weights share/othello/default.weights --json >/tmp/file.json
othello-engine weights embedded --json >/tmp/embedded.json
cd /root && "$@"
TRY
begun=$(date +%s%N)
unshare --net --mount --pid --fork sh -c '
    mount -t proc proc "$0/proc" &&
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root chroot "$0" sh /tmp/try.sh "$@"' "$bare" "$name" "$@"
took=$((($(date +%s%N) - begun) / 1000000000))
# Both say the same checksum: the file beside the programs is what they carry.
of() { grep -o '"sha256":"[0-9a-f]*"' "$bare/tmp/$1.json"; }
[[ -n $(of file) && $(of file) == "$(of embedded)" ]] || { echo "the weights beside the programs are others" >&2 && exit 1; }
rm -rf "$bare"/tmp/* "$bare/root/quickstart"
echo "unpacked and done in $took s: $*"
[[ $took -le $seconds ]] || { echo "that is more than $seconds s" >&2 && exit 1; }
