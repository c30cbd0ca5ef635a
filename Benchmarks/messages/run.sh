#!/usr/bin/env bash
# How fast message rules answer: 10,000 made-up keywords, messages of 160 characters, one core.
#
#   Benchmarks/messages/run.sh [KEYWORDS [MESSAGES]]
#
# Build first: swift build -c release --product message-rate. Prints what message-rate prints.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
"$root/.build/release/message-rate" "${1:-10000}" "${2:-500000}"
