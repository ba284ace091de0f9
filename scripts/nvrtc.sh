#!/usr/bin/env bash
# Gets NVRTC from PyPI into FOLDER (default: target/nvrtc) and prints what to put into the environment, so
# that tests compile the CUDA kernels on a machine without CUDA:
#
#   eval "$(scripts/nvrtc.sh [FOLDER])"             NVRTC alone, 23 MB
#   eval "$(scripts/nvrtc.sh --ptxas [FOLDER])"     and ptxas, which lists registers and spills
#
# 12.0 writes PTX that every driver for CUDA 12 accepts. Prints nothing, and says so, where PyPI cannot be reached.
set -euo pipefail
cd "$(dirname "$0")/.."
programs=(nvrtc)
[[ ${1-} != --ptxas ]] || { programs+=(nvcc) && shift; }
folder=$(realpath -m "${1:-target/nvrtc}")
for program in "${programs[@]}"; do
    [[ -d $folder/$program ]] || python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore \
        --no-deps --target "$folder/$program" "nvidia-cuda-$program-cu12==12.0.140" >&2 ||
        { echo "nvrtc.sh: PyPI gives no $program; tests that need it say 'skipped'" >&2 && continue; }
    case $program in
    nvrtc) echo "export LD_LIBRARY_PATH='$folder/nvrtc/nvidia/cuda_nvrtc/lib'\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}" ;;
    nvcc) echo "export OTHELLO_PTXAS='$folder/nvcc/nvidia/cuda_nvcc/bin/ptxas'" ;;
    esac
done
