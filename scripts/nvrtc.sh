#!/usr/bin/env bash
# Gets NVRTC from PyPI into FOLDER (default: target/nvrtc) and prints what to put into the environment, so
# that tests compile the CUDA kernels on a machine without CUDA:
#
#   eval "$(scripts/nvrtc.sh)"             NVRTC alone, 23 MB
#   eval "$(scripts/nvrtc.sh --ptxas)"     and ptxas, which lists registers and spills
#
# 12.0 writes PTX that every driver for CUDA 12 accepts. Prints nothing, and says so, where PyPI cannot be reached.
set -euo pipefail
cd "$(dirname "$0")/.."
version=12.0.140 ptxas=
if [ "${1:-}" = --ptxas ]; then ptxas=yes; shift; fi
folder=$(mkdir -p "${1:-target/nvrtc}" && cd "${1:-target/nvrtc}" && pwd)

get() {
    [ -d "$folder/nvidia/$1" ] && return
    # pip does not add to a folder that is there: each package goes to one of its own first.
    local fresh; fresh=$(mktemp -d "$folder/fresh.XXXXXX")
    if python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-deps --target "$fresh" "$2==$version" >&2; then
        mkdir -p "$folder/nvidia" && mv "$fresh/nvidia/$1" "$folder/nvidia/$1"
        rm -rf "$fresh"
    else
        rm -rf "$fresh"
        return 1
    fi
}

if ! get cuda_nvrtc nvidia-cuda-nvrtc-cu12; then
    echo "nvrtc.sh: PyPI gives no NVRTC; tests that need it say 'skipped'" >&2
    exit 0
fi
echo "export LD_LIBRARY_PATH='$folder/nvidia/cuda_nvrtc/lib'\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}"
if [ -n "$ptxas" ] && get cuda_nvcc nvidia-cuda-nvcc-cu12; then
    echo "export OTHELLO_PTXAS='$folder/nvidia/cuda_nvcc/bin/ptxas'"
fi
