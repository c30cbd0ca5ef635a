"""Compares two builds of cdpipe: the same work by both, alternating in one run. The part `builds`.

A change that moves code must not make any of it slower. The rounds alternate which build goes first. A row's ratio is
the median over the rounds of the new build's time divided by the earlier build's in the same round.
"""

import os
import random
import shutil
import statistics
import subprocess
import sys

import start
from filters import STORES, our_pipe, run_commands
from measuring import DATA, Way, environment, made_rows, mebibytes, peak_of, read_once, rounds
from results import Part

SLOWER_BAR = 1.03
"""The new build's time divided by the earlier build's, at most."""

LABELS = {"few labels": False, "distinct labels": True}
FOLDER = DATA / "builds"

SHAPES = {
    "groups": ("({0}) {1}-{2}", ""),
    "a label": ("0{0}/{1}{2} Spam call", ""),
    "a label with digits": ("+1{0}{1}{2} Spam call {3}", ""),
    "a comment": ("{0}-{1}-{2} # Spam", ""),
    "groups in a table": ("n{3},+1 {0}-{1}-{2},X", "name,phone,city"),
    "JSON objects": ('{{"number": "1{0}{1}{2}", "label": "spam {3}", "count": {3}}}', ""),
}
"""Lines as people publish them, of the three groups of a number and a small figure; and the header of a table."""


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


def shapes(rows):
    """Returns a file of each shape of lines."""
    lot = random.Random(41)
    files = {}
    for shape, (line, header) in SHAPES.items():
        files[shape] = file = FOLDER / f"shape-{len(files)}.txt"
        with open(file, "w", encoding="utf-8") as text:
            text.write(header + "\n" if header else "")
            for _ in range(rows):
                text.write(line.format(lot.randrange(201, 990), lot.randrange(200, 1000), f"{lot.randrange(10_000):04d}",
                                       lot.randrange(50)) + "\n")
        read_once(file)
    return files


def cases(options):
    """Each row's name, and how a program does it: a list of the (name, arguments) of its pipe."""
    prepared = inputs(options.before, options.rows)
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
    for shape, file in shapes(options.rows // 10).items():
        yield f"parse, {shape}", lambda program, file=file: [("parse", [program, "parse", str(file)])]
    source = prepared["few labels"][0]
    yield "five filters", lambda program: our_pipe(program, source)
    largest = made_rows(options.rows * 10)
    yield f"run, {options.rows * 10:,} rows", lambda program: run_commands(program, largest, STORES)
    yield "run, 16 MiB", lambda program: run_commands(program, source, STORES, "sort.memory=16MiB")


def measure(name, options):
    if options.before is None:
        sys.exit("bench.py: the part builds needs --before FILE, an earlier build")
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    part, table = Part(name, rows=options.rows, rounds=options.runs), []
    for work, commands in cases(options):
        ways = [Way("earlier", commands(options.before)), Way("new", commands(options.cdpipe))]
        results = rounds(ways, options.runs, environment(), lambda: shutil.rmtree(STORES, ignore_errors=True))
        before, after = ([one.seconds for one in results[way.name]] for way in ways)
        peaks = [mebibytes(peak_of(results[way.name])) for way in ways]
        table.append([work, f"{statistics.median(before):.2f}", f"{statistics.median(after):.2f}", *peaks])
        part.figure(f"{work}: new / earlier", [new / old for old, new in zip(before, after)], at_most=SLOWER_BAR, peer="earlier")
    shutil.rmtree(STORES, ignore_errors=True)
    shutil.rmtree(FOLDER)
    before, after = start_times(options)
    table.append(["start of `sort`, ms", f"{before:.2f}", f"{after:.2f}", "", ""])
    part.figure("start of `sort`: new / earlier", after / before, at_most=SLOWER_BAR, peer="earlier")
    part.text(f"{options.runs} rounds.")
    part.table(["work", "earlier s", "new s", "MiB, earlier", "MiB, new"], table)
    return part


def start_times(options):
    """The median times of both builds for the start of a filter that has nothing to read, in milliseconds."""
    times = {options.before: [], options.cdpipe: []}
    for _ in range(options.runs * start.ROUNDS_EACH):
        for program, taken in times.items():
            taken.append(start.milliseconds([program, "sort"], dict(os.environ)))
    return [statistics.median(taken) for taken in times.values()]
