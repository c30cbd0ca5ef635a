#!/usr/bin/env python3
"""Compares NumberPlan's answers with libphonenumber's on millions of generated inputs, and on real ones.

    pip install phonenumbers==9.0.35
    swift build --traits Tool -c release --product number-answers
    python3 compare_numbers.py [--seed S] [--count N] [--answers FILE] [--jobs J] [--show K]
                               [--sweep] [--inputs FILE ...] [--corpus FOLDER ...] [--cn-marked FILE] [--ftc FILE]
                               [--only KIND ...]

It compares the number that was read, or why the text is not a number; calling code, national number, leading zeros,
extension; whether the number is possible and why not, and whether it is valid; its region and its type; its national
and its international form.

The same seed and count generate the same inputs: all regions' example numbers in
every form that libphonenumber writes (some of each if the count is small), then, alternating, all kinds of forms in
dialled_forms.py, written_forms.py, parameter_forms.py and odd_forms.py. --sweep adds numbers with every prefix of
four digits in every length of every calling code. A difference is shown with its region and the text, escaped as a line
for `number-answers`; --inputs FILE compares such lines again. Exits 1 if there is a difference.

For each kind, the oracle's counts of numbers and errors are printed, too: a kind that is never a number, or never an
error, may test less than it should.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import multiprocessing
import os
import pathlib
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import Iterator

import forms
import oracle

CHUNK = 10_000
"""The number of inputs that one process generates and compares at a time."""

CHECKED_EVERY = 50
"""One of this many inputs is also answered by the oracle's public functions, to verify the faster code."""

DIFFERENCES_KEPT = 200
"""Per chunk; all are counted."""

ROOT = pathlib.Path(__file__).resolve().parents[3]


@dataclass
class Difference:
    kind: str
    region: str
    text: str
    expected: str
    found: str

    def what(self) -> str:
        """Returns the fields that differ, or the two answers if one of them is an error."""
        if self.expected[:1] == "!" or self.found[:1] == "!":
            names = (each if each[:1] in "!?" else "a number" for each in (self.expected, self.found))
            return "{} but found {}".format(*names)
        pairs = itertools.zip_longest(oracle.FIELDS, self.expected.split("\t"), self.found.split("\t"))
        return ", ".join(str(name) for name, expected, found in pairs if expected != found)


@dataclass
class Outcome:
    numbers: collections.Counter = field(default_factory=collections.Counter)
    errors: collections.Counter = field(default_factory=collections.Counter)
    valid: collections.Counter = field(default_factory=collections.Counter)
    failures: collections.Counter = field(default_factory=collections.Counter)
    groups: collections.Counter = field(default_factory=collections.Counter)
    differing: int = 0
    shown: list[Difference] = field(default_factory=list)

    def add(self, other: Outcome):
        for name in ("numbers", "errors", "valid", "failures", "groups"):
            getattr(self, name).update(getattr(other, name))
        self.differing += other.differing
        self.shown += other.shown


def escaped(text: str) -> str:
    """Returns a text as it is written on a line."""
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def ask(tool: str, inputs: list[forms.Input]) -> list[str]:
    """Returns the tool's lines for the inputs."""
    lines = "".join([f"{region}\t{escaped(text)}\n" for _, region, text in inputs])
    run = subprocess.run([tool], input=lines.encode(), capture_output=True)
    found = run.stdout.decode(errors="replace").split("\n")
    if run.returncode or len(found) != len(inputs) + 1:
        at = min(len(found) - 1, len(inputs) - 1)
        region, text = inputs[at][1:]
        raise SystemExit(
            f"{tool}: status {run.returncode}, {len(found) - 1} answers to {len(inputs)} inputs"
            f"\n  near: {region}\t{escaped(text)}\n  {run.stderr.decode(errors='replace')[-1000:]}"
        )
    return found[:-1]


def compare(tool: str, inputs: list[forms.Input]) -> Outcome:
    """Queries both and keeps the differences."""
    outcome = Outcome()
    for index, ((kind, region, text), found) in enumerate(zip(inputs, ask(tool, inputs))):
        expected = oracle.answer(region, text)
        if index % CHECKED_EVERY == 0 and expected != oracle.full_answer(region, text):
            raise SystemExit(f"oracle.answer differs from oracle.full_answer: {region}\t{escaped(text)}")
        if expected[0] == "!":
            outcome.errors[kind] += 1
        elif expected[0] == "?":
            outcome.failures[kind, expected] += 1
            continue
        else:
            outcome.numbers[kind] += 1
            outcome.valid[kind] += expected.split("\t")[5] == "1"
        if expected != found:
            difference = Difference(kind, region, text, expected, found)
            outcome.differing += 1
            outcome.groups[difference.what(), kind] += 1
            if len(outcome.shown) < DIFFERENCES_KEPT:
                outcome.shown.append(difference)
    return outcome


def work(job) -> Outcome:
    """Compares one chunk, in a separate process."""
    tool, maker, arguments, only = job
    inputs = getattr(forms, maker)(*arguments) if isinstance(maker, str) else maker
    return compare(tool, [each for each in inputs if not only or each[0] in only])


