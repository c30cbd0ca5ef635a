#!/usr/bin/env python3
"""Makes lists with Spark jobs and compares their stores, deltas, conflicts and rejects with those of 'cdpipe run'.

    spark_job.py [--rows N] [--kills N [--only-kills]] [--seed N]

Reads the sources of Benchmarks/spark/make_sources.py in local[2] and in local-cluster[2,1,1024], with several numbers of
parts; then damaged sources and a full disk; then jobs of which an executor is killed at a random moment.
CDPIPE names the program (default: .build/release/cdpipe). PYTHONPATH has pyspark. Prints a line per run; exits with 1 if a
result differs, or if something is left in the temporary directory.
"""
import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import pyspark

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CDPIPE = os.path.abspath(os.environ.get("CDPIPE") or os.path.join(ROOT, ".build/release/cdpipe"))
CLUSTER = "local-cluster[2,1,1024]"
UNLIKE = ("rows", "sources")
"""The keys of a manifest that only the run of a whole pipeline file writes."""
LIST = "made"
"""The directory that jobs write."""


def job(folder, master, pipes, parts, *options, temporary=None, program=CDPIPE):
    """The process of a job."""
    spark = os.path.dirname(pyspark.__file__)
    environment = {
        **os.environ, "SPARK_HOME": spark, "PYSPARK_PYTHON": sys.executable, "CDPIPE": program,
        "TMPDIR": temporary or folder, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_WORKER_DIR": os.path.join(folder, "worker"),
    }
    settings = {
        "spark.ui.enabled": "false", "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
        "spark.local.dir": temporary or folder,
        "spark.executorEnv.CDPIPE": program, "spark.executorEnv.PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "spark.log.level": "ERROR",
    }
    command = [os.path.join(spark, "bin/spark-submit"), "--master", master]
    for key, value in settings.items():
        command += ["--conf", "%s=%s" % (key, value)]
    command += [os.path.join(ROOT, "pipelines/spark/cdpipe_spark.py"), "--parts", str(parts), "--conflicts", pipes, LIST, "--",
                *options]
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True)


def content(path):
    """What a file must have in common with another one."""
    with open(path, "rb") as file:
        data = file.read()
    if os.path.basename(path) != "manifest.json":
        return data
    return {key: value for key, value in json.loads(data).items() if key not in UNLIKE}


def same(one, other):
    """Whether two files, or two directories of files, are equal."""
    if os.path.isdir(one):
        names = os.listdir(one)
        return sorted(names) == sorted(os.listdir(other)) and all(
            same(os.path.join(one, name), os.path.join(other, name)) for name in names)
    return content(one) == content(other)


def joined(folder, ending):
    """The content of the files of a list with an ending, in order."""
    made = os.path.join(folder, LIST)
    return b"".join(content(os.path.join(made, name)) for name in sorted(os.listdir(made)) if name.endswith(ending))


class Checks:
    def __init__(self):
        self.failures = 0

    def note(self, is_right, text):
        print(("" if is_right else "WRONG ") + text, flush=True)
        self.failures += 0 if is_right else 1


def is_whole(folder, whole):
    """Whether the list that a job has made has the stores, deltas, conflicts and number of rejects of one process. Removes
    the list."""
    made = os.path.join(folder, LIST)
    if not os.path.isdir(made):
        return False
    records, shards = os.path.join(folder, "records"), os.path.join(folder, "shards")
    with open(records, "wb") as file:
        file.write(joined(folder, ".tsv"))
    shutil.rmtree(shards, ignore_errors=True)
    for output in (["--format", "store", "--baseline", "first", "--output", "shards"], ["--output", "list.csv"]):
        subprocess.run([CDPIPE, "emit", "--quiet", *output, records], check=True, cwd=folder)
    with open(os.path.join(folder, "conflicts.tsv"), "wb") as file:
        file.write(joined(folder, ".conflicts"))
    is_right = all(same(os.path.join(whole, name), os.path.join(folder, name))
                   for name in ("shards", "list.csv", "conflicts.tsv"))
    rejects = content(os.path.join(whole, "rejects")).count(b"\n")
    is_right = is_right and joined(folder, ".rejects").count(b"\n") == rejects
    shutil.rmtree(made)
    return is_right


def make_whole(folder, pipeline, *options):
    """Runs a pipeline file in one process. Returns the directory with its outputs."""
    whole = os.path.join(folder, "whole")
    shutil.rmtree(whole, ignore_errors=True)
    os.mkdir(whole)
    shutil.rmtree(os.path.join(folder, "shards"), ignore_errors=True)
    subprocess.run(
        [CDPIPE, "run", "--quiet", pipeline, "--set", "dedupe.conflicts=conflicts.tsv", "--rejects", "rejects", *options],
        check=True, cwd=folder)
    for name in ("shards", "list.csv", "conflicts.tsv", "rejects"):
        os.rename(os.path.join(folder, name), os.path.join(whole, name))
    return whole


