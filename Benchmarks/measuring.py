"""Runs ways of doing one job in turns, and keeps each one's wall time, peak memory and disk; for the comparisons.

Wall time and every process's own peak memory come from the kernel (wait4), so no package is needed. Each round runs
every way once, one after another, and a ratio compares two runs of one round: what slows the machine down for a
while slows both.
"""

import os
import pathlib
import resource
import statistics
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE / "data"

MEMORY_BAR = 96.0
"""Peak memory of each of our processes in MiB, at most."""


def note(text):
    print(text, file=sys.stderr, flush=True)


class Way:
    """One way of doing the job: its name, the commands of its pipe as (name, arguments), and the file that the last
    one's standard output goes to (None for nowhere). A slow one may ask for less rounds than the others."""

    def __init__(self, name, commands, output=None, rounds=None):
        self.name = name
        self.commands = commands
        self.output = output
        self.rounds = rounds


class Run:
    """One run of one way: seconds, (name, peak MiB) of each of its processes, and the most bytes of files without a
    name, such as spills, that it had at a time (0 where nobody looked)."""

    def __init__(self, seconds, peaks, spilled):
        self.seconds = seconds
        self.peaks = peaks
        self.spilled = spilled


class SpillWatch(threading.Thread):
    """Looks at a process's deleted open files twenty times a second."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.folder = f"/proc/{process}/fd"
        self.most = 0
        self.stopped = threading.Event()

    def run(self):
        while not self.stopped.wait(0.05):
            total = 0
            try:
                names = os.listdir(self.folder)
            except OSError:
                return
            for name in names:
                try:
                    if os.readlink(f"{self.folder}/{name}").endswith(" (deleted)"):
                        total += os.stat(f"{self.folder}/{name}").st_blocks * 512
                except OSError:
                    continue  # closed meanwhile
            self.most = max(self.most, total)


def run(way, environment, watch_spills=False):
    """Runs a way's commands as one pipe; one that fails ends the whole comparison."""
    target = open(way.output, "wb") if way.output else subprocess.DEVNULL
    started = time.monotonic()
    processes = []
    upstream = subprocess.DEVNULL
    for index, (name, command) in enumerate(way.commands):
        last = index == len(way.commands) - 1
        process = subprocess.Popen(
            command, stdin=upstream, stdout=target if last else subprocess.PIPE, env=environment)
        if index > 0:
            upstream.close()  # or the process before would never see that its reader went away
        upstream = process.stdout
        processes.append((name, process))
    watch = SpillWatch(processes[0][1].pid) if watch_spills else None
    if watch:
        watch.start()
    peaks = []
    failed = None
    for name, process in processes:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0 and failed is None:
            failed = f"{way.name}: {name} ended with status {process.returncode}"
        peaks.append((name, usage.ru_maxrss / 1024))
    seconds = time.monotonic() - started
    if watch:
        watch.stopped.set()
        watch.join()
    if way.output:
        target.close()
    if failed:
        sys.exit(failed)
    return Run(seconds, peaks, watch.most if watch else 0)


def rounds(ways, count, environment, before=lambda: None, after=lambda: None):
    """`count` runs of each way, in turns; who goes first changes from round to round. The runs by the way's name."""
    results = {way.name: [] for way in ways}
    for number in range(count):
        first = number % len(ways)
        for way in ways[first:] + ways[:first]:
            if way.rounds is not None and number >= way.rounds:
                continue
            before()
            os.sync()
            results[way.name].append(run(way, environment))
            note(f"round {number + 1}: {way.name} {results[way.name][-1].seconds:.2f} s")
        after()
    return results


def environment():
    """All spill files go to one disk, and bytes are compared as bytes."""
    return dict(os.environ, LC_ALL="C", TMPDIR=str(DATA))


def read_once(source):
    """Reads the file, so that the first run finds it in memory as the later ones do."""
    with open(source, "rb", buffering=0) as file:
        while file.read(1 << 20):
            pass


def made_rows(count, distinct=False):
    """The file of `count` seed-shaped rows, created if it is missing, and read once."""
    file = DATA / f"rows-{count}{'-labels' if distinct else ''}.json"
    DATA.mkdir(exist_ok=True)
    if not file.exists():
        note(f"Making {file.name}")
        command = [sys.executable, str(HERE / "make_rows.py"), "--rows", str(count), str(file)]
        subprocess.run(command + (["--distinct-labels"] if distinct else []), check=True)
    read_once(file)
    return file


def spread(values, digits=2):
    """Median, least and most."""
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def ratios(ours, others):
    """How many times faster ours was, in each round that both ran in."""
    return [other.seconds / own.seconds for own, other in zip(ours, others)]


def verdict(ok):
    return "ok" if ok else "MISSED"


def peaks_by_process(runs):
    """(name, the highest peak of all runs) of each process of a way."""
    return [(name, max(one.peaks[index][1] for one in runs)) for index, (name, _) in enumerate(runs[0].peaks)]


def mebibytes(peak):
    """A process starts as a copy of this one, and the kernel's count starts with that."""
    floor = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return f"{peak:.0f}" if peak > floor * 1.02 else f"<{floor:.0f}"
