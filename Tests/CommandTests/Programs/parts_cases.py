#!/usr/bin/env python3
"""Makes random lists in parts, without an engine, and compares everything that is written with 'cdpipe run'.

    parts_cases.py CDPIPE DIR [--lists N] [--seed N]

Each list has numbers, ranges that overlap, and rows that are rejected, in several sources; each is made with every policy of
dedupe, with random steps (limit, coalesce, a label map, a minimum score, an allow list), and in 1 to 64 parts. The shards
have deltas from those of the first source. Prints a line per list, and the seed of one that differs; exits with 1 then.
"""
import argparse
import filecmp
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
POLICIES = ["first", "last", "highest-score", "most-frequent", "priority"]
PARTS = [1, 2, 3, 5, 7, 16, 64]


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def row(draw):
    """A row of a source: a number, a range of up to a thousand numbers or, rarely, one of many more; or no number."""
    kind = draw.random()
    first = 8613900000000 + draw.randrange(60_000)
    if kind < 0.03:
        return "no number\tx"
    number = str(first)
    if kind < 0.25:
        number += "..%d" % (first + draw.choice([1, 9, 99, 999]) + (20_000 if kind < 0.035 else 0))
    fields = [number, "label %d" % draw.randrange(6), "", str(draw.randrange(9))]
    return "\t".join(fields[: draw.choice([1, 2, 4, 4])])


def make(folder, draw, policy):
    """Writes a pipeline file, its sources, and the same sources as pipes. Returns the options of dedupe, those of its last
    steps, and whether an allow list is subtracted."""
    names = ["source %d" % index for index in range(draw.randrange(2, 6))]
    sources, pipes = [], []
    for index, name in enumerate(names):
        count = 0 if index and draw.random() < 0.1 else draw.randrange(50, 400)
        write(os.path.join(folder, "%d.tsv" % index), "".join(row(draw) + "\n" for _ in range(count)))
        sources.append("  - { name: %s, path: %d.tsv, parse: { source: '=%s' }, region: CN }\n" % (name, index, name))
        pipes.append("parse %d.tsv --source '=%s' | normalize --region CN\n" % (index, name))
    dedupe, last = {"keep": policy}, {}
    if policy == "priority":
        dedupe["priority"] = draw.sample(names, 2)
    if draw.random() < 0.3:
        last["limit"] = draw.choice([10, 500, 30_000])
    if draw.random() < 0.5:
        last["coalesce"] = True
    if draw.random() < 0.3:
        write(os.path.join(folder, "labels.txt"), "label 1 = label 2\nlabel 3 =\nlabel 4 = -\n")
        dedupe["map-labels"] = "labels.txt"
    if draw.random() < 0.3:
        dedupe["min-score"] = 2
    has_allowed = draw.random() < 0.4
    write(os.path.join(folder, "allow.tsv"), "8613900000500..8613900001999\n8613900030000\n")
    emit = "emit:\n  - { format: store, path: shards, max-entries: 5000, baseline: %s, allow-empty: true }\n  - { path: list.csv, allow-empty: true }\n"
    write(os.path.join(folder, "first.yaml"), "sources:\n" + sources[0] + emit % "none")
    write(
        os.path.join(folder, "list.yaml"),
        "sources:\n" + "".join(sources) + "dedupe: %s\n" % json.dumps({**dedupe, **last, "conflicts": "conflicts.tsv"})
        + ("subtract: { lists: [allow.tsv] }\n" if has_allowed else "") + emit % "first")
    write(os.path.join(folder, "list.pipes"), "".join(pipes))
    return options(dedupe), options(last), has_allowed


def options(keys):
    """The options of a command for keys of a pipeline file."""
    typed = []
    for key, value in keys.items():
        for one in value if isinstance(value, list) else [value]:
            typed += ["--" + key] + ([] if one is True else [str(one)])
    return typed


