#!/usr/bin/env bash
# Installs packages from PyPI in a folder below .build and prints the folder's path.
#
#   PYTHONPATH=$(scripts/python-packages.sh [--bench | --darwin | --learn | --lint | --report | --spark]) python3 …
#
# By default it installs phonenumbers, libphonenumber's Python port with the same metadata as our tables: the oracle for
# numbers. Update its version together with the tables (Sources/Tools/generate-number-plan/README.md). And vobject, which
# reads the vCards that we write. --bench installs the databases and the bitmaps that the benchmarks compare with, about
# 300 MB. --darwin installs ziglang, 100 MB, for Apple's open headers. --learn installs scikit-learn, the oracle for
# evaluations, 275 MB. --lint installs ruff, --report axe-core, which checks that pages are accessible, --spark Apache
# Spark, which has 300 MB and needs Java 17.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case ${1:-} in
  "")
    packages=(phonenumbers==9.0.35 vobject==0.9.9)
    folder=$PWD/.build/python-packages
    ;;
  --bench)
    packages=(duckdb==2.0.0 chdb==4.4.0 polars==2.1.0 pyarrow==26.0.1 pyroaring==1.2.0)
    folder=$PWD/.build/python-packages-bench
    ;;
  --darwin)
    packages=(ziglang==0.17.1)
    folder=$PWD/.build/python-packages-darwin
    ;;
  --learn)
    packages=(scikit-learn==1.9.1)
    folder=$PWD/.build/python-packages-learn
    ;;
  --lint)
    packages=(ruff==0.17.6)
    folder=$PWD/.build/python-packages-lint
    ;;
  --report)
    packages=(axe-core-python==0.1.0)
    folder=$PWD/.build/python-packages-report
    ;;
  --spark)
    packages=(pyspark==3.5.9)
    folder=$PWD/.build/python-packages-spark
    ;;
  *)
    echo "usage: scripts/python-packages.sh [--bench | --darwin | --learn | --lint | --report | --spark]" >&2
    exit 64
    ;;
esac
mark=$folder/$(IFS=,; echo "${packages[*]}").installed

if [[ ! -e $mark ]]; then
  rm -rf "$folder"
  mkdir -p "$folder"
  # Where it succeeds, pip may still print errors about packages that are not ours.
  if ! output=$(python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
    --target "$folder" "${packages[@]}" 2>&1); then
    echo "$output" >&2
    echo "python-packages.sh: cannot fetch ${packages[*]} from PyPI" >&2
    echo "  hint: pip install --target '$folder' ${packages[*]}, where the network is, then touch '$mark'" >&2
    exit 1
  fi
  # Nothing runs its compiler, which has 400 MB.
  if [[ ${1:-} == --darwin ]]; then find "$folder/ziglang" -type f -not -path '*/any-darwin-any/*' -delete; fi
  touch "$mark"
fi
echo "$folder"
