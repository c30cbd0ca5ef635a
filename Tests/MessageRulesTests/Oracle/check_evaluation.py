#!/usr/bin/env python3
"""Compares the figures of `cdpipe classify --evaluate` with those of another program, on 5,574 made-up messages.

    check_evaluation.py .build/release/cdpipe [--seed S]
    PYTHONPATH=$(scripts/python-packages.sh --learn) check_evaluation.py .build/release/cdpipe --scikit-learn

The messages have the form of the SMS Spam Collection, and as many are spam: a label, a tab and the text, without a
header or quotes, in UTF-8 or in Latin-1. All of them are put together from the words below. The answers of `cdpipe
classify` and the labels are counted here, by the definitions or by scikit-learn: accuracy, precision, recall and F1 of
each action, their macro and weighted averages, and the confusion matrix must be equal to six digits. So must the counts
of each rule.
"""

from __future__ import annotations

import argparse
import csv
import json
import pathlib
import random
import subprocess
import sys
import tempfile

MESSAGES = 5_574
SPAM = 747
ACTIONS = ["none", "allow", "junk", "promotion", "transaction"]
DIGITS = 6

RULES = """
rules:
  - { name: family, action: allow, when: { body: { contains: [mum, dinner] } } }
  - { name: codes, action: transaction, when: { body: { matches: 'code (is )?[0-9]{4}' } } }
  - { name: prizes, action: junk, when: { body: { contains: [prize, winner, casino, "free entry"] } } }
  - { name: prices, action: junk, when: { body: { matches: '£[0-9]{3}' } } }
  - { name: links, action: junk, when: { body: { link: true, contains: [claim, now] } } }
  - { name: shops, action: promotion, when: { body: { contains: [sale, coupon] } } }
  - { name: big prizes, action: junk, when: { body: { contains: ["big prize"] } } }
  - { name: lottery, action: junk, when: { body: { contains: ["lottery ticket number"] } } }
"""
HAM = [
    "ok", "see you", "at home", "mum", "is dinner ready?", "later", "your code is 4821", "i'm late", "\"quoted\"",
    "the prize of the race", "call me", "lol", "caf\u00e9", "<3", "£5", "on sale", "meeting, at 5", ":-)", "now",
]
JUNK = [
    "free entry", "you are a winner", "claim", "now", "http://win.example.com", "£1000", "£500", "casino", "text YES",
    "call", "urgent!", "\"offer\"", "big prize", "coupon", "sale", "a secret admirer", "ringtone", "to 80000",
]


def messages(seed: int) -> list[tuple[str, str]]:
    """The messages with their labels, in random order."""
    source = random.Random(seed)
    labels = ["spam"] * SPAM + ["ham"] * (MESSAGES - SPAM)
    source.shuffle(labels)
    made = []
    for label in labels:
        # Some messages have words of the other kind.
        words = JUNK if (label == "spam") != (source.random() < 0.05) else HAM
        made.append((label, " ".join(source.choice(words) for _ in range(source.randrange(1, 9)))))
    return made


def share(part: float, total: float) -> float:
    """A share; 0 of nothing, like scikit-learn's zero_division=0."""
    return part / total if total else 0.0


def figures_by_definition(expected: list[str], given: list[str]) -> dict:
    pairs = list(zip(expected, given))
    names = [name for name in ACTIONS if name in expected or name in given]
    actions = {}
    for name in names:
        right = sum(pair == (name, name) for pair in pairs)
        precision = share(right, given.count(name))
        recall = share(right, expected.count(name))
        actions[name] = (precision, recall, share(2 * precision * recall, precision + recall))
    weights = [expected.count(name) for name in names]
    return {
        "accuracy": share(sum(one == other for one, other in pairs), len(pairs)),
        "actions": actions,
        "macro": tuple(share(sum(actions[name][index] for name in names), len(names)) for index in range(3)),
        "weighted": tuple(
            share(sum(actions[name][index] * weight for name, weight in zip(names, weights)), sum(weights))
            for index in range(3)
        ),
        "confusion": {
            (one, other): pairs.count((one, other)) for one in names for other in names if (one, other) in set(pairs)
        },
    }


def figures_by_scikit_learn(expected: list[str], given: list[str]) -> dict:
    from sklearn import metrics

    names = [name for name in ACTIONS if name in expected or name in given]

    def scores(**options) -> list:
        result = metrics.precision_recall_fscore_support(expected, given, zero_division=0, **options)
        return list(result[:3])

    one = scores(labels=names, average=None)
    matrix = metrics.confusion_matrix(expected, given, labels=names)
    return {
        "accuracy": float(metrics.accuracy_score(expected, given)),
        "actions": {name: tuple(float(part[index]) for part in one) for index, name in enumerate(names)},
        "macro": tuple(float(part) for part in scores(average="macro")),
        "weighted": tuple(float(part) for part in scores(average="weighted")),
        "confusion": {
            (names[row], names[column]): int(matrix[row][column])
            for row in range(len(names))
            for column in range(len(names))
            if matrix[row][column]
        },
    }


