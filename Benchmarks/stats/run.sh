#!/usr/bin/env bash
# Measures `cdpipe stats`: records per second from stores and from text. Options are passed to measure.py, which
# describes the method.
#
#   Benchmarks/stats/run.sh [--check] [--rows N] [--runs N]
#
#   CDPIPE=FILE   the program (default: .build/release/cdpipe)
exec "$(dirname "${BASH_SOURCE[0]}")/../measure.sh" stats "$@"
