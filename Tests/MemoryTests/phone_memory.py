#!/usr/bin/env python3
"""Measures the memory of an extension that loads the maximum of one request, and of an app that updates its list.

  phone_memory.py CDPIPE EXTENSION_PROGRAM

`cdpipe simulate --memory-limit` runs the extension in its own process and reports its memory that is not
a file's (Anonymous of /proc/PID/smaps_rollup), which is what iOS counts.

The limits are 7 MB for the whole process, and 1 MB for the library: the difference from the same process with an empty
store. That difference includes the batches of the simulated request, which on a phone are Apple's. If each entry has a
distinct label, the batches need more memory than the library, so that shape has only the first limit.

The app is the tests' program extension-program. Its limits are 16 MB for the whole process, and 1 MB for an update: the
difference from the update of a list with one number.

Not for: the memory of filters and runs (peak_memory.py).
"""
import json
import os
import subprocess
import sys
import tempfile
import time

ENTRIES = 1_999_999
PROCESS_BYTES_MAX = 7_000_000
LIBRARY_BYTES_MAX = 1_000_000
APP_BYTES_MAX = 16_000_000
UPDATE_BYTES_MAX = 1_000_000
RUNS = 3

program, app = sys.argv[1:]
environment = {**os.environ, "LC_ALL": "C.UTF-8"}


def emit(path, lines, *options):
    """Writes a store of the records in `lines`."""
    writer = subprocess.Popen(
        [program, "emit", "--allow-empty", *options, "-o", path], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env=environment)
    for line in lines:
        writer.stdin.write(line)
    writer.stdin.close()
    if writer.wait() != 0:
        sys.exit(f"emit of {path} failed")


def long_label(index):
    """Returns one of 50,000 labels."""
    return "a label beyond a small text, %d" % (index * 31 % 50_000)


def many(label):
    """Yields the maximum of single numbers in a request, in pieces of a megabyte."""
    return pieces((index, label(index)) for index in range(ENTRIES))


def pieces(rows):
    """Yields the lines of rows, each an index and a label, in pieces of a megabyte."""
    piece = []
    for index, label in rows:
        piece.append("%d\t%s\n" % (8_613_800_000_000 + 3 * index + (index * 7_919) % 3, label))
        if len(piece) == 50_000:
            yield "".join(piece).encode()
            piece = []
    yield "".join(piece).encode()


def night(changed):
    """Yields a million numbers; the second night, 5,000 have changed: 2,000 are new, 2,000 are missing, and 1,000 have
    another label."""
    missing = 1 if changed else 0
    return pieces(
        (index, "label %d" % (index * 31 % 50 + (changed and index % 1002 == 2)))
        for index in range(1_002_000) if index % 501 != missing)


def update(server, folder):
    """Brings a folder up to date by an app. Returns the peak of its memory, and the count of downloaded bytes."""
    child = subprocess.Popen([app, "update", server, folder], stdout=subprocess.PIPE, text=True, env=environment)
    peak = 0
    while child.poll() is None:
        try:
            with open(f"/proc/{child.pid}/smaps_rollup", encoding="ascii") as file:
                held = next(int(line.split()[1]) for line in file if line.startswith("Anonymous:"))
            peak = max(peak, held * 1024)
        except (OSError, StopIteration):
            # It has just ended.
            break
        time.sleep(0.001)
    answer = child.communicate()[0]
    if child.returncode != 0:
        sys.exit(f"the update from {server} ended with {child.returncode}")
    return peak, int(answer)


def measure_updates(folder):
    """Updates apps. Returns what is over the limits."""
    def place(name):
        return os.path.join(folder, name)

    shards = ("--format", "store", "--baseline")
    emit(place("one"), pieces([(0, "label")]), *shards, "none")
    emit(place("monday"), night(False), *shards, "none")
    emit(place("tuesday"), night(True), *shards, place("monday/manifest.json"))
    emit(place("labels"), many(long_label), *shards, "none")
    # Each with the list that the app has; the last one has no deltas from it.
    updates = [("one", None), ("monday", None), ("tuesday", "monday"), ("labels", None), ("labels", "monday")]
    failures, base = [], None
    for index, (server, former) in enumerate(updates):
        peaks = []
        for run in range(RUNS):
            group = place(f"group-{index}-{run}")
            if former:
                update(place(former), group)
            peak, downloaded = update(place(server), group)
            peaks.append(peak)
        held = min(peaks)
        # A sample is at most the peak, and too low if the machine is loaded: the base is the best of them.
        base = base or max(peaks)
        name = f"update to '{server}'" + (f" from '{former}'" if former else "")
        print(f"{name}: {downloaded:,} bytes downloaded, {held:,} bytes private, {held - base:,} for the update")
        if held > APP_BYTES_MAX:
            failures.append(f"{name}: the app held {held:,} bytes, and may hold {APP_BYTES_MAX:,}")
        if held - base > UPDATE_BYTES_MAX:
            failures.append(f"{name}: the update took {held - base:,} bytes, and may take {UPDATE_BYTES_MAX:,}")
    return failures


def load(path):
    """Loads a store RUNS times, and returns the report of the request with the least memory: the memory that the start
    of a process leaves differs by some hundred kilobytes."""
    return min((load_once(path) for _ in range(RUNS)), key=lambda request: request["privateBytes"])


def load_once(path):
    """Loads a store, and returns the report of its one request."""
    said = subprocess.run(
        [program, "simulate", "--memory-limit", str(PROCESS_BYTES_MAX), "--json", path],
        capture_output=True, env=environment)
    report = json.loads(said.stdout)
    if said.returncode != 0:
        sys.exit(f"{path}: {said.stderr.decode()}")
    return report["extensions"][0]["requests"][0]


shapes = {
    "empty": [],
    "50 labels": many(lambda index: "label %d" % (index * 31 % 50)),
    "50,000 labels": many(long_label),
    "blocking": many(lambda index: ""),
}
failures = []
with tempfile.TemporaryDirectory() as folder:
    empty = None
    for name, lines in shapes.items():
        path = os.path.join(folder, "numbers.cdstore")
        emit(path, lines)
        request = load(path)
        entries = request["blockingAdded"] + request["identificationAdded"]
        held = request["privateBytes"]
        empty = held if empty is None else empty
        print(f"{name}: {entries:,} entries, {held:,} bytes private, {held - empty:,} of them for the load")
        if entries != (0 if name == "empty" else ENTRIES):
            failures.append(f"{name}: {entries} entries were loaded")
        if held > PROCESS_BYTES_MAX:
            failures.append(f"{name}: the process held {held:,} bytes, and may hold {PROCESS_BYTES_MAX:,}")
        if held - empty > LIBRARY_BYTES_MAX and name != "50,000 labels":
            failures.append(f"{name}: the load took {held - empty:,} bytes, and may take {LIBRARY_BYTES_MAX:,}")
    failures += measure_updates(folder)
for failure in failures:
    print(failure, file=sys.stderr)
sys.exit(1 if failures else 0)
