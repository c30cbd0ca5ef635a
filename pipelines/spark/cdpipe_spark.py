#!/usr/bin/env python3
"""Runs a pipeline file of cdpipe on an Apache Spark cluster. The result is that of 'cdpipe run', byte for byte.

    spark-submit [OPTIONS OF SPARK] cdpipe_spark.py [--parts N] [--tasks N] [--slice-mib N] [--set KEY=VALUE]
        PIPELINE.yaml [-- OPTION…]

The tasks are processes of cdpipe; Spark starts them, and carries blocks of sorted text between them. No row passes through
Python or the JVM:

    read     each task reads some sources of the file, or a slice of a large one, to a sorted run, and samples it
    plan     the driver chooses numbers at which all runs are cut, outside of ranges
    merge    each task merges and deduplicates one part of all runs
    publish  the driver emits and publishes the records of all parts, like any 'cdpipe run'

The sources must be readable under their paths or URLs on the executors, the outputs writable on the driver. cdpipe is the
program that CDPIPE names on the executors (spark.executorEnv.CDPIPE) or the driver, else a file 'cdpipe' that was shipped
with --files, else 'cdpipe' on the PATH. A source that is damaged ends the job with cdpipe's message and status.
"""
import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from py4j.protocol import Py4JJavaError
from pyspark import SparkConf, SparkContext, SparkFiles, StorageLevel

# The size of the pieces in which Spark carries text. A worker holds up to a thousand of them before it checks its memory.
BLOCK_BYTES = 64 << 10
# The size of the parts, as text, if their number is not chosen.
PART_BYTES = 32 << 20
# The maximum number of parts of cdpipe split.
PARTS_MAX = 9999
# The maximum number of blocks in a partition that the driver receives; it holds two partitions.
GATHERED_BLOCKS = 1024
# The size of the slices of large files in MiB, if it is not chosen.
SLICE_MIB = 256
# The stages of a source that reject rows, in their order.
STAGES = (b"unzip", b"parse", b"normalize")
# The statuses of a machine's errors, such as a full disk. The task is repeated, perhaps elsewhere.
RETRIED = (71, 74, 75)
# What a task reads of a source: all of it, or a slice, the first of which is 1.
Item = collections.namedtuple("Item", "name size plan slice", defaults=(None, None))


class TaskError(Exception):
    """A task that fails again wherever it is repeated."""

    def __init__(self, status, message):
        super().__init__(status, message)
        self.status = status
        self.message = message


class MachineError(Exception):
    """An error of a machine: Spark repeats the task, perhaps elsewhere."""


def program():
    """The program on this machine."""
    named = os.environ.get("CDPIPE")
    if named:
        # It may be relative to the directory of the executor.
        return os.path.abspath(named) if "/" in named else named
    shipped = os.path.abspath(SparkFiles.get("cdpipe"))
    if os.path.isfile(shipped):
        # Spark may lose the permission to execute it.
        os.chmod(shipped, 0o755)
        return shipped
    return "cdpipe"


def call(*arguments, directory=None):
    """Runs cdpipe in a task. Returns what it prints; raises an error that Spark answers with another attempt, or a
    TaskError."""
    done = subprocess.run([program(), *arguments], stdin=subprocess.DEVNULL, capture_output=True, cwd=directory)
    if done.returncode == 0:
        return done.stdout
    message = done.stderr.decode(errors="replace").strip()
    if done.returncode in RETRIED or done.returncode < 0:
        raise MachineError("%s (status %d)" % (message, done.returncode))
    raise TaskError(done.returncode, message)


def blocks(path, start=0, count=None):
    """Yields a part of a file, by default all of it, in blocks, with their offsets in the part."""
    offset, count = 0, os.path.getsize(path) if count is None else count
    with open(path, "rb") as file:
        file.seek(start)
        while block := file.read(min(BLOCK_BYTES, count - offset)):
            yield offset, block
            offset += len(block)


