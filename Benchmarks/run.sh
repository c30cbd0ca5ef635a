#!/usr/bin/env bash
# Measures cdpipe against awk | sort on seed-shaped JSON rows. `make bench` builds the program and calls it.
#
#   Benchmarks/run.sh [--check] [--write]
#
#   ROWS=10000000   how many rows
#   RUNS=5          how many times each way
#   SET="K=V …"     values of rows.yaml to override, such as another memory
#   CDPIPE=FILE     the program, .build/release/cdpipe unless told otherwise
#   PARTS="…"       then also compare.py's parts: databases labels sort sweep. The databases are those that Python
#                   finds (PYTHONPATH): PYTHONPATH=$(scripts/python-packages.sh --bench)
#
# --check exits 1 when a bar is missed; --write writes docs/benchmarks.md too. The table is all that comes on
# standard output.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

rows=${ROWS:-10000000}
runs=${RUNS:-5}
cdpipe=${CDPIPE:-$PWD/.build/release/cdpipe}
data=Benchmarks/data
input=$data/rows-$rows.json

if ! "$cdpipe" --version >/dev/null 2>&1; then
  echo "run.sh: '$cdpipe' does not run" >&2
  echo "  hint: \`make build\` makes it, or CDPIPE=FILE names another" >&2
  exit 127
fi

mkdir -p "$data"
if [[ ! -f $input ]]; then
  echo "Making $rows rows in $input" >&2
  python3 Benchmarks/make_rows.py --rows "$rows" "$input"
fi

overrides=()
for pair in ${SET:-}; do overrides+=(--set "$pair"); done

python3 Benchmarks/measure.py --cdpipe "$cdpipe" --input "$input" --runs "$runs" "${overrides[@]}" "$@"
if [[ -n ${PARTS:-} ]]; then
  read -ra parts <<<"$PARTS"
  python3 Benchmarks/compare.py --cdpipe "$cdpipe" --rows "$rows" --runs "$runs" "${parts[@]}"
fi