def compare(checks, folder, whole, master, pipes, parts, *options):
    """Runs a job, and compares its list with that of a single process. Returns the seconds it needed."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        process = job(folder, master, pipes, parts, *options, temporary=temporary)
        text, _ = process.communicate()
        left = [name for name in os.listdir(temporary) if name.startswith("cdpipe-")]
    left += [name for name in os.listdir(folder) if name.startswith(".cdpipe-")]
    seconds = time.monotonic() - started
    is_right = process.returncode == 0 and is_whole(folder, whole) and not left
    checks.note(is_right, " ".join([pipes, master, "%d parts" % parts, *options, "%.1f s" % seconds])
                + ("" if is_right else "\n" + text[-2000:]))
    return seconds


def kill_executor(process, delay, killed):
    """Kills an executor of a job in the local cluster after a delay; `killed` gets its process, if there was one."""
    time.sleep(delay)
    found = subprocess.run(
        ["pgrep", "--session", str(process.pid), "-f", "CoarseGrainedExecutorBackend.*--executor-id"],
        stdout=subprocess.PIPE, text=True).stdout.split()
    if found:
        killed.append(random.choice(found))
        os.kill(int(killed[0]), signal.SIGKILL)


def check_kills(checks, folder, whole, pipes, count, draw, seconds):
    """Kills an executor at random moments of jobs that need about `seconds`: the list is equal, or the job fails and there
    is none."""
    for _ in range(count):
        delay = draw.uniform(0.3, 0.8) * seconds
        process = job(folder, CLUSTER, pipes, 4)
        killed = []
        killer = threading.Thread(target=kill_executor, args=(process, delay, killed))
        killer.start()
        text, _ = process.communicate()
        killer.join()
        is_nothing = process.returncode != 0 and not os.path.exists(os.path.join(folder, LIST))
        is_equal = process.returncode == 0 and is_whole(folder, whole)
        checks.note(is_equal or is_nothing, "executor killed after %.1f s (%s): %s" % (
            delay, "found" if killed else "none", "equal" if is_equal else "status %d" % process.returncode)
            + ("" if is_equal or is_nothing else "\n" + text[-2000:]))


def check_damage(checks, folder):
    """A damaged source: cdpipe's message and status, and no list."""
    with open(os.path.join(folder, "0.zip"), "rb") as file:
        data = file.read()
    with open(os.path.join(folder, "cut.zip"), "wb") as file:
        file.write(data[: len(data) // 2])
    with open(os.path.join(folder, "damaged.pipes"), "w") as file:
        file.write("unzip 1.zip | parse | normalize --region CN\nunzip cut.zip | parse | normalize --region CN\n")
    for master in ("local[2]", CLUSTER):
        process = job(folder, master, "damaged.pipes", 2)
        text, _ = process.communicate()
        expected = subprocess.run(
            [CDPIPE, "run", "--quiet", "--pipe", "unzip cut.zip | parse"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True, cwd=folder)
        message = expected.stderr.splitlines()[0]
        is_right = (
            process.returncode == expected.returncode and message in text
            and not os.path.exists(os.path.join(folder, LIST)))
        checks.note(is_right, "damaged source, %s: status %d" % (master, process.returncode)
                    + ("" if is_right else "\nexpected: %s\n%s" % (message, text[-2000:])))


def check_full_disk(checks, folder):
    """The disk of an executor is full whenever it merges: Spark repeats the task, then cdpipe's message and status are
    those of the job, and there is no list."""
    program = os.path.join(folder, "full_disk")
    with open(program, "w") as file:
        file.write("#!/bin/sh\ncase \"$*\" in\n  union*) echo 'cdpipe union: no space left on device' >&2; exit 74 ;;\n"
                   "esac\nexec '%s' \"$@\"\n" % CDPIPE)
    os.chmod(program, 0o755)
    with open(os.path.join(folder, "full_disk.pipes"), "w") as file:
        file.write("unzip 1.zip | parse | normalize --region CN\n")
    process = job(folder, "local[2,2]", "full_disk.pipes", 2, program=program)
    text, _ = process.communicate()
    is_right = (
        process.returncode == 74 and text.rstrip().endswith("cdpipe union: no space left on device")
        and not os.path.exists(os.path.join(folder, LIST)))
    checks.note(is_right, "full disk: status %d" % process.returncode + ("" if is_right else "\n" + text[-2000:]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--only-kills", action="store_true", help="run nothing but the jobs of which an executor is killed")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    arguments = parser.parse_args()
    print("pyspark %s, seed %d" % (pyspark.__version__, arguments.seed))
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, os.path.join(ROOT, "Benchmarks/spark/make_sources.py"), folder, "--rows", str(arguments.rows)],
            check=True)
        # The deltas start from a list of one of the sources.
        subprocess.run(
            [CDPIPE, "run", "--quiet", "--pipe",
             "unzip 0.zip | parse | normalize --region CN | sort | dedupe | emit --format store -o first"],
            check=True, cwd=folder)
        jobs = {
            "one": [("local[2]", 1), ("local[2]", 7), (CLUSTER, 64), (CLUSTER, 2)],
            "ten": [("local[2]", 2)],
            "days": [("local[2]", 2)],
        }
        if arguments.only_kills:
            jobs = {"one": [(CLUSTER, 2)]}
        for name, runs in jobs.items():
            whole = make_whole(folder, name + ".yaml")
            for master, parts in runs:
                seconds = compare(checks, folder, whole, master, name + ".pipes", parts)
            if name == "one":
                check_kills(checks, folder, whole, "one.pipes", arguments.kills, random.Random(arguments.seed), seconds)
        if not arguments.only_kills:
            whole = make_whole(folder, "one.yaml", "--set", "dedupe.keep=last")
            compare(checks, folder, whole, "local[2]", "one.pipes", 3, "--keep", "last")
            check_damage(checks, folder)
            check_full_disk(checks, folder)
    print("%d wrong" % checks.failures)
    return 1 if checks.failures else 0


if __name__ == "__main__":
    sys.exit(main())