def jobs(options) -> Iterator[tuple]:
    """Yields the chunks of the whole run."""
    only = set(options.only)
    # The examples are some 70,000 texts; in a small run they are a quarter of the inputs at most.
    share = min(1.0, options.count / 4 / 70_000)
    if not only or "examples" in only:
        for home in forms.EXAMPLE_HOMES:
            yield options.answers, "examples", (home, options.seed, share), only
    if options.sweep:
        for code in oracle.CALLING_CODES:
            yield options.answers, "sweep", (code, options.seed), only
    for chunk in range(-(-options.count // CHUNK)):
        count = min(CHUNK, options.count - chunk * CHUNK)
        yield options.answers, "generated", (f"{options.seed}/{chunk}", count), only
    real = [forms.from_lines(path) for path in options.inputs]
    real += [forms.from_corpus(folder) for folder in options.corpus]
    if options.cn_marked:
        real.append(forms.cn_marked(options.cn_marked))
    if options.ftc:
        real.append(forms.ftc(options.ftc))
    lines = itertools.chain(*real)
    while piece := list(itertools.islice(lines, CHUNK)):
        yield options.answers, piece, (), only


def report(outcome: Outcome, options, seconds: float):
    """Prints the tables, then the differences by kind."""
    print(f"{'kind':32} {'numbers':>9} {'valid':>9} {'errors':>9}")
    for kind in sorted({*outcome.numbers, *outcome.errors}):
        print(f"{kind:32} {outcome.numbers[kind]:9} {outcome.valid[kind]:9} {outcome.errors[kind]:9}")
    numbers, errors = outcome.numbers.total(), outcome.errors.total()
    print(f"{'all':32} {numbers:9} {outcome.valid.total():9} {errors:9}")
    for (kind, name), count in outcome.failures.most_common():
        print(f"the oracle failed with {name[1:]}: {count} of {kind}, not compared")
    if outcome.differing:
        print(f"\n{'count':>8}  what differs: in which kinds of forms")
        for what, kinds in by_what(outcome.groups)[: options.show]:
            most = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common(4))
            print(f"{kinds.total():8}  {what}: {most}{' …' if len(kinds) > 4 else ''}")
        print("\nREGION TAB TEXT, then libphonenumber's answer (-) and ours (+)")
        outcome.shown.sort(key=lambda each: (each.what(), len(each.text), each.text, each.region))
        for each in fair(outcome.shown, options.show):
            print(f"{each.region}\t{escaped(each.text)}   [{each.what()}; {each.kind}]")
            print(f"  - {each.expected!r}\n  + {each.found!r}")
    print(
        f"\n{numbers + errors} inputs, {outcome.differing} differ; seed {options.seed}, count {options.count}", end=""
    )
    print(f", {seconds:.1f} s")
    if not outcome.differing:
        print(f"passed: {numbers + errors} compared numbers")


def by_what(groups: collections.Counter) -> list[tuple[str, collections.Counter]]:
    """Returns the counts of (what, kind) as a table of kinds for every `what`, the most frequent first."""
    table = collections.defaultdict(collections.Counter)
    for (what, kind), count in groups.items():
        table[what][kind] += count
    return sorted(table.items(), key=lambda each: (-each[1].total(), each[0]))


def fair(differences: list[Difference], most: int) -> list[Difference]:
    """Returns at most `most` of them, with an equal share of every group."""
    groups = collections.defaultdict(list)
    for each in differences:
        groups[each.what()].append(each)
    turns = itertools.chain.from_iterable(itertools.zip_longest(*groups.values()))
    kept = itertools.islice((each for each in turns if each), most)
    return sorted(kept, key=lambda each: each.what())


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", default="20260117", help="what the inputs are made from (%(default)s)")
    parser.add_argument(
        "--count", type=int, default=1_000_000, help="generated inputs, beside the examples (%(default)s)"
    )
    parser.add_argument("--answers", default=str(ROOT / ".build/release/number-answers"), help="the tool (%(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes (%(default)s)")
    parser.add_argument("--show", type=int, default=40, help="differences shown (%(default)s)")
    parser.add_argument("--inputs", nargs="*", default=[], metavar="FILE", help="lines REGION TAB TEXT")
    parser.add_argument("--corpus", nargs="*", default=[], metavar="FOLDER", help="inputs that Fuzzing/run.sh has kept")
    parser.add_argument("--sweep", action="store_true", help="all beginnings of all plans' numbers too, millions")
    parser.add_argument("--cn-marked", metavar="FILE", help="a list of Chinese numbers, as JSON rows")
    parser.add_argument("--ftc", metavar="FILE", help="a day of U.S. complaints, as CSV")
    parser.add_argument("--only", nargs="*", default=[], metavar="KIND", help="only these kinds of forms")
    options = parser.parse_args()
    if not os.access(options.answers, os.X_OK):
        parser.error(f"there is no '{options.answers}'\n  hint: swift build --traits Tool -c release --product number-answers")
    names = {"examples", "sweep", *(name for name, _ in forms.KINDS)}
    if unknown := set(options.only) - names:
        parser.error(f"no kinds of forms: {', '.join(unknown)}\n  hint: {', '.join(sorted(names))}")
    return options


def main() -> int:
    options = arguments()
    start = time.monotonic()
    print(f"seed {options.seed}", flush=True)
    whole = Outcome()
    with multiprocessing.get_context("fork").Pool(options.jobs) as pool:
        for outcome in pool.imap_unordered(work, jobs(options)):
            whole.add(outcome)
    report(whole, options, time.monotonic() - start)
    return 1 if whole.differing else 0


if __name__ == "__main__":
    sys.exit(main())
