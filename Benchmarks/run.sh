#!/usr/bin/env bash
# Measures cdpipe against other programs. `make bench` builds the programs and runs this script; bench.py has the options.
#
#   Benchmarks/run.sh [--smoke] [--check] [--compare] [PART…]
#
#   ROWS=10000000   how many rows
#   RUNS=5          how many rounds
#   SET="K=V …"     values of rows.yaml to override, such as another memory
#   BEFORE=FILE     an earlier build, for the part builds: the same work by both, alternating
#   CDPIPE=FILE     the program (default: .build/release/cdpipe)
#
# Only the tables are written to standard output. The databases are installed from PyPI when they are needed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cdpipe=${CDPIPE:-$PWD/.build/release/cdpipe}
if ! "$cdpipe" --version >/dev/null 2>&1; then
  echo "run.sh: '$cdpipe' does not run" >&2
  echo "  hint: build it with \`make build\`, or set CDPIPE=FILE" >&2
  exit 127
fi

arguments=" $* "
if [[ $arguments == *" --smoke "* || $arguments == *" --compare "* ]]; then
  # Those that happen to be installed.
  PYTHONPATH=$PWD/.build/python-packages-bench
else
  PYTHONPATH=$(scripts/python-packages.sh --bench)
fi
export PYTHONPATH

overrides=()
if [[ -n ${BEFORE:-} ]]; then overrides+=(--before "$BEFORE"); fi
for pair in ${SET:-}; do overrides+=(--set "$pair"); done

exec python3 Benchmarks/bench.py --cdpipe "$cdpipe" --rows "${ROWS:-10000000}" --runs "${RUNS:-5}" "${overrides[@]}" "$@"
