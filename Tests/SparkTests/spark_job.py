#!/usr/bin/env python3
"""Runs pipelines as a Spark job and compares what they write with 'cdpipe run'.

    spark_job.py [--rows N] [--kills N [--only-kills]] [--seed N]

Runs the pipelines of Benchmarks/spark/make_sources.py in local[2] and in local-cluster[2,1,1024], with several numbers of
parts, and a second version with deltas; then large files in slices, damaged sources and a full disk; then jobs of which an executor is killed at a
random moment.
CDPIPE names the program (default: .build/release/cdpipe). PYTHONPATH has pyspark. Prints a line per run; exits with 1 if a
result differs, or if something is left in the temporary directory.
"""
import argparse
import filecmp
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
UNLIKE = {".lock", ".publish.json"}
"""Files of a published folder that have the times of runs."""


def job(folder, master, pipeline, parts, *options, temporary=None, program=CDPIPE, own=()):
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
    command += [os.path.join(ROOT, "pipelines/spark/cdpipe_spark.py"), "--parts", str(parts), *own, pipeline, "--", *options]
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True)


def files(folder):
    return {os.path.relpath(os.path.join(path, name), folder): os.path.join(path, name)
            for path, _, names in os.walk(folder, followlinks=False) for name in names if name not in UNLIKE}


def same(one, other):
    """Whether two published folders have the same files."""
    first, second = files(one), files(other)
    return first.keys() == second.keys() and all(
        filecmp.cmp(first[name], second[name], shallow=False) for name in first if os.path.isfile(first[name]))


class Checks:
    def __init__(self):
        self.failures = 0

    def note(self, is_right, text):
        print(("" if is_right else "WRONG ") + text, flush=True)
        self.failures += 0 if is_right else 1


def restore(folder):
    """Makes the first version the only one of the published folder."""
    shutil.rmtree(os.path.join(folder, "public"), ignore_errors=True)
    shutil.copytree(os.path.join(folder, "first"), os.path.join(folder, "public"), symlinks=True)


