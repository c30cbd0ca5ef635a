#!/usr/bin/env python3
"""Runs the steps of `make test` and `make check`: a line for each, and a summary at the end.

    scripts/run_steps.py NAME STEPS

STEPS has a step per line: a title, `: `, and a command for bash. All output goes to .build/NAME.log; of a step that fails,
the failures are printed, too. The steps after it are run nevertheless, so that one run finds all failures, except after
one whose title begins with `build`: the others need what it builds.

The summary has the tests that Swift's test runner counts, and what a step counts itself, with lines like these:

    passed: 12 documents
    skipped: mlr is not installed

.build/NAME.counts receives the numbers of passed and failed tests and other checks. Exits with 1 if a step failed.
"""

import collections
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FAILURE_LINES_MAX = 80
REASONS_MAX = 6
NAMES_MAX = 6

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
RUN = re.compile(r"Test run with (\d+) tests? .*(passed|failed) after")
FAILED_TEST = re.compile(r"✘ Test (?!run with)(.*) failed after")
SKIPPED_TEST = re.compile(r"^\S+ Test .* skipped(?:: \"(.*)\"|\.)?$")
COUNTED = re.compile(r"passed: ([\d,]+) (.+)")
SKIPPED = re.compile(r"skipped: (.+)")
# What the test runner prints between the lines of a failure.
OTHER_TEST = re.compile(r"[◇✔➜]|\[\d+/\d+\]")


class Results:
    """What the steps passed, failed and skipped."""

    def __init__(self):
        self.counts = collections.Counter()
        self.skipped = collections.Counter()
        self.failed_tests = []
        self.failed_steps = []
        self.steps = 0

    def read(self, lines, status):
        """Adds what the output of a step counts, and returns these counts alone. A step that failed counts only tests."""
        own = collections.Counter()
        failed = [test[1] for line in lines if (test := FAILED_TEST.search(line))]
        for line in lines:
            if run := RUN.search(line):
                own["tests"] += int(run[1])
            elif test := SKIPPED_TEST.match(line):
                self.skipped[test[1] or "no reason given"] += 1
            elif (counted := COUNTED.fullmatch(line)) and status == 0:
                own[counted[2]] += int(counted[1].replace(",", ""))
            elif reason := SKIPPED.fullmatch(line):
                self.skipped[reason[1]] += 1
        own["tests"] -= min(len(failed), own["tests"])
        self.failed_tests += failed
        own = +own
        self.counts.update(own)
        return own

    def summary(self, name, seconds):
        """The last line."""
        passed = in_words(self.counts) or "nothing"
        if others := self.steps - len(self.failed_steps):
            passed += f" in {others} steps"
        parts = [f"passed: {passed}"]
        if self.failed_steps:
            # The names of tests are here, too: where only the end of the output is kept, they would be lost.
            failed = ", ".join(self.failed_steps) + "".join(f"; test {test}" for test in self.failed_tests[:NAMES_MAX])
            parts.insert(0, f"FAILED: {failed} (.build/{name}.log has the output)")
        reasons = [reason if count == 1 else f"{count}: {reason}" for reason, count in self.skipped.items()]
        more = ["…"] if len(reasons) > REASONS_MAX else []
        reasons = "; ".join(reasons[:REASONS_MAX] + more)
        parts.append(f"skipped: {self.skipped.total()} ({reasons})" if reasons else "skipped: none")
        return f"make {name}: " + "; ".join([*parts, f"{seconds:.0f} s"])


def in_words(counts):
    return ", ".join(f"{count:,} {what}" for what, count in counts.items())


def failures(lines):
    """The lines that show why a step failed: the failures of tests, or else the errors of a build, or else the last lines."""
    marks = ["✘"] if any("✘" in line for line in lines) else [" error: ", "error:"]
    shown, is_failure = [], False
    for line in lines:
        if any(mark in line for mark in marks):
            is_failure = True
        elif OTHER_TEST.match(line):
            is_failure = False
        if is_failure:
            shown.append(line)
    return shown[:FAILURE_LINES_MAX] or lines[-FAILURE_LINES_MAX // 2 :]


def run(command, log):
    """Runs a command. Returns its status and the lines that it printed."""
    lines = []
    with subprocess.Popen(
        ["bash", "-euo", "pipefail", "-c", command], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace",
    ) as process:
        for line in process.stdout:
            line = COLOUR.sub("", line.rstrip("\n"))
            lines.append(line)
            print(line, file=log, flush=True)
    return process.returncode, lines


def main():
    name, steps = sys.argv[1], [line.strip().partition(": ") for line in sys.argv[2].splitlines() if line.strip()]
    started = time.monotonic()
    results = Results()
    width = max(len(title) for title, _, _ in steps)
    path = ROOT / ".build" / f"{name}.log"
    path.parent.mkdir(exist_ok=True)
    with path.open("w") as log:
        for title, _, command in steps:
            print(f"{title:{width}} … ", end="", flush=True)
            print(f"\n=== {title}: {command}", file=log, flush=True)
            start = time.monotonic()
            status, lines = run(command, log)
            seconds = time.monotonic() - start
            results.steps += 1
            own = results.read(lines, status)
            if status == 0:
                print(", ".join(filter(None, [in_words(own), f"{seconds:.0f} s"])), flush=True)
                continue
            results.failed_steps.append(title)
            print(f"FAILED after {seconds:.0f} s, status {status}", flush=True)
            print("\n".join("  " + line for line in failures(lines)), flush=True)
            if title.startswith("build"):
                break
    tests = results.counts["tests"]
    passed = tests + results.steps - len(results.failed_steps)
    failed = max(len(results.failed_tests), len(results.failed_steps))
    path.with_suffix(".counts").write_text(f"{passed} {failed}\n")
    print(results.summary(name, time.monotonic() - started))
    return 1 if results.failed_steps else 0


if __name__ == "__main__":
    sys.exit(main())
