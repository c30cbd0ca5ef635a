#!/usr/bin/env bash
# Measures stores: size, reading, lookup. Options are passed to stores.py, which describes the method.
#
#   Benchmarks/store/run.sh [--check] [--marked cn-marked.json]
#
#   CDPIPE=FILE   the program (default: .build/release/cdpipe)
#
# PYTHONPATH=$(scripts/python-packages.sh --bench) enables measuring Roaring bitmaps, too.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

cdpipe=${CDPIPE:-$PWD/.build/release/cdpipe}
if ! "$cdpipe" --version >/dev/null 2>&1; then
  echo "run.sh: '$cdpipe' does not run" >&2
  echo "  hint: build it with \`make build\`, or set CDPIPE=FILE" >&2
  exit 127
fi
swift build -c release --package-path Benchmarks/store --scratch-path Benchmarks/data/store-rate >&2
python3 Benchmarks/store/stores.py --cdpipe "$cdpipe" --rate Benchmarks/data/store-rate/release/store-rate "$@"
