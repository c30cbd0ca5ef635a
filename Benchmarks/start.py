"""Measures the time from start to end of programs with empty input, for the part `start` of compare.py.

Programs run alternately, hundreds of times, on /dev/null. A process is spawned and waited for without a shell; the cost
of that alone is the time of `true`.
"""

import os
import statistics
import time

from measuring import verdict

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


def compare(cdpipe, runs, environment):
    """Returns the table, and whether the bars are met."""
    commands = {
        "true": ["true"],
        "cdpipe --version": [cdpipe, "--version"],
        "cdpipe parse": [cdpipe, "parse", "--format", "lines"],
        "cdpipe normalize": [cdpipe, "normalize", "--region", "CN"],
        "cdpipe sort": [cdpipe, "sort"],
        "cdpipe dedupe": [cdpipe, "dedupe"],
    }
    times = {name: [] for name in commands}
    for _ in range(runs * ROUNDS_EACH):
        for name, command in commands.items():
            times[name].append(milliseconds(command, environment))
    medians = {name: statistics.median(taken) for name, taken in times.items()}
    lines = ["| program | ms, median (minimum) | more than `true` |", "|---|---|---|"]
    for name, taken in times.items():
        lines.append(f"| `{name}` | {medians[name]:.1f} ({min(taken):.1f}) | {medians[name] - medians['true']:.1f} |")
    slowest = max(median for name, median in medians.items() if name != "true")
    is_soon = slowest <= START_BAR
    is_near = medians["cdpipe --version"] - medians["true"] <= OVER_TRUE_BAR
    lines += ["", f"{runs * ROUNDS_EACH} starts each. Bars: each ≤ {START_BAR:g} ms {verdict(is_soon)}; `--version` at most "
              f"{OVER_TRUE_BAR:g} ms more than `true` {verdict(is_near)}."]
    return "\n".join(lines), is_soon and is_near
