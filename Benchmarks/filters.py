"""Compares the five filters in a pipe, and the same stages in one process, with alternatives: awk, jq or Miller to
parse the rows, and GNU sort with the same memory."""

import pathlib
import shutil
import statistics
import subprocess
import sys

from measuring import (DATA, HERE, MEMORY_BAR, Way, environment, made_rows, mebibytes, peaks_by_process, ratios, rounds,
                       spread, verdict)

SPEED_BAR = 4.0
"""The minimum speed-up over awk | sort."""

RUN, PIPE, PEER = "cdpipe run", "five filters", "awk | sort"
PIPE_OUTPUT = DATA / "pipe.tsv"
PEER_OUTPUT = DATA / "peer.tsv"
STORES = DATA / "stores"

SORT = ("sort", ["sort", "-n", "-u", "-k1,1", "-S", "64M", "--parallel=2"])


def run_commands(cdpipe, source, output, *settings):
    """Returns the commands of `cdpipe run` for the file, writing the stores `output`, with `--set` for each setting."""
    values = [f"path={source}", f"emit.path={output}", *settings]
    sets = [part for value in values for part in ("--set", value)]
    return [("run", [cdpipe, "run", str(HERE / "rows.yaml"), "--quiet"] + sets)]


def our_pipe(cdpipe, source):
    return [
        ("parse", [cdpipe, "parse", str(source)]),
        ("normalize", [cdpipe, "normalize", "--region", "CN"]),
        ("sort", [cdpipe, "sort"]),
        ("dedupe", [cdpipe, "dedupe"]),
        ("emit", [cdpipe, "emit", "--format", "tsv"]),
    ]


def awk():
    return shutil.which("mawk") or shutil.which("awk") or sys.exit("awk is not installed")


def slower_peers(source):
    """Returns the ways with jq and Miller. jq reads JSON lines, so sed removes the brackets and commas between the
    rows; Miller splits at the quotation marks like awk. They are slow, so one round is enough."""
    peers = []
    if shutil.which("jq"):
        lines = ("sed", ["sed", "-e", "s/,$//", "-e", "/^[][]$/d", str(source)])
        take = ("jq", ["jq", "-r", r'keys_unsorted[0] as $number | $number + "\t" + .[$number]'])
        peers.append(Way("sed | jq | sort", [lines, take, SORT], DATA / "jq.tsv", rounds=1))
    if shutil.which("mlr"):
        take = ["mlr", "--inidx", "--ifs", '"', "--onidx", "--ofs", "tab", "filter", "NF > 3", "then", "cut", "-f", "2,4"]
        peers.append(Way("Miller | sort", [("mlr", take + [str(source)]), SORT], DATA / "mlr.tsv", rounds=1))
    return peers


def same_numbers(one, other):
    """Whether the first columns of two files are equal."""
    script = 'set -o pipefail; cmp -s <(cut -f1 "$1") <(cut -f1 "$2")'
    return subprocess.run(["bash", "-c", script, "cmp", str(one), str(other)]).returncode == 0


def compare(arguments):
    """Returns the part's text, and whether every bar was met."""
    source = made_rows(arguments.rows)
    program = r'$2 ~ /^[0-9]+$/ {print $2 "\t" $4}'
    ways = [
        Way(PEER, [(pathlib.Path(awk()).name, [awk(), '-F"', program, str(source)]), SORT], PEER_OUTPUT),
        Way(RUN, run_commands(arguments.cdpipe, source, STORES, *arguments.set)),
        Way(PIPE, our_pipe(arguments.cdpipe, source), PIPE_OUTPUT),
    ] + slower_peers(source)
    outputs = [way.output for way in ways if way.output]
    same = []

    def before():
        shutil.rmtree(STORES, ignore_errors=True)  # no run pays for what another one wrote
        STORES.mkdir()

    def after():
        for output in outputs:
            if output != PIPE_OUTPUT and output.exists():
                same.append(same_numbers(PIPE_OUTPUT, output))
        for output in outputs:
            output.unlink(missing_ok=True)

    results = rounds(ways, arguments.runs, environment(), before, after)
    shutil.rmtree(STORES)

    lines = [f"{source.name}: {source.stat().st_size / 1e6:.0f} MB, {arguments.runs} rounds"
             + "".join(f", {setting}" for setting in arguments.set) + ".", ""]
    lines.append("| way | wall s, median (min–max) | times faster than awk \\| sort | bar | peak MiB | bar |")
    lines.append("|---|---|---|---|---|---|")
    met = all(same)
    for way in [RUN, PIPE, PEER] + [way.name for way in ways[3:]]:
        runs = results[way]
        peaks = peaks_by_process(runs)
        shown = ", ".join(f"{name} {mebibytes(peak)}" for name, peak in peaks)
        faster = ratios(runs, results[PEER])
        row = f"| {way.replace('|', chr(92) + '|')} | {spread([run.seconds for run in runs])} | {spread(faster)} |"
        if way not in (RUN, PIPE):
            lines.append(f"{row} | {shown} | |")
            continue
        fast = statistics.median(faster) >= SPEED_BAR
        small = max(peak for _, peak in peaks) <= MEMORY_BAR
        met = met and fast and small
        lines.append(f"{row} ≥ {SPEED_BAR:g}: {verdict(fast)} | {shown} | ≤ {MEMORY_BAR:g}: {verdict(small)} |")
    lines += ["", "All pipes wrote the same numbers in every round." if all(same) else "The pipes wrote DIFFERENT numbers."]
    return "\n".join(lines), met, all(same)
