#!/usr/bin/env python3
"""Measures the memory of an extension that loads the maximum of one request.

  phone_memory.py CDPIPE

`cdpipe simulate --memory-limit` runs the extension in its own process and reports its private, modified memory
(Private_Dirty of /proc/PID/smaps_rollup), which is what iOS counts.

The limits are 7 MB for the whole process, and 1 MB for the library: the difference from the same process with an empty
store. That difference includes the batches of the simulated request, which on a phone are Apple's. If each entry has a
distinct label, the batches need more memory than the library, so that shape has only the first limit.

Not for: the memory of filters and runs (peak_memory.py).
"""
import json
import os
import subprocess
import sys
import tempfile

ENTRIES = 1_999_999
PROCESS_BYTES_MAX = 7_000_000
LIBRARY_BYTES_MAX = 1_000_000
RUNS = 3

program = sys.argv[1]
environment = {**os.environ, "LC_ALL": "C.UTF-8"}


def emit(path, lines):
    """Writes a store of the records in `lines`."""
    writer = subprocess.Popen([program, "emit", "--allow-empty", "-o", path], stdin=subprocess.PIPE, env=environment)
    for line in lines:
        writer.stdin.write(line)
    writer.stdin.close()
    if writer.wait() != 0:
        sys.exit(f"emit of {path} failed")


def many(label):
    """Yields the maximum of single numbers in a request, in pieces of a megabyte."""
    piece = []
    for index in range(ENTRIES):
        piece.append("%d\t%s\n" % (8_613_800_000_000 + 3 * index + (index * 7_919) % 3, label(index)))
        if len(piece) == 50_000:
            yield "".join(piece).encode()
            piece = []
    yield "".join(piece).encode()


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
    "50,000 labels": many(lambda index: "a label beyond a small text, %d" % (index * 31 % 50_000)),
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
for failure in failures:
    print(failure, file=sys.stderr)
sys.exit(1 if failures else 0)
