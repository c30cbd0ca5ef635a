#!/usr/bin/env bash
# Measures classifying messages and opening rules: 10,000 generated keywords, messages of 160 characters, one core.
# Options are passed to measure.py, which describes the method.
#
#   Benchmarks/messages/run.sh [--keywords N] [--messages N] [--check]
#
#   CDPIPE=FILE   the program (default: .build/release/cdpipe)
#
# Build first: make build, and swift build --traits Tool -c release --product message-rate.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

cdpipe=${CDPIPE:-$PWD/.build/release/cdpipe}
rate=$PWD/.build/release/message-rate
for program in "$cdpipe" "$rate"; do
  [[ -x $program ]] && continue
  echo "run.sh: '$program' is missing" >&2
  echo "  hint: build it with \`make build-bench\`" >&2
  exit 127
done
python3 Benchmarks/messages/measure.py "$rate" "$cdpipe" "$@"
