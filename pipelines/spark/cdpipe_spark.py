#!/usr/bin/env python3
"""Makes one list of many sources on an Apache Spark cluster, with the filters of cdpipe. The list has the records of one pipe
through all sources, byte for byte.

    spark-submit [OPTIONS OF SPARK] cdpipe_spark.py [--parts N] [--tasks N] [--conflicts] SOURCES OUTPUT [-- OPTION…]

SOURCES has a line for each source: a pipe as for 'cdpipe run --pipe' that ends with records, such as

    unzip one.zip | parse | normalize --region CN

OUTPUT is a new directory on the driver: part-0001.tsv and so on are the list, one after another; source-00001.rejects and so
on are the rejects of each line. OPTION… are options of 'cdpipe dedupe'.

The tasks are processes of cdpipe; Spark starts them, and carries blocks of sorted text between them. No row passes through
Python or the JVM:

    read   each task reads a source to a sorted run, and samples it
    plan   the driver chooses numbers at which all runs are cut, outside of ranges
    merge  each task merges and deduplicates one part of all runs

The sources must be readable under their paths or URLs on the executors. cdpipe is the program that CDPIPE names on the
executors (spark.executorEnv.CDPIPE) or the driver, else a file 'cdpipe' that was shipped with --files, else 'cdpipe' on the
PATH. A source that is damaged ends the job with cdpipe's message and status.
"""
import argparse
import os
import re
import shlex
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
# The statuses of a machine's errors, such as a full disk. The task is repeated, perhaps elsewhere.
RETRIED = (71, 74, 75)


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


def content(path):
    with open(path, "rb") as file:
        return file.read()


class Job:
    """The stages of the job. Its fields are sent to the executors."""

    def __init__(self, arguments):
        # Files are named as on the driver.
        self.directory = os.getcwd()
        self.options = arguments.options
        self.conflicts = arguments.conflicts

    def call(self, *arguments):
        return call(*arguments, directory=self.directory if os.path.isdir(self.directory) else None)

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

    def read_source(self, folder, index, pipe):
        """Reads a source to a sorted run. Yields its description, then its bytes and rejects."""
        run, rejects, sample = (os.path.join(folder, name) for name in ("run", "rejects", "sample"))
        self.call(
            "run", "--quiet", "--threads", "1", "--rejects", rejects,
            "--pipe", "%s | sort --output %s" % (pipe, shlex.quote(run)))
        call("sample", run, "--output", sample)
        yield "run", (index, content(sample), os.path.getsize(run), block_count(os.path.getsize(rejects)))
        for kind, path in (("rejects", rejects), ("block", run)):
            for offset, block in blocks(path):
                yield kind, (index, offset if kind == "block" else offset // BLOCK_BYTES, block)

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
        for line in located.decode().splitlines():
            part, start, count = (int(field) for field in line.split("\t")[:3])
            for offset, block in blocks(path, start, count):
                yield part - 1, (run[0], offset, block)

    def merge(self, folder, part, elements):
        """Merges and deduplicates the slices of a part. Yields its description, then its bytes and conflicts."""
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
        output, conflicts = os.path.join(folder, "part"), os.path.join(folder, "conflicts")
        open(conflicts, "wb").close()
        self.call(
            "union", "--quiet", *self.options, *(["--conflicts", conflicts] if self.conflicts else []), "--output", output,
            *([slices[index] for index in sorted(slices)] or [os.devnull]))
        yield "merged", (part, block_count(os.path.getsize(output)), block_count(os.path.getsize(conflicts)))
        for kind, path in (("part", output), ("conflicts", conflicts)):
            for offset, block in blocks(path):
                yield kind, (part, offset // BLOCK_BYTES, block)


def heads(elements):
    """Executes tasks, and returns what describes their blocks. Ends the job if a task has failed."""
    found = elements.filter(lambda element: element[0] in ("run", "merged", "failure")).collect()
    for kind, value in found:
        if kind == "failure":
            raise TaskError(*value)
    return [value for _, value in sorted(found)]


def pipes(path):
    """The pipes of the sources, in their order."""
    with open(path) as file:
        lines = [line.strip() for line in file]
    return [line for line in lines if line and not line.startswith("#")]


def execute(spark, arguments, folder, output):
    """Runs the job, and writes the list to `output`."""
    job = Job(arguments)
    sources = list(enumerate(pipes(arguments.sources)))
    if not sources:
        raise TaskError(65, "cdpipe_spark.py: '%s' has no sources" % arguments.sources)
    tasks = min(len(sources), arguments.tasks or 4 * spark.defaultParallelism)
    runs = spark.parallelize(sources, tasks).mapPartitions(job.tasks(job.read_source)).persist(StorageLevel.DISK_ONLY)
    samples, counts, paths, total_bytes = [], {}, {}, 0
    for index, sample, size, counts["rejects", index] in heads(runs):
        total_bytes += size
        samples.append(save(folder, "run-%05d.sample" % index, sample))
        paths["rejects", index] = os.path.join(output, "source-%05d.rejects" % (index + 1))
    gather(runs.filter(lambda element: element[0] == "rejects"), counts, paths)

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
    for part, counts["part", part], counts["conflicts", part] in heads(merged):
        paths["part", part] = os.path.join(output, "part-%04d.tsv" % (part + 1))
        if arguments.conflicts:
            paths["conflicts", part] = os.path.join(output, "part-%04d.conflicts" % (part + 1))
    gather(merged, counts, paths)


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
        description=__doc__.splitlines()[0], epilog="Options after -- are those of 'cdpipe dedupe'.")
    parser.add_argument("sources", help="a file with a pipe for each source")
    parser.add_argument("output", help="the new directory of the list")
    parser.add_argument("--parts", type=int, help="the number of parts to merge (default: by size, at least one per core)")
    parser.add_argument("--tasks", type=int, help="the number of tasks that read sources (default: four per core)")
    parser.add_argument("--conflicts", action="store_true", help="also write the conflicts of each part")
    typed = sys.argv[1:]
    own = typed.index("--") if "--" in typed else len(typed)
    arguments = parser.parse_args(typed[:own])
    arguments.options = typed[own + 1 :]
    for option in arguments.options:
        if option.startswith(("--limit", "--coalesce")):
            parser.error("%s needs all records: apply it to the joined parts" % option.partition("=")[0])
        if option.partition("=")[0] == "--conflicts":
            parser.error("use --conflicts before -- for the conflicts of each part")
    output = os.path.abspath(arguments.output)
    if os.path.exists(output):
        parser.error("'%s' exists" % arguments.output)
    settings = SparkConf()
    settings.setIfMissing("spark.python.worker.memory", "128m")
    # Java only copies blocks; its second compiler costs more time than it saves.
    settings.setIfMissing("spark.executor.extraJavaOptions", "-XX:TieredStopAtLevel=1")
    spark = SparkContext.getOrCreate(settings)
    try:
        # The list appears when it is complete.
        with tempfile.TemporaryDirectory(prefix=".cdpipe-", dir=os.path.dirname(output)) as folder:
            made = os.path.join(folder, "list")
            os.mkdir(made)
            execute(spark, arguments, folder, made)
            os.rename(made, output)
        return 0
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
