#!/usr/bin/env bash
# Runs a benchmark's measure.py with the release program. The run.sh of each such benchmark calls it.
#
#   Benchmarks/measure.sh FOLDER [options of FOLDER/measure.py]
#
#   CDPIPE=FILE   the program (default: .build/release/cdpipe)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cdpipe=${CDPIPE:-$PWD/.build/release/cdpipe}
if ! "$cdpipe" --version >/dev/null 2>&1; then
  echo "run.sh: '$cdpipe' does not run" >&2
  echo "  hint: build it with \`make build\`, or set CDPIPE=FILE" >&2
  exit 127
fi
exec python3 "Benchmarks/$1/measure.py" --cdpipe "$cdpipe" "${@:2}"
