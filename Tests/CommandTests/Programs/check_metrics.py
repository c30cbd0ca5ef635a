#!/usr/bin/env python3
"""Checks files against Prometheus's text format, as `promtool check metrics` would: check_metrics.py FILE...

Names, labels and their escapes, values, one HELP and one TYPE before a metric's lines, all of a metric's lines together,
no duplicate line, a line feed at the end. Prints each error with its line, and exits 1 if there is one.
"""
import re
import sys

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\\\|\\"|\\n)*"'
SAMPLE = re.compile(rf"^({NAME})(\{{(?:{LABEL}(?:,{LABEL})*)?\}})? (\S+)$")
TYPES = {"counter", "gauge", "histogram", "summary", "untyped"}


def problems(text):
    if not text.endswith("\n"):
        yield 0, "no line feed at the end"
    described, typed, done, series = set(), set(), set(), set()
    current = None
    for number, line in enumerate(text.split("\n")[:-1], 1):
        if line.startswith("# "):
            words = line.split(" ", 3)
            kind, name = words[1], words[2] if len(words) > 2 else ""
            if kind not in ("HELP", "TYPE"):
                continue
            known = described if kind == "HELP" else typed
            if name in known:
                yield number, f"a second {kind} of {name}"
            known.add(name)
            if kind == "TYPE" and (len(words) < 4 or words[3] not in TYPES):
                yield number, "no such type"
            if kind == "HELP" and (len(words) < 4 or not words[3].strip()):
                yield number, "help without words"
            continue
        found = SAMPLE.match(line)
        if not found:
            yield number, f"not a metric: {line!r}"
            continue
        name, labels, value = found.groups()
        if name not in described or name not in typed:
            yield number, f"{name} has no HELP and TYPE before it"
        if name != current and name in done:
            yield number, f"the lines of {name} are not together"
        current = name
        done.add(name)
        if (name, labels) in series:
            yield number, "the same labels twice"
        series.add((name, labels))
        names = re.findall(r'([a-zA-Z_][a-zA-Z0-9_]*)="', re.sub(r'"(?:[^"\\]|\\.)*"', '""', labels or "").replace('""', '"'))
        if len(names) != len(set(names)):
            yield number, "a label twice"
        try:
            float(value)
        except ValueError:
            yield number, f"{value!r} is not a number"
    if not series:
        yield 0, "no metric at all"


def main(*files):
    status = 0
    for name in files:
        with open(name, encoding="utf-8", newline="") as file:
            for line, what in problems(file.read()):
                print(f"{name}:{line}: {what}")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
