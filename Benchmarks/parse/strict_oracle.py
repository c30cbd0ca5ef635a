#!/usr/bin/env python3
"""Compares `cdpipe parse --strict` with Python's json module on valid and mutated documents.

    Benchmarks/parse/strict_oracle.py [--documents 5000] [--seed N] [--command 'cdpipe parse --strict --format json -']

Prints the first documents on which the two disagree, and exits with 1 if there are any. Python's module is configured
to be strict: without NaN and Infinity, UTF-8 only, and numbers of any length. Documents are nested at most 100 levels
deep, so that neither limit matters. A rejected row (such as half of a surrogate pair as a label) does not count as a
disagreement, because the document is valid JSON.
"""

import argparse
import json
import os
import random
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

PIECES = [
    b"{", b"}", b"[", b"]", b":", b",", b'"', b"\\", b"\\u", b"\\ud83d", b"\\ude00", b"\\n", b"\\x", b"\n", b"\r", b"\t",
    b" ", b"\0", b"\x1f", b"\x7f", b"0", b"1", b"-", b"+", b".", b"e", b"E", b"01", b"1.", b".5", b"1e", b"true", b"false",
    b"null", b"nul", b"NaN", b"Infinity", b"-Infinity", b"'", b"//", b"/*", b"*/", b"#", b"\xef\xbb\xbf", b"\x80",
    b"\xc3\xa9", b"\xc3", b"\xed\xa0\x80", b"\xf0\x9f\x98\x80", b"\xf4\x90\x80\x80", b"\xc2\xa0", b"\xe2\x80\xa8", b"{}", b"[]",
    b'""', b'"a":1', b",,", b"\xff",
]  # fmt: skip


SHOWN_MAX = 20


def value(lot, depth):
    kind = lot.randrange(9 if depth < 6 else 6)
    if kind == 0:
        return lot.choice(["true", "false", "null"])
    if kind in (1, 2):
        whole = lot.choice(["0", "-0", "7", "-12", "8613800138000", "1" * 40])
        return whole + lot.choice(["", "", ".0", ".25"]) + lot.choice(["", "", "e5", "E-3", "e+400"])
    if kind < 6:
        return string(lot)
    gap = lot.choice(["", "", " ", "\n", "\t\r\n "])
    if kind < 8:
        return "{" + gap + f"{gap},{gap}".join(
            f"{string(lot)}{gap}:{gap}{value(lot, depth + 1)}" for _ in range(lot.randrange(4))
        ) + gap + "}"
    return "[" + gap + f",{gap}".join(value(lot, depth + 1) for _ in range(lot.randrange(5))) + gap + "]"


def string(lot):
    parts = ["", "861380013800", "骚扰电话", "é", "😀", "a b", "\\n", "\\u0041", "\\ud83d\\ude00", "\\ud800", '\\"', "\\\\", "/", "}"]
    return '"' + "".join(lot.choice(parts) for _ in range(lot.randrange(4))) + '"'


def mutated(lot, document):
    data = bytearray(document)
    for _ in range(lot.choice([0, 1, 1, 1, 2, 3])):
        at = lot.randrange(len(data) + 1)
        way = lot.randrange(5)
        if way == 0:
            del data[at : at + 1]
        elif way == 1 and at < len(data):
            data[at] = lot.randrange(256)
        elif way == 2:
            data[at:at] = lot.choice(PIECES)
        elif way == 3:
            del data[at : at + lot.randrange(8)]
        else:
            del data[at:]
    return bytes(data)


def refuse(word):
    raise ValueError(word)


def is_json(document):
    try:
        json.loads(document.decode("utf-8"), parse_constant=refuse, parse_int=str, parse_float=str)
    except ValueError:
        return False
    return True


def main():
    parser = argparse.ArgumentParser(description="Compares cdpipe parse --strict with Python's json.")
    parser.add_argument("--documents", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--command", default=".build/release/cdpipe parse --strict --format json -")
    arguments = parser.parse_args()
    command = shlex.split(arguments.command)
    lot = random.Random(arguments.seed)
    documents = [mutated(lot, value(lot, 0).encode("utf-8")) for _ in range(arguments.documents)]

    def accepts(document):
        run = subprocess.run(command, input=document, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        said = run.stderr.decode("utf-8", "replace")
        if run.returncode not in (0, 65, 74):
            sys.exit(f"strict_oracle.py: status {run.returncode} for {document!r}: {said}")
        return not ("RFC 8259" in said or "notJSON" in said or "encoding" in said.lower())

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = list(pool.map(accepts, documents))
    valid = 0
    disagreements = 0
    for document, answer in zip(documents, answers):
        valid += is_json(document)
        if answer != is_json(document):
            disagreements += 1
            if disagreements > SHOWN_MAX:
                continue
            print(f"python:  {is_json(document)}, cdpipe:  {answer}: {document!r}")
    print(
        f"seed {arguments.seed}: {len(documents)} documents, {valid} of them JSON, {disagreements} disagreements",
        file=sys.stderr,
    )
    return 1 if disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