def block_count(size):
    return -(-size // BLOCK_BYTES)


def stage_sizes(path):
    """The numbers of bytes that each stage, by its position, has written to a source's file of rejects, in their order."""
    sizes = collections.Counter()
    with open(path, "rb") as file:
        for line in file:
            sizes[STAGES.index(line.partition(b"\t")[0])] += len(line)
    return sorted(sizes.items())


def content(path):
    with open(path, "rb") as file:
        return file.read()


class Job:
    """The stages of the job. Its fields are sent to the executors."""

    def __init__(self, arguments):
        self.pipeline = arguments.pipeline
        # Messages name files as the pipeline was named.
        self.directory = None if os.path.isabs(self.pipeline) else os.getcwd()
        self.slice_size = "%dMiB" % arguments.slice_mib
        self.settings = [option for setting in arguments.set for option in ("--set", setting)]

    def run(self, *options):
        return call(
            "run", self.pipeline, *self.settings, *options, "--quiet", "--threads", "1", directory=self.directory)

    def task(self, work, *arguments):
        """Runs a task's work in a directory of its own. The elements that it yields are pairs of a kind and a value."""
        # A directory of the application: Spark removes it even if this process is killed.
        folder = tempfile.mkdtemp(prefix="cdpipe-", dir=os.path.abspath(SparkFiles.getRootDirectory()))
        try:
            yield from work(folder, *arguments)
        except TaskError as failure:
            yield "failure", (failure.status, failure.message)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def tasks(self, work):
        """Returns the function that runs a task for the arguments in each element."""
        return lambda elements: (made for arguments in elements for made in self.task(work, *arguments))

    def plan_slices(self, folder, name):
        """Plans the slices of a large file. Yields the plan."""
        path = os.path.join(folder, "plan")
        self.run("--only-source", name, "--plan-slices", self.slice_size, "--output", path)
        yield "plan", content(path)

    def read_group(self, folder, index, items):
        """Reads a group of sources, or a slice, to a sorted run. Yields its description, then its bytes and rejects."""
        run, report, rejects, sample = (os.path.join(folder, name) for name in ("run", "report", "rejects", "sample"))
        options = [option for item in items for option in ("--only-source", item.name)]
        # Rejects are ordered by source and stage. The rejects of all slices have the place of the first one.
        first, number = index, items[0].slice or 0
        if number:
            plan = os.path.join(folder, "plan")
            with open(plan, "wb") as file:
                file.write(items[0].plan.value)
            options += ["--slices", plan, "--slice", str(number)]
            first -= number - 1
        self.run(*options, "--until", "sort", "--output", run, "--report", report, "--rejects", rejects)
        call("sample", run, "--output", sample)
        sizes = stage_sizes(rejects) if number else [(0, os.path.getsize(rejects))]
        counts = [((first, position, number), block_count(size)) for position, size in sizes]
        yield "run", (index, content(sample), content(report), os.path.getsize(run), counts)
        start = 0
        for position, size in sizes:
            for offset, block in blocks(rejects, start, size):
                yield "rejects", ((first, position, number), offset // BLOCK_BYTES, block)
            start += size
        for offset, block in blocks(run):
            yield "block", (index, offset, block)

    def divide(self, folder, cuts, elements):
        """Divides runs at the cuts. Yields a part's number and a block for it."""
        path, sample, places = (os.path.join(folder, name) for name in ("run", "sample", "cuts"))
        with open(places, "w") as file:
            file.write(cuts)
        run = None
        for kind, value in elements:
            if kind == "run":
                if run:
                    yield from self.slices(run, path, sample, places)
                run = value
                with open(sample, "wb") as file:
                    file.write(run[1])
                open(path, "wb").close()
            elif kind == "block":
                with open(path, "ab") as file:
                    file.write(value[2])
        if run:
            yield from self.slices(run, path, sample, places)

    def slices(self, run, path, sample, places):
        located = call("split", "--at", places, "--offsets", "--sample", sample, path)
        with open(path, "rb") as file:
            for line in located.decode().splitlines():
                part, start, count = (int(field) for field in line.split("\t")[:3])
                file.seek(start)
                offset = 0
                while offset < count:
                    block = file.read(min(BLOCK_BYTES, count - offset))
                    yield part - 1, (run[0], offset, block)
                    offset += len(block)

    def merge(self, folder, part, elements):
        """Merges and deduplicates the slices of a part. Yields its report, then its bytes and conflicts."""
        slices = {}
        for kind, value in elements:
            if kind == "failure":
                raise TaskError(*value)
            index, offset, block = value
            if index not in slices:
                slices[index] = os.path.join(folder, "slice-%05d" % index)
                open(slices[index], "wb").close()
            # Blocks arrive in any order.
            with open(slices[index], "r+b") as file:
                file.seek(offset)
                file.write(block)
        output, report = os.path.join(folder, "part"), os.path.join(folder, "report")
        self.run(
            "--from-runs", *([slices[index] for index in sorted(slices)] or [os.devnull]), "--until", "dedupe",
            "--output", output, "--report", report)
        conflicts = output + ".conflicts"
        open(conflicts, "ab").close()
        yield "report", (
            part, content(report), block_count(os.path.getsize(output)), block_count(os.path.getsize(conflicts)))
        for kind, path in (("part", output), ("conflicts", conflicts)):
            for offset, block in blocks(path):
                yield kind, (part, offset // BLOCK_BYTES, block)


def heads(elements):
    """Executes tasks, and returns what describes their blocks. Ends the job if a task has failed."""
    found = elements.filter(lambda element: element[0] in ("plan", "run", "report", "failure")).collect()
    for kind, value in found:
        if kind == "failure":
            raise TaskError(*value)
    return [value for _, value in sorted(found)]


def divided(spark, job, sources, slice_bytes):
    """What tasks read: the sources in their order, large ones in slices."""
    files = {source["name"]: source.get("paths", []) for source in sources}
    # As far as the driver can see them.
    sizes = {name: sum(os.path.getsize(path) for path in paths if os.path.exists(path)) for name, paths in files.items()}
    large = [(name,) for name, paths in files.items() if len(paths) == 1 and sizes[name] >= 2 * slice_bytes]
    plans, items = {}, []
    for text in heads(spark.parallelize(large, len(large)).mapPartitions(job.tasks(job.plan_slices))) if large else []:
        plan = json.loads(text)
        plans[plan["source"]] = (spark.broadcast(text), [place["byte"] for place in plan["boundaries"]])
    for name, size in sizes.items():
        plan, places = plans.get(name, (None, []))
        items += [Item(name, end - start, plan, slice=number)
                  for number, (start, end) in enumerate(zip(places, places[1:]), 1)] or [Item(name, size + 1)]
    return items


def grouped(items, count):
    """Groups small items of similar total size, in their order; a slice is a group of its own."""
    groups, total, done = [], sum(item.size for item in items), 0
    for item in items:
        place = None if item.slice else min(count - 1, (done + item.size // 2) * count // total)
        if place is None or not groups or groups[-1][0] != place:
            groups.append((place, []))
        groups[-1][1].append(item)
        done += item.size
    return [(index, group) for index, (_, group) in enumerate(groups)]


def execute(spark, arguments, folder):
    """Runs the job. Returns the status of the last process."""
    job = Job(arguments)
    sources = json.loads(call("run", job.pipeline, *job.settings, "--check", "--json"))["sources"]
    items = divided(spark, job, sources, arguments.slice_mib << 20)
    groups = grouped(items, arguments.tasks or 4 * spark.defaultParallelism)
    runs = spark.parallelize(groups, len(groups)).mapPartitions(job.tasks(job.read_group)).persist(StorageLevel.DISK_ONLY)
    accounts, samples, rejects, total_bytes = [], [], {}, 0
    for index, sample, report, size, counts in heads(runs):
        total_bytes += size
        rejects.update((("rejects", place), count) for place, count in counts)
        samples.append(save(folder, "run-%05d.sample" % index, sample))
        accounts.append(save(folder, "run-%05d.json" % index, report))
    if arguments.rejects:
        rejects = dict(sorted(rejects.items()))
        # Created even if there are none.
        open(arguments.rejects, "wb").close()
        gather(runs.filter(lambda element: element[0] == "rejects"), rejects, dict.fromkeys(rejects, arguments.rejects))

    parts = arguments.parts or min(PARTS_MAX, max(spark.defaultParallelism, -(-total_bytes // PART_BYTES)))
    cuts = call("split", "--plan", "--parts", str(parts), *samples).decode()
    count = len(cuts.splitlines()) + 1
    merged = (
        # A task that failed passes its error on to the first part.
        runs.mapPartitions(lambda elements: job.task(job.divide, cuts, elements))
        .partitionBy(count, lambda key: key if isinstance(key, int) else 0)
        .mapPartitionsWithIndex(lambda part, elements: job.task(job.merge, part, elements)).persist(StorageLevel.DISK_ONLY)
    )
    counts, paths = {}, {}
    for part, report, counts["part", part], counts["conflicts", part] in heads(merged):
        accounts.append(save(folder, "part-%05d.json" % part, report))
        paths["part", part] = os.path.join(folder, "part-%05d" % part)
        paths["conflicts", part] = paths["part", part] + ".conflicts"
    gather(merged, counts, paths)

    deduplicated = [path for (kind, _), path in paths.items() if kind == "part"]
    total = os.path.join(folder, "accounts.json")
    call("report", "merge", *accounts, "--output", total)
    return subprocess.run(
        [program(), "run", job.pipeline, *job.settings, "--from-parts", *deduplicated, "--accounts", total, *arguments.options]
    ).returncode


def save(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def gather(elements, counts, paths):
    """Writes blocks to files, in order. `counts` has the number of blocks of each kind and index, `paths` their files. The
    driver receives a partition at a time, in the memory of Java."""
    for path in paths.values():
        open(path, "wb").close()
    places, total = {}, 0
    for key, count in counts.items():
        places[key] = total
        total += count
    if total == 0:
        return

    def place(element):
        """The place of a block among all of them, if it is one of these."""
        first = places.get((element[0], element[1][0]))
        return None if first is None else first + element[1][1]

    if max(counts.values()) > GATHERED_BLOCKS:
        elements = elements.keyBy(place).filter(lambda pair: pair[0] is not None).partitionBy(
            -(-total // GATHERED_BLOCKS), lambda place: place // GATHERED_BLOCKS).values()
    waiting, written = {}, 0
    for element in elements.toLocalIterator(prefetchPartitions=True):
        if place(element) is not None:
            waiting[place(element)] = element
        while written in waiting:
            kind, (index, _, block) = waiting.pop(written)
            with open(paths[kind, index], "ab") as file:
                file.write(block)
            written += 1
    if written != total:
        raise RuntimeError("%d of %d blocks arrived" % (written, total))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog="Options after -- are for the last 'cdpipe run'.")
    parser.add_argument("pipeline")
    parser.add_argument("--parts", type=int, help="the number of parts to merge (default: by size, at least one per core)")
    parser.add_argument("--tasks", type=int, help="the number of tasks that read sources (default: four per core)")
    parser.add_argument(
        "--slice-mib", type=int, default=SLICE_MIB, help="the size of the slices of large files (default: %(default)s)")
    parser.add_argument("--set", action="append", default=[], help="replace a value of the pipeline file")
    parser.add_argument("--rejects", help="write all rejects to this file")
    typed = sys.argv[1:]
    own = typed.index("--") if "--" in typed else len(typed)
    arguments = parser.parse_args(typed[:own])
    arguments.options = typed[own + 1 :]
    settings = SparkConf()
    settings.setIfMissing("spark.python.worker.memory", "128m")
    # Java only copies blocks; its second compiler costs more time than it saves.
    settings.setIfMissing("spark.executor.extraJavaOptions", "-XX:TieredStopAtLevel=1")
    spark = SparkContext.getOrCreate(settings)
    try:
        with tempfile.TemporaryDirectory(prefix="cdpipe-") as folder:
            return execute(spark, arguments, folder)
    except TaskError as failure:
        print(failure.message, file=sys.stderr)
        return failure.status
    except (MachineError, Py4JJavaError) as failure:
        # Spark wraps the error of the last attempt in its own, which has the text of the original.
        found = re.search(r"MachineError: (.*?) \(status (-?\d+)\)", "MachineError: " + str(failure), re.S)
        if not found:
            raise
        print(found[1].rpartition("MachineError: ")[2], file=sys.stderr)
        return int(found[2]) if int(found[2]) > 0 else RETRIED[1]
    finally:
        spark.stop()


if __name__ == "__main__":
    sys.exit(main())
