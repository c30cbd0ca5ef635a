#!/usr/bin/env python3
"""Compares cdpipe with alternative programs and databases, and measures how it scales with size.

    PYTHONPATH=$(scripts/python-packages.sh --bench) Benchmarks/compare.py --cdpipe FILE PART…

Parts: builds (an earlier build of cdpipe and this one), filters (the five in a pipe against awk, jq and Miller with
sort), databases (file to store, 5 labels), labels (a distinct label per row), sort (`sort` alone on text, both kinds of
labels), sources (complaints in 587 files and in one), start (programs that have nothing to read), sweep (1 to 100 million rows; --sizes). Each round runs every way
once, and a ratio compares two runs of one round. Outputs are checked to be the same numbers.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys

import builds
import databases
import filters
import page
import sources
import start
from filters import STORES, run_commands
from measuring import (DATA, HERE, MEMORY_BAR, Way, environment, made_rows, mebibytes, note, peaks_by_process, ratios,
                       read_once, rounds, run, spread, verdict)

BARS = {"databases": 5.0, "labels": 2.0, "few labels": 6.0, "all labels different": 3.0}
"""The minimum speed-up over the fastest other program."""
SWEEP_BAR = 1.25
"""The maximum time per row at any size, relative to 10 million rows."""
SPILL_BAR = 0.2
"""The maximum size of the spill files relative to the input."""
PARQUET = DATA / "peer.parquet"


def database_way(form, source):
    return Way(form, [(form, [sys.executable, str(HERE / "databases.py"), form, str(source), str(PARQUET)])])


def fastest_forms(source):
    """Returns the fastest form of each installed database, found by one run each."""
    fastest = []
    for name, known in databases.FORMS.items():
        if databases.version(name) is None:
            note(f"{name} is not installed: left out")
            continue
        times = {form: run(database_way(f"{name}/{form}", source), environment()).seconds for form in known}
        note(f"{name}: " + ", ".join(f"{form} {seconds:.2f} s" for form, seconds in times.items()))
        fastest.append(database_way(f"{name}/{min(times, key=times.get)}", source))
    return fastest


def same_as_stores(cdpipe):
    """Whether the stores contain the same numbers as the Parquet file."""
    script = ('set -o pipefail; out=$1; shift; cmp -s <("$1" cat "${@:4}" | cut -f1) '
              '<("$2" "$3" numbers "$out")')
    shards = sorted(str(file) for file in STORES.glob("*.cdstore"))
    return subprocess.run(
        ["bash", "-c", script, "cmp", str(PARQUET), cdpipe, sys.executable, str(HERE / "databases.py")] + shards
    ).returncode == 0


def table(ours, results, bar):
    """Returns a table that compares the ways, and whether the bars are met. The others' ratios are the speed-up of
    ours."""
    lines = ["| way | wall s, median (min–max) | ours is faster by | peak MiB |", "|---|---|---|---|"]
    least = None
    for name, runs in results.items():
        faster = ratios(results[ours], runs)
        if name != ours:
            least = min(statistics.median(faster), least or float("inf"))
        peak = max(peak for _, peak in peaks_by_process(runs))
        shown = spread(faster) if name != ours else ""
        lines.append(f"| {name} | {spread([one.seconds for one in runs])} | {shown} | {mebibytes(peak)} |")
    peak = max(peak for _, peak in peaks_by_process(results[ours]))
    fast = least is not None and least >= bar
    lines += ["", f"Bars: ≥ {bar:g} × {verdict(fast)}, ≤ {MEMORY_BAR:g} MiB {verdict(peak <= MEMORY_BAR)}."]
    return "\n".join(lines), fast and peak <= MEMORY_BAR


def against_databases(arguments, distinct):
    source = made_rows(arguments.rows, distinct)
    ours = Way("cdpipe run", run_commands(arguments.cdpipe, source, STORES, *arguments.set))
    ways = [ours] + fastest_forms(source)

    def before():
        shutil.rmtree(STORES, ignore_errors=True)

    results = rounds(ways, arguments.runs, environment(), before)
    before()
    run(ours, environment())
    same = len(ways) == 1 or same_as_stores(arguments.cdpipe)
    before()
    PARQUET.unlink(missing_ok=True)
    text, met = table(ours.name, results, BARS["labels" if distinct else "databases"])
    return f"{source.name}, {arguments.runs} rounds.\n\n{text} {agreement(same)}", met, same


def agreement(same):
    return "Same numbers." if same else "DIFFERENT numbers."


def against_sort(arguments):
    texts, all_met, all_same = [], True, True
    for title, distinct in (("few labels", False), ("all labels different", True)):
        source = made_rows(arguments.rows, distinct)
        records, ours, theirs = DATA / "records.tsv", DATA / "ours.tsv", DATA / "theirs.tsv"
        with open(records, "wb") as file:
            parse = subprocess.Popen([arguments.cdpipe, "parse", str(source)], stdout=subprocess.PIPE)
            subprocess.run([arguments.cdpipe, "normalize", "--region", "CN"], stdin=parse.stdout, stdout=file, check=True)
        read_once(records)
        gnu = ["sort", "-n", "-s", "-k1,1", "-S", "64M", "--parallel=2", str(records)]
        ways = [Way("cdpipe sort", [("sort", [arguments.cdpipe, "sort", str(records)])], ours),
                Way("GNU sort", [("sort", gnu)], theirs)]
        results = rounds(ways, arguments.runs, environment())
        same = subprocess.run(["cmp", "-s", str(ours), str(theirs)]).returncode == 0
        text, met = table("cdpipe sort", results, BARS[title])
        texts.append(f"{arguments.rows:,} records, {title}, {arguments.runs} rounds.\n\n{text} {agreement(same)}")
        all_met, all_same = all_met and met, all_same and same
        for file in (records, ours, theirs):
            file.unlink()
    return "\n\n".join(texts), all_met, all_same


def sweep(arguments):
    lines = ["| rows | memory | wall s | ns a row | against 10,000,000 | peak MiB | spills, of the input | bars |",
             "|---|---|---|---|---|---|---|---|"]
    cases = [(rows, "64MiB") for rows in arguments.sizes] + [(arguments.sizes[-1], size) for size in ("16MiB", "1GiB")]
    base, all_met = None, True
    for rows, memory in sorted(cases, key=lambda case: case != (10_000_000, "64MiB")):
        source = made_rows(rows)
        way = Way("cdpipe run", run_commands(arguments.cdpipe, source, STORES, f"sort.memory={memory}"))
        runs = []
        for _ in range(arguments.runs):
            shutil.rmtree(STORES, ignore_errors=True)
            runs.append(run(way, environment(), watch_spills=True))
            note(f"{rows:,} in {memory}: {runs[-1].seconds:.2f} s")
        seconds = statistics.median(one.seconds for one in runs)
        each = seconds / rows * 1e9
        base = base or each
        peak = max(one.peaks[0][1] for one in runs)
        spilled = max(one.spilled for one in runs) / source.stat().st_size
        # With fewer rows, process start dominates; the bar concerns many rows.
        is_slower = rows > 10_000_000 and each > base * SWEEP_BAR
        met = memory != "64MiB" or (not is_slower and peak <= MEMORY_BAR and spilled <= SPILL_BAR)
        all_met = all_met and met
        bars = verdict(met) if memory == "64MiB" else ""
        lines.append(f"| {rows:,} | {memory} | {seconds:.2f} | {each:.0f} | {each / base:.2f} | {peak:.0f} "
                     f"| {spilled:.2f} | {bars} |")
    shutil.rmtree(STORES, ignore_errors=True)
    lines += ["", f"Bars for 64 MiB: with more rows than 10,000,000 a row's time ≤ {SWEEP_BAR:g} × that at 10,000,000; peak ≤ {MEMORY_BAR:g} MiB, "
              f"spill files ≤ {SPILL_BAR:g} of the input. {arguments.runs} runs each."]
    return "\n".join(lines), all_met, True


def starts(arguments):
    text, met = start.compare(arguments.cdpipe, arguments.runs, environment())
    return text, met, True


def against_before(arguments):
    text, met = builds.compare(arguments)
    return text, met, True


PARTS = {
    "builds": against_before,
    "filters": filters.compare,
    "databases": lambda arguments: against_databases(arguments, False),
    "labels": lambda arguments: against_databases(arguments, True),
    "sort": against_sort,
    "sources": sources.compare,
    "start": starts,
    "sweep": sweep,
}


def main():
    parser = argparse.ArgumentParser(description="Compares cdpipe with alternatives.")
    parser.add_argument("--cdpipe", required=True)
    parser.add_argument("--before", metavar="FILE", help="an earlier build, for the part builds")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--set", action="append", default=[], metavar="K=V", help="overrides a value of rows.yaml")
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",")],
                        default=[1_000_000, 3_000_000, 10_000_000, 30_000_000, 100_000_000])
    parser.add_argument("--check", action="store_true", help="exit 1 when a bar is missed")
    parser.add_argument("--write", action="store_true", help="put the figures into docs/design/benchmarks.md")
    parser.add_argument("parts", nargs="*", default=[], help=f"{' '.join(PARTS)} (default: all)")
    arguments = parser.parse_args()
    arguments.cdpipe = os.path.abspath(arguments.cdpipe)
    if arguments.runs < 1:
        parser.error("--runs must be at least 1")
    for part in arguments.parts:
        if part not in PARTS:
            parser.error(f"'{part}' is not a part; the parts are {', '.join(PARTS)}")
    parts = arguments.parts or [part for part in PARTS if part != "builds"]
    if "builds" in parts and arguments.before is None:
        parser.error("the part builds needs --before FILE, an earlier build")
    DATA.mkdir(exist_ok=True)
    fine = True
    for part in parts:
        text, met, same = PARTS[part](arguments)
        print(f"### {part}\n\n{text}\n", flush=True)
        if arguments.write:
            page.write(part, text)
        fine = fine and same and (met or not arguments.check)
    if arguments.write:
        versions = [(name, databases.version(name) or "not installed") for name in databases.FORMS]
        page.write("machine", page.machine(arguments.cdpipe, versions))
    if not fine:
        sys.exit(1)


if __name__ == "__main__":
    main()
