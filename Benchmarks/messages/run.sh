#!/usr/bin/env bash
# How fast message rules answer, and what opening them takes: 10,000 made-up keywords, messages of 160 characters, one core.
# measure.py says how; its options go behind.
#
#   Benchmarks/messages/run.sh [--keywords N] [--messages N] [--check]
#
#   CDPIPE=FILE   the program, .build/release/cdpipe unless told otherwise
#
# Build first: make build, and swift build -c release --product message-rate.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

cdpipe=${CDPIPE:-$PWD/.build/release/cdpipe}
rate=$PWD/.build/release/message-rate
for program in "$cdpipe" "$rate"; do
  [[ -x $program ]] && continue
  echo "run.sh: '$program' is not there" >&2
  echo "  hint: \`make build-bench\` makes it" >&2
  exit 127
done
python3 Benchmarks/messages/measure.py "$rate" "$cdpipe" "$@"
