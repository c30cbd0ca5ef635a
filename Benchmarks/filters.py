"""Compares the five filters in a pipe, and the same stages in one process, with alternatives: awk, jq or Miller to
parse the rows, and GNU sort with the same memory. The part `filters`."""

import pathlib
import shutil
import subprocess
import sys

from measuring import DATA, HERE, Way, environment, made_rows, peak_of, ratios, rounds, way_table
from results import Part

SPEED_BARS = {"five filters": 8.0, "five filters, packed": 12.0, "cdpipe run": 8.0}
"""The minimum speed-up over awk | sort: in the text form, in the packed form, in one process."""
MEMORY_BAR = 96.0
"""The maximum peak memory of each process in MiB."""

PEER = "awk | sort"
STORES = DATA / "stores"

SORT = ("sort", ["sort", "-n", "-u", "-k1,1", "-S", "64M", "--parallel=2"])


def run_commands(cdpipe, source, output, *settings):
    """Returns the commands of `cdpipe run` for the file, writing the stores `output`, with `--set` for each setting."""
    values = [f"path={source}", f"emit.path={output}", *settings]
    sets = [part for value in values for part in ("--set", value)]
    return [("run", [cdpipe, "run", str(HERE / "rows.yaml"), "--quiet"] + sets)]


def our_pipe(cdpipe, source, *form):
    """Returns the commands of the five filters; `form` are the options for what they write to each other."""
    return [
        ("parse", [cdpipe, "parse", *form, str(source)]),
        ("normalize", [cdpipe, "normalize", *form, "--region", "CN"]),
        ("sort", [cdpipe, "sort", *form]),
        ("dedupe", [cdpipe, "dedupe", *form]),
        ("emit", [cdpipe, "emit", "--format", "tsv"]),
    ]


def has_packed_form(cdpipe):
    done = subprocess.run([cdpipe, "sort", "--help"], stdout=subprocess.PIPE, text=True, check=True)
    return "--packed" in done.stdout


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
    return subprocess.run(["bash", "-c", script, "cmp", str(one), str(other)], check=False).returncode == 0


def measure(name, options):
    source = made_rows(options.rows)
    program = r'$2 ~ /^[0-9]+$/ {print $2 "\t" $4}'
    ours = [
        Way("cdpipe run", run_commands(options.cdpipe, source, STORES, *options.set)),
        Way("five filters", our_pipe(options.cdpipe, source), DATA / "pipe.tsv"),
    ]
    if has_packed_form(options.cdpipe):
        ours.append(Way("five filters, packed", our_pipe(options.cdpipe, source, "--packed"), DATA / "packed.tsv"))
    peer = Way(PEER, [(pathlib.Path(awk()).name, [awk(), '-F"', program, str(source)]), SORT], DATA / "peer.tsv")
    ways = [peer] + ours + slower_peers(source)
    outputs = [way.output for way in ways if way.output]
    same = []

    def before():
        shutil.rmtree(STORES, ignore_errors=True)  # no run pays for what another one wrote
        STORES.mkdir()

    def after():
        same.extend(same_numbers(peer.output, output) for output in outputs if output.exists())
        for output in outputs:
            output.unlink(missing_ok=True)

    results = rounds(ways, options.runs, environment(), before, after)
    shutil.rmtree(STORES)
    part = Part(name, rows=options.rows, rounds=options.runs, set=options.set)
    part.text(f"{source.name}, {source.stat().st_size / 1e6:.0f} MB, {options.runs} rounds.")
    way_table(part, results)
    for way in ours:
        speed = ratios(results[way.name], results[PEER])
        part.figure(f"{way.name}, times faster than {PEER}", speed, at_least=SPEED_BARS[way.name], peer=PEER)
        part.figure(f"{way.name}, peak of a process", peak_of(results[way.name]), "MiB", at_most=MEMORY_BAR)
    part.same("The numbers that all pipes wrote in every round", all(same))
    return part
