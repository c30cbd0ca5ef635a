#!/usr/bin/env python3
"""Measures `cdpipe run`, the five filters in a pipe, and awk | sort on one file, in turns, and prints a table.

run.sh calls it. Wall time and every process's own peak memory come from the kernel (wait4), so no package is
needed. Each round runs all three ways, one after another, and a ratio compares two runs of one round: what
slows the machine down for a while slows both.
"""

import argparse
import os
import pathlib
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE / "data"
REPORT = HERE.parent / "docs" / "benchmarks.md"

SPEED_BAR = 3.0
"""At least so many times faster than awk | sort."""
MEMORY_BAR = 96.0
"""No process above so many MiB."""

# These are the ways that are compared, and what each writes.
RUN, PIPE, PEER = "cdpipe run", "five filters", "awk | sort"
PIPE_OUTPUT = DATA / "pipe.tsv"
PEER_OUTPUT = DATA / "peer.tsv"
STORES = DATA / "stores"


def note(text):
    print(text, file=sys.stderr, flush=True)


class Measured:
    """One run of one way: seconds, and (name, peak MiB) of each of its processes."""

    def __init__(self, seconds, peaks):
        self.seconds = seconds
        self.peaks = peaks


def measure(way, commands, output, environment):
    """Runs the commands as one pipe, the last one's standard output going to the file `output` (None for nowhere)."""
    target = open(output, "wb") if output else subprocess.DEVNULL
    started = time.monotonic()
    processes = []
    upstream = subprocess.DEVNULL
    for index, (name, command) in enumerate(commands):
        last = index == len(commands) - 1
        process = subprocess.Popen(
            command, stdin=upstream, stdout=target if last else subprocess.PIPE, env=environment)
        if index > 0:
            upstream.close()  # or the process before would never see that its reader went away
        upstream = process.stdout
        processes.append((name, process))
    peaks = []
    failed = None
    for name, process in processes:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0 and failed is None:
            failed = f"{way}: {name} ended with status {process.returncode}"
        peaks.append((name, usage.ru_maxrss / 1024))
    seconds = time.monotonic() - started
    if output:
        target.close()
    if failed:
        sys.exit(failed)
    return Measured(seconds, peaks)


def ways(cdpipe, source, overrides):
    """The ways in the order of the first round: name, commands, output file."""
    awk = shutil.which("mawk") or shutil.which("awk") or sys.exit("there is no awk")
    program = r'$2 ~ /^[0-9]+$/ {print $2 "\t" $4}'
    values = [f"path={source}", f"emit.path={STORES}"] + overrides
    settings = [part for value in values for part in ("--set", value)]
    return [
        (
            PEER,
            [
                (pathlib.Path(awk).name, [awk, "-F\"", program, str(source)]),
                ("sort", ["sort", "-n", "-u", "-k1,1", "-S", "64M", "--parallel=2"]),
            ],
            PEER_OUTPUT,
        ),
        (RUN, [("run", [cdpipe, "run", str(HERE / "rows.yaml"), "--quiet"] + settings)], None),
        (
            PIPE,
            [
                ("parse", [cdpipe, "parse", str(source)]),
                ("normalize", [cdpipe, "normalize", "--region", "CN"]),
                ("sort", [cdpipe, "sort"]),
                ("dedupe", [cdpipe, "dedupe"]),
                ("emit", [cdpipe, "emit", "--format", "tsv"]),
            ],
            PIPE_OUTPUT,
        ),
    ]


def clear_outputs():
    """No run pays for what another one wrote."""
    shutil.rmtree(STORES, ignore_errors=True)
    STORES.mkdir()
    for file in (PIPE_OUTPUT, PEER_OUTPUT):
        file.unlink(missing_ok=True)


def read_once(source):
    """Reads the file, so that the first run finds it in memory as the later ones do."""
    with open(source, "rb", buffering=0) as file:
        while file.read(1 << 20):
            pass


def same_numbers(one, other):
    """Whether the first columns are equal."""
    script = 'set -o pipefail; cmp -s <(cut -f1 "$1") <(cut -f1 "$2")'
    return subprocess.run(["bash", "-c", script, "cmp", str(one), str(other)]).returncode == 0


def spread(values, digits=2):
    """Median, least and most."""
    return (
        f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"
    )


def verdict(ok):
    return "ok" if ok else "MISSED"


def peaks_by_process(runs):
    """(name, the highest peak of all runs) of each process of a way."""
    return [(name, max(run.peaks[index][1] for run in runs)) for index, (name, _) in enumerate(runs[0].peaks)]


def mebibytes(peak, floor):
    """A process starts as a copy of this one, and the kernel's count starts with that."""
    return f"{peak:.0f}" if peak > floor * 1.02 else f"<{floor:.0f}"


