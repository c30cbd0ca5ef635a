#!/usr/bin/env bash
# Measures the formats that `cdpipe emit` writes, and how fast `cdpipe parse` reads them back. Options are passed to
# measure.py, which describes the method.
#
#   Benchmarks/formats/run.sh [--check] [--rows N] [--runs N]
#
#   CDPIPE=FILE   the program (default: .build/release/cdpipe)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

cdpipe=${CDPIPE:-$PWD/.build/release/cdpipe}
if ! "$cdpipe" --version >/dev/null 2>&1; then
  echo "run.sh: '$cdpipe' does not run" >&2
  echo "  hint: build it with \`make build\`, or set CDPIPE=FILE" >&2
  exit 127
fi
exec python3 Benchmarks/formats/measure.py --cdpipe "$cdpipe" "$@"
