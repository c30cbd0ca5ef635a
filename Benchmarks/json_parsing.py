"""Compares the parse stage with simdjson on the same generated rows, on one core each. The part `parse`.

Both have the bytes in memory before the clock starts. simdjson uses its fastest way for lines, iterate_many, for which
the commas between the rows are removed beforehand. Also measured: one document per line, with which simdjson survives a
broken line; the stage with strict JSON; and cdpipe as a whole process that reads the file and writes the raw rows.
"""

import statistics
import subprocess
import sys

from measuring import DATA, HERE, RELEASE, Way, environment, made_rows, needed, pinned, run
from native import can_include, compiled
from results import Part

RATIO_BAR = 0.5
"""The minimum rate of the stage, relative to simdjson's iterate_many."""
STRICT_BAR = 1.0
"""The minimum rate for strict JSON in GB/s."""
PEER = "simdjson, iterate_many"


def without_commas(source):
    """Returns the file of the rows as JSON lines."""
    file = source.with_suffix(".jsonl")
    if not file.exists():
        partial = file.with_suffix(".unfinished")
        with open(source, "rb") as rows, open(partial, "wb") as output:
            output.writelines(row.rstrip(b",\n") + b"\n" for row in rows if row.startswith(b"{"))
        partial.rename(file)
    return file


def as_document(source):
    """Returns the file of the rows as RFC 8259 JSON: without the comma after the last row."""
    file = source.with_suffix(".strict.json")
    if not file.exists():
        partial = file.with_suffix(".unfinished")
        subprocess.run(["cp", str(source), str(partial)], check=True)
        with open(partial, "r+b") as output:
            output.seek(-len(b",\n]\n"), 2)
            output.write(b"\n]\n")
            output.truncate()
        partial.rename(file)
    return file


def measure(name, options):
    rate = RELEASE / "parse-rate"
    if not needed(options, rate):
        return None
    source = made_rows(options.rows)
    stream, document = without_commas(source), as_document(source)
    ways = {
        "the parse stage": ([str(rate), str(source)], source),
        "the parse stage, strict": ([str(rate), "--strict", str(document)], document),
    }
    if can_include(options, "simdjson.h", "libsimdjson-dev"):
        peer = compiled(DATA / "simdjson-rate", HERE / "parse/simdjson.cc", "g++", "-O3", "-march=native", "-std=c++17",
                        "-Wall", "-Wextra", "-lsimdjson")
        ways[PEER] = ([peer, "many", str(stream)], stream)
        ways["simdjson, one document per line"] = ([peer, "lines", str(source)], source)
    whole = "cdpipe parse FILE > /dev/null"
    process = Way(whole, [("parse", [*pinned(), options.cdpipe, "parse", "--format", "json", str(source)])])
    seconds = {way: [] for way in [*ways, whole]}
    for _ in range(options.runs):
        for way, (command, _) in ways.items():
            # The second of two runs in one process counts: the first one includes page faults.
            done = subprocess.run([*pinned(), *command, "2"], stdout=subprocess.PIPE, text=True, check=True)
            taken, rows = done.stdout.splitlines()[-1].split()
            if int(rows) != options.rows:
                sys.exit(f"{way}: {rows} rows of {options.rows}")
            seconds[way].append(float(taken))
        seconds[whole].append(run(process, environment()).seconds)
    sizes = {way: file.stat().st_size for way, (_, file) in ways.items()} | {whole: source.stat().st_size}
    part = Part(name, rows=options.rows, rounds=options.runs)
    part.text(f"{source.name}, one core, {options.runs} rounds.")
    part.table(["what", "seconds", "GB/s", "rows/s"], [
        [way, f"{statistics.median(taken):.3f}", f"{sizes[way] / statistics.median(taken) / 1e9:.2f}",
         f"{options.rows / statistics.median(taken) / 1e6:.1f} M"] for way, taken in seconds.items()])
    strict = [sizes["the parse stage, strict"] / taken / 1e9 for taken in seconds["the parse stage, strict"]]
    part.figure("strict JSON", strict, "GB/s", at_least=STRICT_BAR)
    if PEER in seconds:
        # Compare rows, not bytes: simdjson's lines are one byte shorter.
        part.figure(f"rate relative to {PEER}", [their / our for our, their in zip(seconds["the parse stage"], seconds[PEER])],
                    at_least=RATIO_BAR, peer=PEER)
    return part
