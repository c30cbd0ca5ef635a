#!/usr/bin/env bash
# Measures the formats that `cdpipe emit` writes, and how fast `cdpipe parse` reads them back. Options are passed to
# measure.py, which describes the method.
#
#   Benchmarks/formats/run.sh [--check] [--rows N] [--runs N]
#
#   CDPIPE=FILE   the program (default: .build/release/cdpipe)
exec "$(dirname "${BASH_SOURCE[0]}")/../measure.sh" formats "$@"
