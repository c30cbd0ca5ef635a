#!/usr/bin/env bash
# Fetches what the comparisons need from PyPI into .build/python-packages, and prints that folder's name.
#
#   PYTHONPATH=$(scripts/python-packages.sh [--bench]) python3 …
#
# phonenumbers is libphonenumber's port to Python, with the same metadata as our tables: the oracle for numbers. Move
# its version together with theirs (Sources/Tools/generate-number-plan/README.md). --bench is for the databases that the
# benchmarks compare with, and the bitmap they compare stores with, some 300 MB, in a folder of their own.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case ${1:-} in
  "")
    packages=(phonenumbers==9.0.35)
    folder=$PWD/.build/python-packages
    ;;
  --bench)
    packages=(duckdb==2.0.0 chdb==4.4.0 polars==2.1.0 pyarrow==26.0.1 pyroaring==1.2.0)
    folder=$PWD/.build/python-packages-bench
    ;;
  *)
    echo "usage: scripts/python-packages.sh [--bench]" >&2
    exit 64
    ;;
esac
mark=$folder/$(IFS=,; echo "${packages[*]}").installed

if [[ ! -e $mark ]]; then
  rm -rf "$folder"
  mkdir -p "$folder"
  if ! python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
    --target "$folder" "${packages[@]}" >&2; then
    echo "python-packages.sh: cannot fetch ${packages[*]} from PyPI" >&2
    echo "  hint: pip install --target '$folder' ${packages[*]}, where the network is, then touch '$mark'" >&2
    exit 1
  fi
  touch "$mark"
fi
echo "$folder"
