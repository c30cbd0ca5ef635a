"""Compares `cdpipe run`, from file to stores, with databases in their fastest form (databases.py), and with `cp`. The parts
`databases` (5 labels) and `labels` (a distinct label per row)."""

import shutil
import subprocess
import sys

import databases
from filters import STORES, run_commands
from measuring import DATA, HERE, Way, environment, made_rows, note, peak_of, ratios, rounds, run, way_table
from results import Part, pypi_version

SPEED_BARS = {"databases": 6.0, "labels": 2.0}
"""The minimum speed-up over the fastest database."""
MEMORY_BARS = {"databases": 64.0, "labels": 96.0}
"""The maximum peak memory in MiB."""
COPY_BARS = {"databases": 2.5}
"""The time divided by that of `cp`, at most."""
PARQUET = DATA / "peer.parquet"
OURS, COPY = "cdpipe run", "cp"


def database_way(form, source):
    return Way(form, [(form, [sys.executable, str(HERE / "databases.py"), form, str(source), str(PARQUET)])])


def fastest_forms(source, is_smoke):
    """Returns the fastest form of each installed database, found by one run each; all forms in a smoke run."""
    fastest = []
    for name, known in databases.FORMS.items():
        if not pypi_version(databases.MODULES[name]):
            note(f"skipped: {name} is not installed")
            continue
        ways = {form: database_way(f"{name}/{form}", source) for form in known}
        if is_smoke:
            fastest += ways.values()
            continue
        times = {form: run(way, environment()).seconds for form, way in ways.items()}
        note(f"{name}: " + ", ".join(f"{form} {seconds:.2f} s" for form, seconds in times.items()))
        fastest.append(ways[min(times, key=times.get)])
    return fastest


def same_as_stores(cdpipe):
    """Whether the stores contain the same numbers as the Parquet file of the database that ran last."""
    script = ('set -o pipefail; out=$1; shift; cmp -s <("$1" cat "${@:4}" | cut -f1) '
              '<("$2" "$3" numbers "$out")')
    shards = sorted(str(file) for file in STORES.glob("*.cdstore"))
    command = ["bash", "-c", script, "cmp", str(PARQUET), cdpipe, sys.executable, str(HERE / "databases.py"), *shards]
    return subprocess.run(command, check=False).returncode == 0


def measure(name, options):
    source, copy = made_rows(options.rows, name == "labels"), DATA / "copy"
    ours = Way(OURS, run_commands(options.cdpipe, source, STORES, *options.set))
    peers = fastest_forms(source, options.smoke)

    def before():
        shutil.rmtree(STORES, ignore_errors=True)
        copy.unlink(missing_ok=True)

    ways = [ours, *peers, Way(COPY, [(COPY, ["cp", str(source), str(copy)])])]
    results = rounds(ways, options.runs, environment(), before)
    part = Part(name, rows=options.rows, rounds=options.runs, set=options.set)
    part.text(f"{source.name}, {options.runs} rounds.")
    way_table(part, results)
    for peer in peers:
        bar = SPEED_BARS[name]
        database = peer.name.partition("/")[0]
        part.figure(
            f"times faster than {database}", ratios(results[OURS], results[peer.name]), at_least=bar, peer=peer.name)
    part.figure("time divided by that of cp", ratios(results[COPY], results[OURS]), at_most=COPY_BARS.get(name), peer=COPY)
    part.figure("peak of cdpipe run", peak_of(results[OURS]), "MiB", at_most=MEMORY_BARS[name])
    if peers:
        before()
        run(ours, environment())
        part.same("The numbers in the stores and of the last database", same_as_stores(options.cdpipe))
    before()
    PARQUET.unlink(missing_ok=True)
    return part
