"""Compares the same complaints in hundreds of files, each a source of the pipeline, with all of them in one file, for the
part `sources` of compare.py; and measures the memory for thousands of sources of one row."""

import multiprocessing
import shutil
import statistics
import subprocess
import sys

import complaints
from measuring import DATA, Way, environment, mebibytes, note, peaks_by_process, ratios, read_once, rounds, spread, verdict

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


def compare(arguments):
    """Returns the part's text, whether every bar was met, and whether the outputs have the same numbers."""
    folder = lists(arguments.rows)
    cases = {
        "one file": [folder / "all.csv"],
        f"{FILES} files": sorted((folder / "days").iterdir()),
    }
    small = sorted((folder / "small").iterdir())
    cases[f"{len(small):,} files of one row"] = small
    ways, outputs = [], []
    for index, (title, files) in enumerate(cases.items()):
        file, output = pipeline(folder, str(index), files)
        # Only its memory counts, and it takes long.
        times = 1 if files is small else None
        ways.append(Way(title, [("run", [arguments.cdpipe, "run", str(file), "--quiet"])], rounds=times))
        outputs.append(output)
    results = rounds(ways, arguments.runs, environment())
    compared = subprocess.run(["bash", "-c", 'cmp -s <(cut -f1 "$0") <(cut -f1 "$1")', *outputs[:2]])
    same = compared.returncode == 0
    one = results["one file"]
    text = ["| sources | wall s, median (min–max) | against one file | peak MiB |", "|---|---|---|---|"]
    peaks = []
    for title, runs in results.items():
        peaks.append(max(peak for _, peak in peaks_by_process(runs)))
        against = [] if title != f"{FILES} files" else [1 / ratio for ratio in ratios(runs, one)]
        text.append(f"| {title} | {spread([run.seconds for run in runs])} | {spread(against) if against else ''} | "
                    f"{mebibytes(peaks[-1])} |")
    slower = statistics.median(1 / ratio for ratio in ratios(results[f"{FILES} files"], one))
    met = [slower <= TIME_BAR, peaks[1] <= MEMORY_BAR, peaks[2] <= SMALL_MEMORY_BAR]
    text += ["", f"{folder.name}, {arguments.runs} rounds. Bars: ≤ {TIME_BAR:g} × {verdict(met[0])}, ≤ {MEMORY_BAR:g} MiB "
             f"{verdict(met[1])}, {len(small):,} sources ≤ {SMALL_MEMORY_BAR:g} MiB {verdict(met[2])}. "
             + ("Same numbers." if same else "DIFFERENT numbers.")]
    return "\n".join(text), all(met), same
