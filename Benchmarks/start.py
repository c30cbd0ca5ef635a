"""Measures the time from start to end of programs with empty input. The part `start`.

Programs run alternately, hundreds of times, on /dev/null. A process is spawned and waited for without a shell; the cost
of that alone is the time of `true`.
"""

import os
import statistics
import time

from measuring import environment
from results import Part

START_BAR = 5.0
"""The maximum time from the start of a filter to its end in milliseconds."""
OVER_TRUE_BAR = 3.0
"""The maximum time of `cdpipe --version` minus that of `true`, in milliseconds."""
ROUNDS_EACH = 40
"""The number of starts of each program per requested round: a start takes only milliseconds, so repeating it is cheap."""


def milliseconds(command, environment):
    files = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1)]
    started = time.perf_counter()
    process = os.posix_spawnp(command[0], command, environment, file_actions=files)
    _, status = os.waitpid(process, 0)
    taken = (time.perf_counter() - started) * 1000
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"{' '.join(command)} ended with status {os.waitstatus_to_exitcode(status)}")
    return taken


def measure(name, options):
    cdpipe = options.cdpipe
    commands = {
        "true": ["true"],
        "cdpipe --version": [cdpipe, "--version"],
        "cdpipe parse": [cdpipe, "parse", "--format", "lines"],
        "cdpipe normalize": [cdpipe, "normalize", "--region", "CN"],
        "cdpipe sort": [cdpipe, "sort"],
        "cdpipe dedupe": [cdpipe, "dedupe"],
    }
    times = {program: [] for program in commands}
    count = options.runs * ROUNDS_EACH
    for _ in range(count):
        for program, command in commands.items():
            times[program].append(milliseconds(command, environment()))
    medians = {program: statistics.median(taken) for program, taken in times.items()}
    part = Part(name, rounds=options.runs)
    part.text(f"{count} starts each.")
    part.table(
        ["program", "ms, median (minimum)", "more than `true`"],
        [[f"`{program}`", f"{medians[program]:.1f} ({min(taken):.1f})", f"{medians[program] - medians['true']:.1f}"]
         for program, taken in times.items()])
    part.figure("the slowest", max(medians.values()), "ms", at_most=START_BAR)
    over = medians["cdpipe --version"] - medians["true"]
    part.figure("`cdpipe --version`, more than `true`", over, "ms", at_most=OVER_TRUE_BAR)
    return part
