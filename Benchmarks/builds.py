"""Compares two builds of cdpipe in the part `builds` of compare.py: the same work by both, alternating in one run.

A change that moves code must not make any of it slower. The rounds alternate which build goes first. A row's ratio is
the median over the rounds of the new build's time divided by the earlier build's in the same round.
"""

import os
import shutil
import statistics
import subprocess

import start
from filters import STORES, our_pipe, run_commands
from measuring import DATA, Way, environment, made_rows, mebibytes, note, peaks_by_process, read_once, rounds, verdict

SLOWER_BAR = 1.03
"""The new build's time divided by the earlier build's, at most."""

LABELS = {"few labels": False, "distinct labels": True}
FOLDER = DATA / "builds"


def made(cdpipe, name, *commands):
    """A file in the folder of inputs, written by a pipe of cdpipe's commands."""
    file = FOLDER / name
    script = " | ".join(f'"$0" {command}' for command in commands)
    subprocess.run(["bash", "-c", f"set -o pipefail; {script} >'{file}'", cdpipe], check=True)
    read_once(file)
    return str(file)


def inputs(cdpipe, rows):
    """The input of each filter, for both kinds of labels, and stores of them. The earlier build writes them."""
    result = {}
    for kind, distinct in LABELS.items():
        source = made_rows(rows, distinct)
        name = kind.split()[0]
        raw = made(cdpipe, f"{name}-raw.tsv", f"parse '{source}'")
        records = made(cdpipe, f"{name}-records.tsv", f"normalize --region CN '{raw}'")
        ordered = made(cdpipe, f"{name}-sorted.tsv", f"sort '{records}'")
        unique = made(cdpipe, f"{name}-unique.tsv", f"dedupe '{ordered}'")
        store = str(FOLDER / f"{name}.cdstore")
        first = made(cdpipe, f"{name}-first.tsv", f"union '{unique}'", "dedupe --limit 1900000")
        subprocess.run([cdpipe, "emit", "--quiet", "-o", store, first], check=True)
        result[kind] = (str(source), raw, records, ordered, unique, first, store)
    return result


def cases(arguments):
    """Each row's name, and how a program does it: a list of the (name, arguments) of its pipe."""
    prepared = inputs(arguments.before, arguments.rows)
    for kind, (source, raw, records, ordered, unique, first, store) in prepared.items():
        single = {
            "parse": ["parse", source],
            "normalize": ["normalize", "--region", "CN", raw],
            "sort": ["sort", records],
            "dedupe": ["dedupe", ordered],
            "emit, text": ["emit", "--format", "tsv", unique],
            "emit, a store": ["emit", "-o", str(FOLDER / "out.cdstore"), first],
            "union": ["union", unique, first],
            "subtract": ["subtract", unique, first],
            "cat": ["cat", store],
            "verify": ["verify", store],
            "simulate": ["simulate", store],
        }
        yield f"run, {kind}", lambda program, source=source: run_commands(program, source, STORES)
        for name, words in single.items():
            yield f"{name}, {kind}", lambda program, name=name, words=words: [(name, [program, *words])]
    source = prepared["few labels"][0]
    yield "five filters", lambda program: our_pipe(program, source)
    largest = made_rows(max(arguments.sizes))
    yield f"run, {max(arguments.sizes):,} rows", lambda program: run_commands(program, largest, STORES)
    yield "run, 16 MiB", lambda program: run_commands(program, source, STORES, "sort.memory=16MiB")


def compare(arguments):
    """The table, and whether no row is slower than allowed."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    lines = ["| work | earlier s | new s | new / earlier, median (min–max) | of the minima | MiB, earlier | MiB, new |",
             "|---|---|---|---|---|---|---|"]
    all_met = True
    for name, commands in cases(arguments):
        ways = [Way("earlier", commands(arguments.before)), Way("new", commands(arguments.cdpipe))]
        results = rounds(ways, arguments.runs, environment(), lambda: shutil.rmtree(STORES, ignore_errors=True))
        before, after = ([one.seconds for one in results[way.name]] for way in ways)
        ratios = [new / old for old, new in zip(before, after)]
        median = statistics.median(ratios)
        all_met = all_met and median <= SLOWER_BAR
        peaks = [mebibytes(max(peak for _, peak in peaks_by_process(results[way.name]))) for way in ways]
        lines.append(
            f"| {name} | {statistics.median(before):.2f} | {statistics.median(after):.2f} | {median:.2f} "
            f"({min(ratios):.2f}–{max(ratios):.2f}) | {min(after) / min(before):.2f} | {peaks[0]} | {peaks[1]} |")
        note(lines[-1])
    shutil.rmtree(STORES, ignore_errors=True)
    shutil.rmtree(FOLDER)
    starts, met = start_times(arguments)
    lines += starts
    lines += ["", f"{arguments.runs} rounds. Bar: new / earlier ≤ {SLOWER_BAR:g} {verdict(all_met and met)}."]
    return "\n".join(lines), all_met and met


def start_times(arguments):
    """Rows for the start of a filter that has nothing to read, in milliseconds."""
    times = {arguments.before: [], arguments.cdpipe: []}
    for _ in range(arguments.runs * start.ROUNDS_EACH):
        for program, taken in times.items():
            taken.append(start.milliseconds([program, "sort"], dict(os.environ)))
    before, after = times.values()
    ratio = statistics.median(after) / statistics.median(before)
    least = min(after) / min(before)
    row = (f"| start of `sort`, ms | {statistics.median(before):.2f} | {statistics.median(after):.2f} | {ratio:.2f} "
           f"| {least:.2f} | | |")
    return [row], ratio <= SLOWER_BAR