def figures_by_cdpipe(report: dict) -> dict:
    def scores(part: dict) -> tuple:
        return tuple(part.get(name, 0.0) for name in ("precision", "recall", "f1"))

    return {
        "accuracy": report["accuracy"],
        "actions": {
            part["action"]: scores(part) for part in report["actions"] if part["expected"] or part["given"]
        },
        "macro": scores(report["macroAverage"]),
        "weighted": scores(report["weightedAverage"]),
        "confusion": {(cell["expected"], cell["given"]): cell["messages"] for cell in report["confusion"]},
    }


def rounded(value):
    """The figures with as many digits as cdpipe prints."""
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, dict):
        return {key: rounded(part) for key, part in value.items()}
    return tuple(rounded(part) for part in value) if isinstance(value, tuple) else value


def is_equal(one, other) -> bool:
    """Whether figures are equal, but for the rounding of the last digit."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(is_equal(one[key], other[key]) for key in one)
    if isinstance(one, tuple):
        return all(is_equal(part, counterpart) for part, counterpart in zip(one, other))
    return abs(one - other) < 0.6 * 10**-DIGITS


def check(condition: bool, message: str) -> None:
    if not condition:
        sys.exit(f"check_evaluation.py: {message}")


def run(program: str, *arguments: str) -> str:
    done = subprocess.run([program, *arguments], capture_output=True, encoding="utf-8")
    check(done.returncode == 0, f"{arguments} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def compare(program: str, folder: pathlib.Path, made: list, encoding: str, labels: dict, by_others) -> None:
    """Compares the figures for the messages in one encoding."""
    table = folder / "SMSSpamCollection"
    table.write_text("".join(f"{label}\t{text}\n" for label, text in made), encoding=encoding, newline="\n")
    rules = folder / "rules.yaml"
    rules.write_text(RULES, encoding="utf-8")
    answers = list(csv.DictReader(run(program, "classify", "--rules", str(rules), str(table)).splitlines()))
    check(len(answers) == len(made), f"{len(answers)} answers to {len(made)} messages")
    given = [answer["action"] for answer in answers]
    # Any action of a label is right; the first one is expected otherwise.
    expected = [
        action if action in labels[label] else labels[label][0] for (label, _), action in zip(made, given)
    ]
    meaning = ",".join(f"{label}={'/'.join(actions)}" for label, actions in labels.items())
    arguments = ["--rules", str(rules), "--evaluate", "label", "--expected-labels", meaning, str(table)]
    report = json.loads(run(program, "classify", "--json", *arguments))
    ours, theirs = figures_by_cdpipe(report), by_others(expected, given)
    for key, figure in theirs.items():
        check(is_equal(ours[key], figure), f"{key}: {ours[key]}, expected {rounded(figure)}")
    for rule in report["rules"]:
        taken = [one == other for one, other, answer in zip(expected, given, answers) if answer["rule"] == rule["rule"]]
        counts = (rule["messages"], rule["correct"])
        check(counts == (len(taken), sum(taken)), f"rule {rule['rule']}: {counts}")
    unreachable = {rule["rule"] for rule in report["rules"] if "unreachable" in rule}
    check(unreachable == {"big prizes"}, f"unreachable: {unreachable}")
    silent = {rule["rule"] for rule in report["rules"] if not rule["messages"]}
    check(silent == {"big prizes", "lottery"}, f"without a message: {silent}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scikit-learn", action="store_true")
    options = parser.parse_args()
    by_others = figures_by_scikit_learn if options.scikit_learn else figures_by_definition
    made = messages(options.seed)
    check(len(made) == MESSAGES, "wrong number of messages")
    with tempfile.TemporaryDirectory() as folder:
        for encoding in ("utf-8", "latin-1"):
            for labels in ({"ham": ["none"], "spam": ["junk"]}, {"ham": ["none", "allow", "transaction"], "spam": ["junk"]}):
                compare(options.program, pathlib.Path(folder), made, encoding, labels, by_others)
    name = "scikit-learn's" if options.scikit_learn else "those of the definitions"
    print(f"{MESSAGES:,} messages (seed {options.seed}): all figures equal {name}")


if __name__ == "__main__":
    main()
