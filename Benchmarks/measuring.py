"""Runs several ways of doing one job alternately, and records their wall time, peak memory and disk usage.

The kernel (wait4) reports wall time and each process's peak memory, so no package is needed. Each round runs every way
once, and a ratio compares two runs of the same round, so that temporary slowdowns of the machine affect both.
"""

import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE / "data"

ROOT = HERE.parent
RELEASE = pathlib.Path(os.environ.get("CDPIPE_TOOLS") or ROOT / ".build" / "release")
"""The folder of the programs that measure parts of cdpipe. `make check`, which only tries them, names another build's."""

def note(text):
    print(text, file=sys.stderr, flush=True)


class Way:
    """A way of doing the job: its name, the commands of its pipe as (name, arguments), and the file for the standard
    output of the last one (None for none). A slow way may set fewer rounds than the others; `watch_spills` measures the
    spill files of the first process."""

    def __init__(self, name, commands, output=None, rounds=None, watch_spills=False):
        self.name = name
        self.commands = commands
        self.output = output
        self.rounds = rounds
        self.watch_spills = watch_spills


class Run:
    """A run of a way: seconds, (name, peak MiB) of each process, and the maximum size of its unnamed files, such as
    spill files, at any time (0 if not measured)."""

    def __init__(self, seconds, peaks, spilled):
        self.seconds = seconds
        self.peaks = peaks
        self.spilled = spilled


class SpillWatch(threading.Thread):
    """Samples the size of a process's deleted open files twenty times a second."""

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


def run(way, environment):
    """Runs a way's commands as a pipe. A failed command ends the whole comparison."""
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
    watch = SpillWatch(processes[0][1].pid) if way.watch_spills else None
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
    """Runs each way `count` times, alternately; the first way changes from round to round. Returns the runs by the
    way's name."""
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
    """Returns the environment: one disk for all spill files, and the C locale for byte order."""
    return dict(os.environ, LC_ALL="C", TMPDIR=str(DATA))


def read_once(source):
    """Reads the file, so that it is in the page cache for the first run, too."""
    with open(source, "rb", buffering=0) as file:
        while file.read(1 << 20):
            pass


def made_rows(count, distinct=False):
    """Returns the file of `count` generated rows; creates it if it is missing, and reads it once."""
    file = DATA / f"rows-{count}{'-labels' if distinct else ''}.json"
    DATA.mkdir(exist_ok=True)
    if not file.exists():
        note(f"Making {file.name}")
        command = [sys.executable, str(HERE / "make_rows.py"), "--rows", str(count), str(file)]
        subprocess.run(command + (["--distinct-labels"] if distinct else []), check=True)
    read_once(file)
    return file


def needed(options, *programs):
    """Whether these programs (names, or paths) are installed; if not, the measurement ends, unless it is a smoke run."""
    missing = [str(program) for program in programs if not shutil.which(str(program))]
    if not missing:
        return True
    if not options.smoke:
        sys.exit(f"bench.py: missing: {', '.join(missing)}\n  hint: make build-bench")
    note(f"skipped: {', '.join(os.path.basename(name) for name in missing)} is missing")
    return False


def pinned():
    """The command that pins a program to one core, if there is one."""
    return ["taskset", "-c", "0"] if shutil.which("taskset") else []


def spread(values, digits=2):
    """Formats the median, minimum and maximum."""
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def ratios(ours, others):
    """Returns how many times faster ours was, for each round in which both ran."""
    return [other.seconds / own.seconds for own, other in zip(ours, others)]


def peaks_by_process(runs):
    """Returns (name, highest peak of all runs) of each process of a way."""
    return [(name, max(one.peaks[index][1] for one in runs)) for index, (name, _) in enumerate(runs[0].peaks)]


def peak_of(runs):
    """Returns the highest peak of all processes of a way."""
    return max(peak for _, peak in peaks_by_process(runs))


def way_table(part, results):
    """Adds a table of the ways: their times and peaks."""
    rows = []
    for name, runs in results.items():
        peaks = peaks_by_process(runs)
        shown = ", ".join(f"{process} {mebibytes(peak)}" if len(peaks) > 1 else mebibytes(peak) for process, peak in peaks)
        rows.append([name, spread([one.seconds for one in runs]), shown])
    part.table(["way", "wall s, median (min–max)", "peak MiB"], rows)


def mebibytes(peak):
    """Formats a peak. A process starts as a copy of this one, so the kernel's count starts at this process's memory."""
    floor = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return f"{peak:.0f}" if peak > floor * 1.02 else f"<{floor:.0f}"
