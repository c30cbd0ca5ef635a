#!/usr/bin/env python3
"""Measures cdpipe against the databases and GNU sort, in turns, and prints tables; also how it grows with size.

    PYTHONPATH=$(scripts/python-packages.sh --bench) Benchmarks/compare.py --cdpipe FILE PART…

Parts: databases (5 labels), labels (a label for each row), sort (`sort` alone on text, both kinds of labels), sweep
(1 to 100 million rows; --sizes). measure.py compares the five filters with awk | sort. Each round runs every way
once, and a ratio compares two runs of one round. Outputs are checked to be the same numbers.
"""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

import databases
from measure import DATA, HERE, measure, mebibytes, note, read_once, spread, verdict

MEMORY_BAR = 96.0
"""No process of ours above so many MiB."""
BARS = {"databases": 5.0, "labels": 2.0, "sort, few labels": 6.0, "sort, all labels different": 3.0}
"""At least so many times faster than the fastest other way."""
SWEEP_BAR = 1.25
"""Time per row at any size, at most so many times that at 10 million."""


def made(rows, distinct):
    """The file of so many rows."""
    file = DATA / f"rows-{rows}{'-labels' if distinct else ''}.json"
    DATA.mkdir(exist_ok=True)
    if not file.exists():
        note(f"making {file.name}")
        command = [sys.executable, str(HERE / "make_rows.py"), "--rows", str(rows), str(file)]
        subprocess.run(command + (["--distinct-labels"] if distinct else []), check=True)
    read_once(file)
    return file


def run_commands(cdpipe, source, output, *settings):
    values = [f"path={source}", f"emit.path={output}", *settings]
    sets = [part for value in values for part in ("--set", value)]
    return [("run", [cdpipe, "run", str(HERE / "rows.yaml"), "--quiet"] + sets)]


def database_commands(way, source):
    return [(way, [sys.executable, str(HERE / "databases.py"), way, str(source), str(DATA / "peer.parquet")])]


def fastest_forms(source, environment):
    """The fastest form of each database that is installed, by one run each."""
    forms = []
    for name, known in databases.FORMS.items():
        if databases.version(name) is None:
            note(f"{name} is not installed: left out")
            continue
        times = {form: measure(name, database_commands(f"{name}/{form}", source), None, environment).seconds
                 for form in known}
        best = min(times, key=times.get)
        note(f"{name}: " + ", ".join(f"{form} {seconds:.2f} s" for form, seconds in times.items()))
        forms.append(f"{name}/{best}")
    return forms


def same_as_stores(cdpipe, stores):
    """Whether the stores' numbers are those of the Parquet file."""
    script = ('set -o pipefail; out=$1; shift; cmp -s <("$1" cat "${@:4}" | cut -f1) '
              '<("$2" "$3" numbers "$out")')
    shards = sorted(str(file) for file in stores.glob("*.cdstore"))
    return subprocess.run(
        ["bash", "-c", script, "cmp", str(DATA / "peer.parquet"), cdpipe, sys.executable, str(HERE / "databases.py")] + shards
    ).returncode == 0


def rounds(ways, count, environment, before):
    """`count` runs of each way, (name, commands, output file), in turns; who goes first changes."""
    results = {name: [] for name, _, _ in ways}
    for number in range(count):
        first = number % len(ways)
        for name, commands, output in ways[first:] + ways[:first]:
            before()
            os.sync()
            results[name].append(measure(name, commands, output, environment))
            note(f"round {number + 1}: {name} {results[name][-1].seconds:.2f} s")
    return results


def table(title, ours, results, bar):
    """A table of one part; the others' ratios are how many times ours is faster. Returns it and whether bars are met."""
    lines = [f"### {title}", "", "| way | wall s, median (min–max) | ours is faster by | peak MiB |", "|---|---|---|---|"]
    least = None
    for name, runs in results.items():
        peak = max(peak for run in runs for _, peak in run.peaks)
        ratios = [other.seconds / own.seconds for other, own in zip(runs, results[ours])]
        if name != ours:
            least = min(statistics.median(ratios), least or float("inf"))
        shown = spread(ratios) if name != ours else ""
        lines.append(f"| {name} | {spread([run.seconds for run in runs])} | {shown} | {mebibytes(peak, 0)} |")
    peak = max(peak for run in results[ours] for _, peak in run.peaks)
    met = least is not None and least >= bar and peak <= MEMORY_BAR
    lines += ["", f"Bars: ≥ {bar:g} × {verdict(least is not None and least >= bar)}, "
              f"≤ {MEMORY_BAR:g} MiB {verdict(peak <= MEMORY_BAR)}."]
    return "\n".join(lines), met


