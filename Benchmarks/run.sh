#!/usr/bin/env bash
# Measures cdpipe against what one would take instead, on made-up rows. `make bench` builds the program and calls it.
#
#   Benchmarks/run.sh [--check] [--write]
#
#   PARTS="filters …"  compare.py's parts: filters databases labels sort start sweep; all unless told otherwise
#   ROWS=10000000      how many rows
#   RUNS=5             how many times each way
#   SET="K=V …"        values of rows.yaml to override, such as another memory
#   CDPIPE=FILE        the program, .build/release/cdpipe unless told otherwise
#
# --check exits 1 when a bar is missed; --write puts the figures into docs/design/benchmarks.md. The tables are all that comes
# on standard output. The databases come from PyPI when a part needs them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cdpipe=${CDPIPE:-$PWD/.build/release/cdpipe}
read -ra parts <<<"${PARTS:-filters databases labels sort start sweep}"

if ! "$cdpipe" --version >/dev/null 2>&1; then
  echo "run.sh: '$cdpipe' does not run" >&2
  echo "  hint: \`make build\` makes it, or CDPIPE=FILE names another" >&2
  exit 127
fi

if [[ " ${parts[*]} " =~ \ (databases|labels)\  ]]; then
  PYTHONPATH=$(scripts/python-packages.sh --bench)
  export PYTHONPATH
fi

overrides=()
for pair in ${SET:-}; do overrides+=(--set "$pair"); done

exec python3 Benchmarks/compare.py --cdpipe "$cdpipe" --rows "${ROWS:-10000000}" --runs "${RUNS:-5}" \
  "${overrides[@]}" "$@" "${parts[@]}"
