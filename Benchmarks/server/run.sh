#!/usr/bin/env bash
# Loads cdpipe-server with message queries on loopback while its rules are replaced. Options are passed to measure.py,
# which describes the method.
#
#   Benchmarks/server/run.sh [--seconds 60] [--connections 64] [--check]
#
#   CDPIPE=FILE          the program (default: .build/release/cdpipe)
#   CDPIPE_SERVER=FILE   the server (default: Server/.build/release/cdpipe-server)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

cdpipe=${CDPIPE:-$PWD/.build/release/cdpipe}
server=${CDPIPE_SERVER:-$PWD/Server/.build/release/cdpipe-server}
for program in "$cdpipe" "$server"; do
  "$program" --help >/dev/null 2>&1 && continue
  echo "run.sh: '$program' does not run" >&2
  echo "  hint: build both with \`make build server\`" >&2
  exit 127
done
command -v wrk >/dev/null || {
  echo "run.sh: wrk is missing" >&2
  echo "  hint: install it with scripts/system-packages.sh --bench" >&2
  exit 127
}
python3 Benchmarks/server/measure.py --cdpipe "$cdpipe" --server "$server" "$@"
