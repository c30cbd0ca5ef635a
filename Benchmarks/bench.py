#!/usr/bin/env python3
"""Measures cdpipe against other programs, part by part, and adds each part's results to a file.

    Benchmarks/run.sh [--smoke] [--check] [--results FILE] [PART…]
    Benchmarks/run.sh --compare [--results FILE]

Run it by run.sh, which checks the programs and installs the databases. Each part prints its tables. --check exits with 1 if a
bar is missed or a part needs more than ten minutes. --smoke runs every part with tiny inputs, leaves out the programs that are
not installed, and keeps no results: it only shows that the benchmarks work. --compare measures nothing: it compares the ratios
to peers with the committed ones, and exits with 1 if one is worse by more than the tolerance.
"""

import argparse
import importlib
import os
import sys
import time

import page
import results
from measuring import DATA, note

PARTS = {
    "filters": "filters", "databases": "against_databases", "labels": "against_databases", "sort": "sorting",
    "sources": "sources", "start": "start", "size": "size", "numbers": "number_parsing", "parse": "json_parsing",
    "votes": "votes", "stores": "stores", "stats": "stats", "formats": "formats", "messages": "messages", "server": "server",
}
"""The parts, and the modules that measure them. `builds` compares with an earlier build, so it is not one of them."""

SECONDS_MAX = 600
"""The maximum time of a part, with the making of its inputs."""


def measure(name, options):
    module = importlib.import_module(PARTS.get(name, name))
    return module.measure(name, options)


def compare(file):
    """Prints the comparison with the committed results, and returns the exit status."""
    new, old = results.load(file), results.load(results.COMMITTED)
    if new is None or old is None:
        sys.exit(f"bench.py: there are no results in {file if new is None else results.COMMITTED}")
    compared = results.regressions(new, old)
    for line, is_worse in compared:
        print(f"{line}{': WORSE' if is_worse else ''}")
    if not compared:
        sys.exit("bench.py: no part has the same settings in both")
    print(f"Tolerance: {results.TOLERANCE:.0%}.")
    return 1 if any(is_worse for _, is_worse in compared) else 0


def main():
    parser = argparse.ArgumentParser(description="Measures cdpipe against other programs.")
    parser.add_argument("--cdpipe", required=True)
    parser.add_argument("--before", metavar="FILE", help="an earlier build, for the part builds")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--set", action="append", default=[], metavar="K=V", help="overrides a value of rows.yaml")
    parser.add_argument("--smoke", action="store_true", help="tiny inputs, no results")
    parser.add_argument("--check", action="store_true", help="exit 1 when a bar is missed")
    parser.add_argument("--compare", action="store_true", help="compare with the committed results")
    parser.add_argument("--results", default=".build/benchmarks.json", metavar="FILE", help="the results (%(default)s)")
    parser.add_argument("parts", nargs="*", default=[], help=f"{' '.join(PARTS)} (default: all), builds")
    options = parser.parse_args()
    if options.compare:
        return compare(options.results)
    options.cdpipe = os.path.abspath(options.cdpipe)
    if options.smoke:
        options.rows, options.runs = 2000, 1
    unknown = [part for part in options.parts if part not in PARTS and part != "builds"]
    if unknown or options.runs < 1:
        parser.error(f"'{unknown[0]}' is not a part; the parts are {', '.join(PARTS)}" if unknown else "--runs must be at least 1")
    DATA.mkdir(exist_ok=True)
    machine = {} if options.smoke else results.machine(options.cdpipe)
    is_fine = True
    measured = 0
    for name in options.parts or list(PARTS):
        started = time.monotonic()
        part = measure(name, options)
        seconds = time.monotonic() - started
        if part is None:
            continue
        measured += 1
        print(f"### {name}\n\n{page.text(part.fields(seconds))}\n", flush=True)
        is_fine = is_fine and part.agrees
        if options.check:
            is_fine = is_fine and all(map(results.is_met, part.figures)) and seconds <= SECONDS_MAX
        if seconds > SECONDS_MAX:
            note(f"{name} took {seconds:.0f} s, more than {SECONDS_MAX}")
        if not options.smoke and name in PARTS:
            results.add(options.results, part, seconds, machine)
    if is_fine and options.smoke:
        note(f"passed: {measured} benchmarks with tiny inputs")
    return 0 if is_fine else 1


if __name__ == "__main__":
    sys.exit(main())
