#!/usr/bin/env bash
# Compares cdpipe with other programs on generated rows. `make bench` builds the program and runs this script.
#
#   Benchmarks/run.sh [--check] [--write]
#
#   PARTS="filters …"  parts of compare.py (default: filters databases labels sort start sweep)
#   ROWS=10000000      how many rows
#   RUNS=5             how many times each way
#   SET="K=V …"        values of rows.yaml to override, such as another memory
#   BEFORE=FILE        an earlier build, for PARTS=builds: the same work by both, alternating
#   CDPIPE=FILE        the program (default: .build/release/cdpipe)
#
# --check exits with 1 if a bar is missed; --write writes the figures to docs/design/benchmarks.md. Only the tables are
# written to standard output. The databases are installed from PyPI when a part needs them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cdpipe=${CDPIPE:-$PWD/.build/release/cdpipe}
read -ra parts <<<"${PARTS:-filters databases labels sort start sweep}"

if ! "$cdpipe" --version >/dev/null 2>&1; then
  echo "run.sh: '$cdpipe' does not run" >&2
  echo "  hint: build it with \`make build\`, or set CDPIPE=FILE" >&2
  exit 127
fi

if [[ " ${parts[*]} " =~ \ (databases|labels)\  ]]; then
  PYTHONPATH=$(scripts/python-packages.sh --bench)
  export PYTHONPATH
fi

overrides=()
if [[ -n ${BEFORE:-} ]]; then overrides+=(--before "$BEFORE"); fi
for pair in ${SET:-}; do overrides+=(--set "$pair"); done

exec python3 Benchmarks/compare.py --cdpipe "$cdpipe" --rows "${ROWS:-10000000}" --runs "${RUNS:-5}" \
  "${overrides[@]}" "$@" "${parts[@]}"