def compare(checks, folder, whole, master, pipeline, parts):
    """Runs a job, and compares the version that it publishes with one of a single process, deltas included. Returns the
    seconds it needed."""
    restore(folder)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        process = job(folder, master, pipeline, parts, "--quiet", temporary=temporary)
        text, _ = process.communicate()
        left = [name for name in os.listdir(temporary) if name.startswith("cdpipe-")]
    seconds = time.monotonic() - started
    is_right = process.returncode == 0 and same(whole, os.path.join(folder, "public")) and not left
    checks.note(is_right, "%s, %s, %d parts: %.1f s" % (os.path.basename(pipeline), master, parts, seconds)
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


def check_kills(checks, folder, whole, pipeline, count, draw, seconds):
    """Kills an executor at random moments of jobs that need about `seconds`: the result is equal, or the job fails and
    publishes nothing."""
    for _ in range(count):
        restore(folder)
        delay = draw.uniform(0.3, 0.8) * seconds
        process = job(folder, CLUSTER, pipeline, 4, "--quiet")
        killed = []
        killer = threading.Thread(target=kill_executor, args=(process, delay, killed))
        killer.start()
        text, _ = process.communicate()
        killer.join()
        public = os.path.join(folder, "public")
        is_whole = process.returncode == 0 and same(whole, public)
        is_nothing = process.returncode != 0 and same(os.path.join(folder, "first"), public)
        checks.note(is_whole or is_nothing, "executor killed after %.1f s (%s): %s" % (
            delay, "found" if killed else "none", "equal" if is_whole else "status %d" % process.returncode)
            + ("" if is_whole or is_nothing else "\n" + text[-2000:]))


def make_large(path, draw):
    """Writes a list with some broken rows in a few MiB: as JSON, or as CSV with line breaks in labels."""
    number = "86139%08d"
    with open(path, "w") as file:
        if path.endswith(".csv"):
            file.write("number,label\n")
        for index in range(100_000):
            phone, kind = number % draw.randrange(10**8), draw.random()
            if kind < 0.001:
                file.write('{"%s: broken\n' % phone if path.endswith(".json") else '%s,"bro"ken\n' % phone)
            elif kind < 0.002:
                file.write('{"%s": "short"}\n' % phone[:4] if path.endswith(".json") else '%s,"two\nlines"\n' % phone)
            else:
                file.write(('{"%s": "%d"}\n' if path.endswith(".json") else '%s,"label, %d"\n') % (phone, index % 7))


def check_slices(checks, folder, draw):
    """Large files are read in slices, beside an archive: the outputs and the rejects are those of one process, whose pipeline
    was named relatively."""
    for name in ("large.json", "large.csv"):
        make_large(os.path.join(folder, name), draw)
    with open(os.path.join(folder, "slices.yaml"), "w") as file:
        file.write("sources:\n" + "".join("  - { name: '%s', path: %s, region: CN }\n" % (name, name)
                                          for name in ("0.zip", "large.json", "1.zip", "large.csv")))
        file.write("dedupe: { conflicts: conflicts.tsv }\nemit:\n  - { format: store, path: shards }\n")
    outputs = ("shards", "conflicts.tsv", "slices.rejects")
    subprocess.run(
        [CDPIPE, "run", "--quiet", "slices.yaml", "--rejects", "slices.rejects"], check=True, cwd=folder)
    for name in outputs:
        os.rename(os.path.join(folder, name), os.path.join(folder, "whole-" + name))
    for master in ("local[2]", CLUSTER):
        process = job(folder, master, "slices.yaml", 3, "--quiet", own=("--slice-mib", "1", "--rejects", "slices.rejects"))
        text, _ = process.communicate()
        is_right = process.returncode == 0
        for name in outputs:
            made, whole = os.path.join(folder, name), os.path.join(folder, "whole-" + name)
            if os.path.isdir(whole):
                is_right = is_right and same(whole, made)
                shutil.rmtree(made, ignore_errors=True)
            else:
                is_right = is_right and filecmp.cmp(whole, made, shallow=False)
        checks.note(is_right, "slices, %s: status %d" % (master, process.returncode) + ("" if is_right else "\n" + text[-2000:]))


def check_damage(checks, folder):
    """A damaged source: cdpipe's message and status, and nothing is published."""
    with open(os.path.join(folder, "0.zip"), "rb") as file:
        data = file.read()
    with open(os.path.join(folder, "cut.zip"), "wb") as file:
        file.write(data[: len(data) // 2])
    pipeline = os.path.join(folder, "damaged.yaml")
    with open(pipeline, "w") as file:
        file.write("sources:\n  - { name: a, path: 1.zip, region: CN }\n  - { name: b, path: cut.zip, region: CN }\n"
                   "emit: { path: damaged.csv }\n")
    for master in ("local[2]", CLUSTER):
        process = job(folder, master, pipeline, 2)
        text, _ = process.communicate()
        expected = subprocess.run(
            [CDPIPE, "run", "--quiet", pipeline], stderr=subprocess.PIPE, text=True, cwd=folder)
        message = expected.stderr.splitlines()[0].replace("source 'b': ", "")
        is_right = (
            process.returncode == expected.returncode and message in text
            and not os.path.exists(os.path.join(folder, "damaged.csv")))
        checks.note(is_right, "damaged source, %s: status %d" % (master, process.returncode)
                    + ("" if is_right else "\nexpected: %s\n%s" % (message, text[-2000:])))


def check_full_disk(checks, folder):
    """The disk of an executor is full whenever it merges: Spark repeats the task, then cdpipe's message and status are
    those of the job, and nothing is published."""
    program, pipeline = os.path.join(folder, "full_disk"), os.path.join(folder, "full_disk.yaml")
    with open(program, "w") as file:
        file.write("#!/bin/sh\ncase \"$*\" in\n  *--from-runs*) echo 'cdpipe run: no space left on device' >&2; exit 74 ;;\n"
                   "esac\nexec '%s' \"$@\"\n" % CDPIPE)
    os.chmod(program, 0o755)
    with open(pipeline, "w") as file:
        file.write("sources:\n  - { name: a, path: 1.zip, region: CN }\nemit: { path: full_disk.csv }\n")
    process = job(folder, "local[2,2]", pipeline, 2, program=program)
    text, _ = process.communicate()
    is_right = (
        process.returncode == 74 and text.rstrip().endswith("cdpipe run: no space left on device")
        and not os.path.exists(os.path.join(folder, "full_disk.csv")))
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
        whole = os.path.join(folder, "whole")
        # The first version has one of the sources.
        first = os.path.join(folder, "first.yaml")
        with open(first, "w") as file:
            file.write("sources:\n  - { name: s0, path: 0.zip, region: CN }\nemit:\n  - { format: store }\n"
                       "  - { path: list.csv }\npublish: { directory: public, deltas: 2 }\n")
        subprocess.run([CDPIPE, "run", "--quiet", first], check=True)
        os.rename(os.path.join(folder, "public"), os.path.join(folder, "first"))
        pipelines = {
            "one.yaml": [("local[2]", 1), ("local[2]", 7), (CLUSTER, 64), (CLUSTER, 2)],
            "ten.yaml": [("local[2]", 2)],
            "days.yaml": [("local[2]", 2)],
        }
        if arguments.only_kills:
            pipelines = {"one.yaml": [(CLUSTER, 2)]}
        for name, runs in pipelines.items():
            pipeline = os.path.join(folder, name)
            shutil.rmtree(whole, ignore_errors=True)
            restore(folder)
            subprocess.run([CDPIPE, "run", "--quiet", pipeline], check=True)
            os.rename(os.path.join(folder, "public"), whole)
            for master, parts in runs:
                seconds = compare(checks, folder, whole, master, pipeline, parts)
            if name == "one.yaml":
                check_kills(checks, folder, whole, pipeline, arguments.kills, random.Random(arguments.seed), seconds)
        if not arguments.only_kills:
            check_slices(checks, folder, random.Random(arguments.seed))
            check_damage(checks, folder)
            check_full_disk(checks, folder)
    print("%d wrong" % checks.failures)
    return 1 if checks.failures else 0


if __name__ == "__main__":
    sys.exit(main())
