"""Compares the same complaints in hundreds of files, each a source of the pipeline, with all of them in one file; and
measures the memory for thousands of sources of one row. The part `sources`."""

import multiprocessing
import shutil
import sys

import complaints
from filters import same_numbers
from measuring import DATA, Way, environment, note, peak_of, ratios, read_once, rounds, way_table
from results import Part

FILES = 587
ROWS_EACH_MAX = 8000
"""The rows of a file, so that there are 4.7 million together."""
SMALL_FILES = 20_000
"""The number of sources of one row. With fewer rows than that in all, there are as many as rows."""

MEMORY_BAR, SMALL_MEMORY_BAR = 64.0, 96.0
"""The maximum peak memory in MiB, with hundreds and with thousands of sources."""
TIME_BAR = 1.3
"""The time of all files divided by that of one file, at most."""


def write_lists(folder, each, small):
    """Writes the lists: `each` rows in each file, all of them in one file, and `small` lists of one row."""
    partial = folder.with_suffix(".unfinished")
    shutil.rmtree(partial, ignore_errors=True)
    for name in ("days", "small"):
        (partial / name).mkdir(parents=True)
    with open(partial / "all.csv", "w", encoding="utf-8", newline="") as whole:
        whole.write(complaints.HEADER)
        for day in range(FILES):
            lines = complaints.rows(each, day)
            complaints.write(partial / "days" / f"{day:03d}.csv", lines)
            whole.writelines(lines)
    for index in range(small):
        complaints.write(partial / "small" / f"{index:05d}.csv", complaints.rows(1, FILES + index, without_number=0))
    partial.rename(folder)


def lists(rows):
    """Returns the folder of the lists, for about this number of rows; makes them if they are missing. A process of its own
    makes them: the memory of this one counts as that of the programs that it starts."""
    each, small = max(1, min(ROWS_EACH_MAX, rows // FILES)), min(SMALL_FILES, rows)
    folder = DATA / f"complaints-{each}-{small}"
    if not folder.exists():
        note(f"Making {folder.name}")
        writer = multiprocessing.Process(target=write_lists, args=(folder, each, small))
        writer.start()
        writer.join()
        if writer.exitcode != 0:
            sys.exit(f"can't make {folder.name}")
    return folder


def pipeline(folder, name, files):
    """Writes a pipeline file with these files as its sources; returns it and its output. A pipeline file has at most 1 MiB,
    so the lines are short."""
    for file in files:
        read_once(file)
    file, output = folder / f"{name}.yaml", folder / f"{name}.tsv"
    with open(file, "w", encoding="utf-8") as text:
        text.write("sources:\n")
        text.writelines(f"- {{path: {path.relative_to(folder)}, region: US}}\n" for path in files)
        text.write(f"emit:\n  - {{ path: {output}, format: tsv }}\n")
    return file, output


def measure(name, options):
    folder = lists(options.rows)
    small = sorted((folder / "small").iterdir())
    one, many, thousands = "one file", f"{FILES} files", f"{len(small):,} files of one row"
    cases = {one: [folder / "all.csv"], many: sorted((folder / "days").iterdir()), thousands: small}
    ways, outputs = [], []
    for title, files in cases.items():
        file, output = pipeline(folder, str(len(ways)), files)
        # Of thousands of files only the memory counts, and they take long.
        ways.append(Way(title, [("run", [options.cdpipe, "run", str(file), "--quiet"])], rounds=1 if files is small else None))
        outputs.append(output)
    results = rounds(ways, options.runs, environment())
    part = Part(name, rows=options.rows, rounds=options.runs)
    part.text(f"{folder.name}, {options.runs} rounds.")
    way_table(part, results)
    part.figure(f"{many}: time divided by that of {one}", ratios(results[one], results[many]), at_most=TIME_BAR, peer=one)
    part.figure(f"{many}: peak", peak_of(results[many]), "MiB", at_most=MEMORY_BAR)
    part.figure(f"{thousands}: peak", peak_of(results[thousands]), "MiB", at_most=SMALL_MEMORY_BAR)
    part.same(f"The numbers of {one} and {many}", same_numbers(*outputs[:2]))
    return part