def run_in_parts(cdpipe, folder, parts, dedupe, last, has_allowed):
    """Makes the list in parts, and writes what the pipeline file writes."""
    script = os.path.join(ROOT, "pipelines/spark/run_in_parts.sh")
    command = [script, "-p", str(parts), "-j", "2", "-c", "list.pipes", "parts", *dedupe]
    steps = ["set -eo pipefail", shlex.join(command), "cat parts/part-*.conflicts >conflicts.tsv"]
    pipe = ["cat parts/part-*.tsv"]
    if last:
        pipe.append("cdpipe dedupe --quiet --conflicts last.tsv " + " ".join(last))
    if has_allowed:
        pipe.append("cdpipe subtract --quiet - allow.tsv")
    steps += [" | ".join(pipe) + " >records"]
    if last:
        steps += ["cat last.tsv >>conflicts.tsv"]
    steps += [
        "cdpipe emit --quiet --allow-empty --format store --max-entries 5000 --baseline first --output shards records",
        "cdpipe emit --quiet --allow-empty --output list.csv records", "cat parts/source-*.rejects >rejects", "rm -r parts"]
    environment = {**os.environ, "CDPIPE": cdpipe, "PATH": os.path.dirname(cdpipe) + ":" + os.environ["PATH"]}
    return subprocess.run(
        ["bash", "-c", "\n".join(steps)], cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)


def same(one, other):
    """Whether two folders have the same files."""
    names = {os.path.relpath(os.path.join(path, name), folder)
             for folder in (one, other) for path, _, files in os.walk(folder) for name in files if name != ".lock"}
    return not any(
        not os.path.isfile(os.path.join(folder, name)) for name in names for folder in (one, other)
    ) and all(filecmp.cmp(os.path.join(one, name), os.path.join(other, name), shallow=False) for name in names)


def move(folder, target):
    """Moves what a run has written, without what only a run of a whole pipeline file knows."""
    os.makedirs(target)
    for name in ("shards", "list.csv", "conflicts.tsv", "rejects"):
        shutil.move(os.path.join(folder, name), os.path.join(target, name))
    path = os.path.join(target, "shards/manifest.json")
    with open(path) as file:
        manifest = json.load(file)
    write(path, json.dumps({key: value for key, value in manifest.items() if key not in ("rows", "sources")}))
    # A pipe does not know the file that a row came from.
    path = os.path.join(target, "rejects")
    with open(path) as file:
        lines = [re.sub(r"^normalize\t.*?(row \d+).*?\t", r"normalize\t\1\t", line) for line in file]
    write(path, "".join(lines))
    # Records that are left out before they are compared are logged ahead of decisions about lower numbers, by up to a batch.
    path = os.path.join(target, "conflicts.tsv")
    with open(path) as file:
        lines = file.readlines()
    late = [line for line in lines if line.split("\t")[3] in ("mapped\n", "mapped", "min-score\n", "min-score")]
    if late:
        write(path, "".join(sorted(lines)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cdpipe")
    parser.add_argument("directory")
    parser.add_argument("--lists", type=int, default=5)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    arguments = parser.parse_args()
    cdpipe = os.path.abspath(arguments.cdpipe)
    runs = 0
    for index in range(arguments.lists):
        for policy in POLICIES:
            seed = "%d %d %s" % (arguments.seed, index, policy)
            draw = random.Random(seed)
            folder = os.path.join(arguments.directory, "list-%d-%s" % (index, policy))
            os.makedirs(folder)
            steps = make(folder, draw, policy)
            subprocess.run([cdpipe, "run", "first.yaml", "--quiet"], cwd=folder, check=True)
            os.rename(os.path.join(folder, "shards"), os.path.join(folder, "first"))
            # A few policies and numbers of parts for each list make all combinations, over many lists.
            whole = os.path.join(folder, "whole")
            subprocess.run([cdpipe, "run", "list.yaml", "--quiet", "--rejects", "rejects"], cwd=folder, check=True)
            move(folder, whole)
            for parts in draw.sample(PARTS, 2) if arguments.lists < 50 else PARTS:
                target = os.path.join(folder, "parts-%d" % parts)
                done = run_in_parts(cdpipe, folder, parts, *steps)
                if done.returncode == 0:
                    move(folder, target)
                if done.returncode != 0 or not same(whole, target):
                    print("differs: seed %s, %d parts, in %s\n%s" % (seed, parts, folder, done.stderr))
                    return 1
                runs += 1
                shutil.rmtree(target)
            shutil.rmtree(folder)
        print("list %d, seed %d: %d lists in parts are equal" % (index, arguments.seed, runs), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
