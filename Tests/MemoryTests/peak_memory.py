"""Measures the peak memory of the release program with inputs many times larger than its limit.

The maximum is 96 MiB with the default of 64 MiB for sorting: 32 MiB for everything except the sort. The measurements use
16 MiB for sorting, so that rows are spilled several times, and two million rows a dozen times. CDPIPE_SOAK selects the
long form. Prints one line per measurement, and exits 1 if one is above its maximum.

usage: peak_memory.py CDPIPE
"""

import os
import random
import subprocess
import sys
import tempfile

import dedupe_shapes
import input_shapes

SEED = 20260117
MEMORY_MIB = 16
BESIDES_MIB = 32
SOURCES_MIB = 96
"""The maximum for any number of sources, with the default memory for sorting."""

SHAPES = {
    "few labels": lambda r, i: f'{{"861{r.randrange(10**10):010d}": "骚扰电话{i % 5}"}},\n',
    "different labels": lambda r, i: f'{{"861{r.randrange(10**10):010d}": "标记{i}"}},\n',
    "ranges": lambda r, i: f'{{"+861{r.randrange(10**8):08d}##": "{i % 7}"}},\n',
    "long labels": lambda r, i: f'{{"861{r.randrange(10**10):010d}": "{i}{"x" * 1000}"}},\n',
    "one line": lambda r, i: f'"861{r.randrange(10**10):010d}":"{i % 9}",',
}
ROWS = {"few labels": 2_000_000, "different labels": 1_500_000, "ranges": 600_000, "long labels": 60_000,
        "one line": 1_500_000}
# The short form has fewer rows, which still spill several times.
IS_LONG = "CDPIPE_SOAK" in os.environ
PATTERN, NUMBERS = ("+82 70 XXXX XXXX", "100,000,000") if IS_LONG else ("+82 70 1XXX XXXX", "10,000,000")


def write_rows(path, shape):
    chance = random.Random(SEED)
    with open(path, "w", encoding="utf-8") as file:
        # Row by row, because a child's peak starts with this process's own memory.
        for i in range(ROWS[shape] if IS_LONG else ROWS[shape] // 3):
            file.write(SHAPES[shape](chance, i))


def write_sources(folder, count):
    """Writes lists of one row, and a pipeline file with each of them as a source."""
    os.mkdir(f"{folder}/lists")
    lines = ["sources:"]
    for i in range(count):
        with open(f"{folder}/lists/{i}.csv", "w", encoding="ascii") as file:
            file.write(f"Number,Label\n212555{i % 10_000:04d},label {i % 7}\n")
        lines.append(f"- {{path: lists/{i}.csv, region: US}}")
    with open(f"{folder}/sources.yaml", "w", encoding="ascii") as file:
        file.write("\n".join([*lines, "emit: {path: out.cdstore, format: store}", ""]))


def peak_mib(command, folder):
    """Runs a command to its end and returns its peak memory in MiB."""
    process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {process.returncode}")
    return usage.ru_maxrss / 1024


def main():
    cdpipe = os.path.abspath(sys.argv[1])
    above = []

    def measure(name, command, folder, bar):
        peak = peak_mib(command, folder)
        print(f"{name:40} {peak:6.1f} MiB of {bar}")
        if peak > bar:
            above.append(name)

    memory = f"--memory {MEMORY_MIB}MiB"
    for shape in SHAPES:
        with tempfile.TemporaryDirectory(prefix="cdpipe-memory-", dir="/var/tmp") as folder:
            write_rows(f"{folder}/rows.json", shape)
            pipe = (f"parse rows.json | normalize --region CN | sort {memory} | dedupe"
                    " | emit --format store --max-entries 1999999 -o shards")
            measure(f"run, {shape}", [cdpipe, "run", "--quiet", "--pipe", pipe], folder, MEMORY_MIB + BESIDES_MIB)
            if shape not in ("few labels", "different labels"):
                continue
            filters = [
                ("parse", "rows.json -o raw"),
                ("normalize", "--region CN raw -o records"),
                ("sort", f"{memory} records -o sorted"),
                ("dedupe", "sorted -o disjoint"),
                ("emit", "--format store disjoint -o stores"),
                ("union", "disjoint stores disjoint -o united"),
                ("subtract", "disjoint stores -o nothing"),
            ]
            for name, words in filters:
                bar = BESIDES_MIB + (MEMORY_MIB if name == "sort" else 0)
                measure(f"{name}, {shape}", [cdpipe, name, *words.split()], folder, bar)
    for name, write, words in dedupe_shapes.INPUTS:
        with tempfile.TemporaryDirectory(prefix="cdpipe-memory-", dir="/var/tmp") as folder:
            write(f"{folder}/sorted")
            measure(name, [cdpipe, "dedupe", "--quiet", "--temp-dir", folder, *words.split(), "sorted", "-o", "out"],
                    folder, BESIDES_MIB)
    with tempfile.TemporaryDirectory(prefix="cdpipe-memory-", dir="/var/tmp") as folder:
        command = [cdpipe, "generate", PATTERN, "--exclude", "*000*", "-o", "out"]
        measure(f"generate, {NUMBERS} numbers", command, folder, BESIDES_MIB)
    for name, _, words in input_shapes.INPUTS:
        with tempfile.TemporaryDirectory(prefix="cdpipe-memory-", dir="/var/tmp") as folder:
            # In a separate process, because a zip writer remembers all members.
            subprocess.run([sys.executable, input_shapes.__file__, name, f"{folder}/input"], check=True)
            command = [cdpipe, *("input" if word == "FILE" else word for word in words.split()), "--quiet"]
            measure(name, command, folder, BESIDES_MIB)
    count = 20_000 if IS_LONG else 4_000
    with tempfile.TemporaryDirectory(prefix="cdpipe-memory-", dir="/var/tmp") as folder:
        write_sources(folder, count)
        measure(f"run, {count:,} sources", [cdpipe, "run", "--quiet", "sources.yaml"], folder, SOURCES_MIB)
    sys.exit(f"above the bar: {', '.join(above)}" if above else 0)


main()
