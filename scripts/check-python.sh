#!/usr/bin/env bash
# Builds the wheel for Python, installs it into a new environment, and tests it there: the first example of the
# guide, the tests, the stubs. Takes two minutes, mostly to compile.
#
#   scripts/check-python.sh [--torch] [--library FILE | --wheel FILE] [BINARIES]      default: target/release
#
# --wheel tests an existing wheel (scripts/release.sh makes it), --library a compiled libothello_toolkit.so, in the
# layout of the wheel; neither compiles anything. BINARIES is a folder with othello-engine and othello-trainer.
# --torch also installs PyTorch (3 GB from PyPI, 5 GB unpacked); without it, the test that trains a model is skipped
# unless PYTHON has PyTorch. The exit status is 3 if PyPI cannot be reached.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
packages=(--requirement "$root/trainer/python/tests/requirements.txt")
if [[ ${1-} == --torch ]]; then packages+=(torch) && shift; fi
library='' wheel=''
if [[ ${1-} == --library ]]; then library=$(realpath "$2") && shift 2; fi
if [[ ${1-} == --wheel ]]; then wheel=$(realpath "$2") && shift 2; fi
OTHELLO_PROGRAMS=$(cd "${1:-$root/target/release}" && pwd)
export OTHELLO_PROGRAMS
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT

"${PYTHON:-python3}" -m venv --system-site-packages "$folder/python" &&
    "$folder/python/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}" ||
    { echo "Python's packages could not be installed" >&2 && exit 3; }
. "$folder/python/bin/activate"
cd "$root/trainer/python"
if [[ $library ]]; then
    package=$(python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')/othello_toolkit
    mkdir "$package"
    cp "$library" "$package/othello_toolkit.abi3.so"
    cp othello_toolkit.pyi "$package/__init__.pyi"
    touch "$package/py.typed"
    printf '%s\n' 'from .othello_toolkit import *' '__doc__ = othello_toolkit.__doc__' \
        '__all__ = othello_toolkit.__all__' >"$package/__init__.py"
elif [[ $wheel ]]; then
    pip install --quiet --disable-pip-version-check --no-deps "$wheel"
    pip show --files othello_toolkit | grep /LICENSE-THIRD-PARTY >/dev/null ||
        { echo "$wheel: has no licences of what it links" >&2 && exit 1; }
else
    maturin build --quiet --profile "${PROFILE:-quick}" --out "$folder"
    pip install --quiet --disable-pip-version-check --no-deps "$folder"/othello_toolkit-*-abi3-*.whl
fi

# The wheel has both programs; the layout of --library has none.
[[ $library ]] || { othello-engine perft 3 && othello-trainer doctor; } >/dev/null

sed -n '/^```python$/,/^```$/{/^```/!p; /^```$/q}' README.md >"$folder/first.py"
python "$folder/first.py"
python -m pytest -q -rs -p no:cacheprovider
# The package is a module inside a module of the same name.
python -m mypy.stubtest othello_toolkit --allowlist <(echo othello_toolkit.othello_toolkit)
