#!/usr/bin/env bash
# Packs every published crate as `cargo publish` would, builds each from its package alone, and lists its contents.
#
#   scripts/check-packages.sh [--list | --semver]
#
# --list packs and builds nothing: it only checks the contents of the packages, in a second. --semver compares the
# public interface with that of the last tag by cargo-semver-checks (no version is in a registry yet); without a
# tag, it prints that there is nothing to compare with.
set -euo pipefail
cd "$(dirname "$0")/.."
crates=(othello-macros othello-core othello-cli othello-kernels othello-engine othello-fit othello-lab othello-trainer)
selected=("${crates[@]/#/--package=}")

if [[ ${1-} == --semver ]]; then
    tag=$(git describe --tags --abbrev=0 --match 'v*' HEAD^ 2>/dev/null) ||
        { echo "no tag before this commit: nothing to compare with" && exit 0; }
    exec cargo semver-checks --baseline-rev "$tag" "${selected[@]}"
fi

# What is published, and nothing else; each with what a page of a registry shows.
metadata=$(cargo metadata --format-version 1 --no-deps)
"${PYTHON:-python3}" -c '
import json, sys
published = {one["name"]: one for one in json.load(sys.stdin)["packages"] if one["publish"] != []}
assert set(published) == set(sys.argv[1:]), f"published: {sorted(published)}"
for name, one in published.items():
    for field in ("description", "license", "readme", "documentation", "rust_version", "keywords", "categories"):
        assert one[field], f"{name}: has no {field}"
    for needed in one["dependencies"]:
        is_own = needed.get("path") and needed["kind"] != "dev"
        assert not is_own or needed["req"] != "*", f"{name}: names no version of {needed['name']}"
' "${crates[@]}" <<<"$metadata"
for crate in "${crates[@]}"; do
    needed=(LICENSE-MIT LICENSE-APACHE README.md Cargo.toml)
    # Pattern sets are compiled in: from the package, and not from beside it, so that datasets/patterns has links to it.
    [[ $crate != othello-core ]] || for set in datasets/patterns/*.toml; do needed+=("patterns/${set##*/}"); done
    files=$(cargo package --locked --allow-dirty --list --quiet --package "$crate")
    for file in "${needed[@]}"; do
        grep -qx "$file" <<<"$files" || { echo "$crate: $file is not in the package" >&2 && exit 1; }
    done
    echo "$crate: $(wc -l <<<"$files") files"
done
[[ ${1-} != --list ]] || exit 0

# There are no weights in a package, so that programs are built without.
OTHELLO_WEIGHTS=none cargo package --locked --allow-dirty "${selected[@]}"
folder=$(sed -E 's/.*"target_directory":"([^"]*)".*/\1/' <<<"$metadata")
large=$(find "$folder/package" -name "*.crate" -size +10485760c)
[[ -z $large ]] || { echo "$large: more bytes than crates.io takes" >&2 && exit 1; }
