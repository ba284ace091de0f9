#!/usr/bin/env bash
# Unpacks an archive of scripts/release.sh for this machine into a bare Debian without compiler and network, and
# runs `quickstart` there like a new user, which must end within a minute.
#
#   scripts/check-release.sh [--seconds S] ARCHIVE [COMMAND...]
#
# Needs root. The Debian is debootstrap's `minbase` of RELEASE (bookworm). Without debootstrap or its network, it is a
# folder with this machine's shell, tar, gzip and the libraries that they need; the script prints so. COMMAND
# replaces `othello-trainer quickstart`; S (60) is its limit in seconds. The exit status is 3 if this machine does not
# allow a new root folder.
set -euo pipefail
seconds=60
[[ ${1-} != --seconds ]] || { seconds=$2 && shift 2; }
archive=$(realpath "${1:?an archive}") && shift
[[ $# != 0 ]] || set -- othello-trainer quickstart
name=${archive##*/}
(cd "${archive%/*}" && grep -F "  $name" SHA256SUMS | sha256sum --check --quiet -)
echo "$name: the checksum of SHA256SUMS"

if [[ $(id -u) != 0 ]] || ! unshare --net --mount --pid --fork true 2>/dev/null; then
    echo "needs root, and namespaces (unshare)" >&2 && exit 3
fi
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
bare=$work/root
if ! command -v debootstrap >/dev/null; then
    apt-get update -q && apt-get -o DPkg::Lock::Timeout=120 install -qy --no-install-recommends debootstrap || true
fi >/dev/null 2>&1
if debootstrap --variant=minbase "${RELEASE:-bookworm}" "$bare" http://deb.debian.org/debian >"$work/log" 2>&1; then
    echo "a bare Debian $(cat "$bare/etc/debian_version") by debootstrap"
else
    rm -rf "$bare" && mkdir -p "$bare"/{bin,root}
    # A shell and what unpacks an archive, with their libraries, and those that the programs themselves link.
    mapfile -t programs < <(type -P sh tar gzip ls cat date dirname uname grep)
    cp -L "${programs[@]}" "$bare/bin/"
    { ldd "${programs[@]}" && ldconfig -p | grep -E '/lib(c|m|dl|pthread|rt|util|gcc_s)\.so\.[0-9]$'; } |
        grep -o '/[^ :]*' | sort -u | xargs cp -L --parents -t "$bare"
    echo "a folder with a shell and its libraries: debootstrap could not be had, or had no network"
fi

mkdir -p "$bare"/{tmp,proc,dev}
cp "$archive" "$bare/tmp/archive.tar.gz"
cat >"$bare/tmp/try.sh" <<'TRY'
set -eu
cd /tmp && tar xzf archive.tar.gz && cd "$1"
PATH=$PWD/bin:$PATH && shift
for file in README.md LICENSE-MIT LICENSE-APACHE THIRD-PARTY.txt share/man/man1/othello-trainer-fit.1 \
    share/bash-completion/completions/othello-engine share/othello/default.weights share/othello/tables.weights \
    datasets/patterns/small.toml scripts/slurm/run.sbatch include/othello.h lib/libothello.so lib/pkgconfig/othello.pc; do
    [ -s $file ] || { echo "$file is not there" && exit 1; }
done
othello-engine --version && othello-trainer --version
for weights in share/othello/default.weights embedded; do
    othello-engine weights $weights --json | grep -o '"sha256":"[0-9a-f]*"' >/tmp/sum-${weights##*/}
done
cd /root && "$@"
TRY
SECONDS=0
unshare --net --mount --pid --fork sh -c '
    mount -t proc proc "$0/proc" &&
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root chroot "$0" sh /tmp/try.sh "$@"' "$bare" "${name%.tar.gz}" "$@"
echo "unpacked and done in $SECONDS s: $*"
((SECONDS <= seconds)) || { echo "that is more than $seconds s" >&2 && exit 1; }
# The file beside the programs is what they carry.
cmp "$bare"/tmp/sum-* && [[ -s $bare/tmp/sum-embedded ]] || { echo "the weights beside the programs are others" >&2 && exit 1; }