def table(results, rows_note, numbers_note, floor):
    """The table, and whether every bar was met."""
    lines = [rows_note, ""]
    lines.append("| way | wall s, median (min–max) | times faster than awk \\| sort | bar | peak MiB | bar |")
    lines.append("|---|---|---|---|---|---|")
    met = True
    for way in (RUN, PIPE, PEER):
        runs = results[way]
        peaks = peaks_by_process(runs)
        peak_text = ", ".join(f"{name} {mebibytes(peak, floor)}" for name, peak in peaks)
        if way == PEER:
            lines.append(f"| {way.replace('|', chr(92) + '|')} | {spread([run.seconds for run in runs])} | 1 | | {peak_text} | |")
            continue
        ratios = [peer.seconds / run.seconds for peer, run in zip(results[PEER], runs)]
        fast = statistics.median(ratios) >= SPEED_BAR
        small = max(peak for _, peak in peaks) <= MEMORY_BAR
        met = met and fast and small
        lines.append(
            f"| {way} | {spread([run.seconds for run in runs])} | {spread(ratios)} | "
            f"≥ {SPEED_BAR:g}: {verdict(fast)} | {peak_text} | ≤ {MEMORY_BAR:g}: {verdict(small)} |")
    lines += ["", numbers_note]
    return "\n".join(lines), met


def first_line(command):
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    except OSError:
        return "unknown"
    return done.stdout.strip().partition("\n")[0] or "unknown"


def field_of(file, key):
    """A `key : value` line's value in a file of /proc."""
    try:
        with open(file, encoding="utf-8") as lines:
            for line in lines:
                name, _, value = line.partition(":")
                if name.strip() == key:
                    return value.strip()
    except OSError:
        pass
    return "unknown"


def memory_text():
    kibibytes = field_of("/proc/meminfo", "MemTotal").partition(" ")[0]
    return f"{int(kibibytes) / (1 << 20):.1f} GiB" if kibibytes.isdigit() else "unknown"


def report(text, cdpipe, awk):
    """The page docs/benchmarks.md."""
    return f"""# Benchmarks

Written by `Benchmarks/run.sh --write`. Each round runs all three ways in turn on the same file, which is in memory; a ratio
compares two runs of one round. Peak memory is each process's own (`ru_maxrss`).

{text}

## Machine

| | |
|---|---|
| processor | {field_of("/proc/cpuinfo", "model name")}, {os.cpu_count()} cores |
| memory | {memory_text()} |
| kernel | {platform.system()} {platform.release().partition("-")[0]} |
| cdpipe | {first_line([cdpipe, "--version"])} |
| Swift | {first_line(["swift", "--version"])} |
| awk | {awk_version(awk)} |
| sort | {first_line(["sort", "--version"])} |

## Commands

    cdpipe run Benchmarks/rows.yaml

    cdpipe parse FILE | cdpipe normalize --region CN | cdpipe sort | cdpipe dedupe | cdpipe emit --format tsv >out.tsv

    awk -F'"' '$2 ~ /^[0-9]+$/ {{print $2 "\\t" $4}}' FILE | LC_ALL=C sort -n -u -k1,1 -S 64M --parallel=2 >out.tsv

The rows come from `Benchmarks/make_rows.py`: 13-digit numbers, 5 labels, every tenth row with the number of an earlier one.
"""


def awk_version(awk):
    """mawk knows -W version, the others --version."""
    option = ["-W", "version"] if "mawk" in os.path.realpath(awk) else ["--version"]
    return first_line([awk] + option)


def main():
    parser = argparse.ArgumentParser(description="Measures cdpipe against awk | sort.")
    parser.add_argument("--cdpipe", required=True)
    parser.add_argument("--input", required=True, type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--set", action="append", default=[], metavar="K=V", help="overrides a value of rows.yaml")
    parser.add_argument("--check", action="store_true", help="exit 1 when a bar is missed")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md")
    arguments = parser.parse_args()
    if arguments.runs < 1:
        parser.error("--runs must be at least 1")

    source = arguments.input.resolve()
    cdpipe = os.path.abspath(arguments.cdpipe)
    # All spill files go to one disk, and bytes are compared as bytes.
    environment = dict(os.environ, LC_ALL="C", TMPDIR=str(DATA))
    order = ways(cdpipe, source, arguments.set)
    awk = order[0][1][0][1][0]

    DATA.mkdir(exist_ok=True)
    read_once(source)
    results = {way: [] for way, _, _ in order}
    is_same = None
    for round_number in range(arguments.runs):
        clear_outputs()
        # Who goes first changes from round to round.
        first = round_number % len(order)
        for way, commands, output in order[first:] + order[:first]:
            os.sync()
            result = measure(way, commands, output, environment)
            results[way].append(result)
            note(f"round {round_number + 1}: {way} {result.seconds:.2f} s")
        is_same = (is_same is not False) and same_numbers(PIPE_OUTPUT, PEER_OUTPUT)
    clear_outputs()
    STORES.rmdir()

    size = source.stat().st_size
    rows_note = f"{source.name}: {size / 1e6:.0f} MB, {arguments.runs} rounds"
    if arguments.set:
        rows_note += ", " + " ".join(arguments.set)
    rows_note += f". The awk is {awk_version(awk)}."
    if is_same:
        numbers_note = "The five filters and awk | sort gave the same numbers in every round."
    else:
        numbers_note = "The five filters and awk | sort gave DIFFERENT numbers."
    floor = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    text, met = table(results, rows_note, numbers_note, floor)
    print(text)
    if arguments.write:
        REPORT.parent.mkdir(exist_ok=True)
        REPORT.write_text(report(text, cdpipe, awk), encoding="utf-8")
    if not is_same or (arguments.check and not met):
        sys.exit(1)


if __name__ == "__main__":
    main()