def against_databases(part, arguments, environment):
    source = made(arguments.rows, part == "labels")
    stores = DATA / "stores"
    ways = [("cdpipe run", run_commands(arguments.cdpipe, source, stores), None)]
    ways += [(way, database_commands(way, source), None) for way in fastest_forms(source, environment)]

    def before():
        shutil.rmtree(stores, ignore_errors=True)

    results = rounds(ways, arguments.runs, environment, before)
    before()
    measure("cdpipe run", ways[0][1], None, environment)
    same = len(ways) == 1 or same_as_stores(arguments.cdpipe, stores)
    before()
    text, met = table(f"{part}: {source.name}", "cdpipe run", results, BARS[part])
    return text + ("\n\nSame numbers." if same else "\n\nDIFFERENT numbers."), met and same


def against_sort(arguments, environment):
    texts, met = [], True
    for title, distinct in (("sort, few labels", False), ("sort, all labels different", True)):
        source = made(arguments.rows, distinct)
        records = DATA / "records.tsv"
        with open(records, "wb") as file:
            parse = subprocess.Popen([arguments.cdpipe, "parse", str(source)], stdout=subprocess.PIPE)
            subprocess.run([arguments.cdpipe, "normalize", "--region", "CN"], stdin=parse.stdout, stdout=file, check=True)
        read_once(records)
        ours, theirs = DATA / "ours.tsv", DATA / "theirs.tsv"
        gnu = ["sort", "-n", "-s", "-k1,1", "-S", "64M", "--parallel=2", str(records)]
        ways = [("cdpipe sort", [("sort", [arguments.cdpipe, "sort", str(records)])], ours),
                ("GNU sort", [("sort", gnu)], theirs)]
        results = rounds(ways, arguments.runs, environment, lambda: None)
        same = subprocess.run(["cmp", "-s", str(ours), str(theirs)]).returncode == 0
        text, ok = table(title, "cdpipe sort", results, BARS[title])
        texts.append(text + ("\n\nSame bytes." if same else "\n\nDIFFERENT bytes."))
        met = met and ok and same
        for file in (records, ours, theirs):
            file.unlink()
    return "\n\n".join(texts), met


def sweep(arguments, environment):
    lines = ["### Sizes", "", "| rows | memory | wall s | ns a row | against 10,000,000 | peak MiB | met |", "|---|---|---|---|---|---|---|"]
    base, met = None, True
    cases = [(rows, "64MiB") for rows in arguments.sizes] + [(arguments.sizes[-1], size) for size in ("16MiB", "1GiB")]
    for rows, memory in sorted(cases, key=lambda case: case != (10_000_000, "64MiB")):
        source = made(rows, False)
        runs = []
        for _ in range(arguments.runs):
            shutil.rmtree(DATA / "stores", ignore_errors=True)
            commands = run_commands(arguments.cdpipe, source, DATA / "stores", f"sort.memory={memory}")
            runs.append(measure("cdpipe run", commands, None, environment))
        seconds = statistics.median(run.seconds for run in runs)
        each = seconds / rows * 1e9
        base = base or each
        peak = max(run.peaks[0][1] for run in runs)
        ok = memory != "64MiB" or (each <= base * SWEEP_BAR and peak <= MEMORY_BAR)
        met = met and ok
        lines.append(f"| {rows:,} | {memory} | {seconds:.2f} | {each:.0f} | {each / base:.2f} | {peak:.0f} | {verdict(ok)} |")
    shutil.rmtree(DATA / "stores", ignore_errors=True)
    return "\n".join(lines), met


def main():
    parser = argparse.ArgumentParser(description="Measures cdpipe against databases and GNU sort.")
    parser.add_argument("--cdpipe", required=True)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",")],
                        default=[1_000_000, 3_000_000, 10_000_000, 30_000_000, 100_000_000])
    parser.add_argument("--check", action="store_true", help="exit 1 when a bar is missed")
    parser.add_argument("parts", nargs="*", default=[], help="databases labels sort sweep; all unless told")
    arguments = parser.parse_args()
    arguments.cdpipe = os.path.abspath(arguments.cdpipe)
    environment = dict(os.environ, LC_ALL="C", TMPDIR=str(DATA))
    all_met = True
    for part in arguments.parts or ["databases", "labels", "sort", "sweep"]:
        if part == "sort":
            text, met = against_sort(arguments, environment)
        elif part == "sweep":
            text, met = sweep(arguments, environment)
        else:
            text, met = against_databases(part, arguments, environment)
        print(text + "\n", flush=True)
        all_met = all_met and met
    if arguments.check and not all_met:
        sys.exit(1)


if __name__ == "__main__":
    main()
