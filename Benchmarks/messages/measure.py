#!/usr/bin/env python3
"""Measures message rules: messages per second on one core, the time from process start to the first answer, and the
private memory of open rules. The rules have 10,000 generated keywords, the messages 160 characters.

  measure.py MESSAGE-RATE CDPIPE [--keywords N] [--messages N] [--check]

Prints a table for docs/design/benchmarks.md; with --check, exits with 1 if a bar is missed.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

RATE_MIN = 1_000_000
FIRST_MAX = 5.0
DIRTY_MAX = 1024
STARTS = 51
KINDS = {"latin": "Latin letters", "han": "Chinese", "mixed": "Chinese with Latin, digits and signs"}


def lines(*command):
    """Returns the lines that a program prints, keyed by the text before the first tab."""
    said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return dict(line.split("\t", 1) for line in said.splitlines())


def figure(text):
    return float(re.match(r"-?[0-9.]+(e-?[0-9]+)?", text)[0])


def started(*command):
    """Returns the time from the start to the end of a program in milliseconds."""
    nowhere = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    began = time.perf_counter()
    process = os.posix_spawn(command[0], command, os.environ, file_actions=nowhere)
    _, status = os.waitpid(process, 0)
    took = time.perf_counter() - began
    if status != 0:
        sys.exit(f"{command} ended with {status}")
    return took * 1e3


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rate")
    parser.add_argument("cdpipe")
    parser.add_argument("--keywords", type=int, default=10_000)
    parser.add_argument("--messages", type=int, default=500_000)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()

    rows = []
    with tempfile.TemporaryDirectory() as folder:
        rules = os.path.join(folder, "words.cdrules")
        rates = lines(options.rate, str(options.keywords), str(options.messages), rules)
        for kind, name in KINDS.items():
            rate = figure(rates[kind])
            rows.append((f"messages of {name}", f"{rate / 1e6:.2f} M/s", f"≥ {RATE_MIN / 1e6:.0f} M/s", rate >= RATE_MIN))

        firsts = [lines(options.rate, "--first", rules) for _ in range(STARTS)]
        opened = statistics.median(figure(first["opened and answered"]) for first in firsts)
        dirty = [figure(first["written to"]) for first in firsts if "written to" in first]
        rows.append((
            "rules opened and the first message answered", f"{opened:.2f} ms", f"≤ {FIRST_MAX:.0f} ms", opened <= FIRST_MAX))

        message = os.path.join(folder, "message.jsonl")
        with open(message, "w", encoding="utf-8") as file:
            file.write('{"sender":"+8613800138000","text":"晚上一起吃饭吗","country":"CN"}\n')
        whole = statistics.median(
            started(options.cdpipe, "classify", "--rules", rules, message) for _ in range(STARTS))
        rows.append((
            "`cdpipe classify` with one message, start to end", f"{whole:.2f} ms", f"≤ {FIRST_MAX:.0f} ms",
            whole <= FIRST_MAX))
        if dirty:
            most = max(dirty)
            rows.append((
                "memory written to, open and asked", f"{most:.0f} KiB", f"≤ {DIRTY_MAX} KiB", most <= DIRTY_MAX))
        size = os.path.getsize(rules)

    print(
        f"{options.keywords:,} keywords, compiled to {size:,} bytes; messages of 160 characters; one core, medians of "
        f"{STARTS} starts.\n")
    print("| what | measured | bar |\n|---|---|---|")
    for what, measured, bar, holds in rows:
        print(f"| {what} | {measured} | {bar}: {'ok' if holds else 'missed'} |")
    if options.check and not all(holds for _, _, _, holds in rows):
        sys.exit(1)


if __name__ == "__main__":
    main()
