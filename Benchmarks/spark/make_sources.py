#!/usr/bin/env python3
"""Makes the sources of the benchmark of lists that several machines make: pipeline files, and the same as pipes (one.pipes).

    make_sources.py DIR [--rows N]

DIR/one.yaml has N rows (default 10,000,000) in 8 files: five zip archives, two lists of JSON rows, one gzip file; every tenth
row repeats a number of another file. DIR/ten.yaml reads each of them ten times, as 80 sources. DIR/days.yaml has 587 daily
files with the columns of the FTC's complaints.
"""
import argparse
import gzip
import os
import random
import subprocess
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
HEADER = (
    "Company_Phone_Number,Created_Date,Violation_Date,Consumer_City,Consumer_State,Consumer_Area_Code,Subject,"
    "Recorded_Message_Or_Robocall\n"
)
SUBJECTS = ["Other", "Reducing your debt", "Imposter", "Medical", "Home security", "No subject provided"]
DAYS, DAY_ROWS = 587, 8000


def pack(path, lines):
    """Writes lines in the form that the name asks for."""
    data = b"".join(lines)
    if path.endswith(".zip"):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.writestr("list.json", data)
    elif path.endswith(".gz"):
        with gzip.open(path, "wb", compresslevel=1) as file:
            file.write(data)
    else:
        with open(path, "wb") as file:
            file.write(data)


def make_rows(folder, rows):
    """Divides generated rows into 8 files. Returns their names."""
    whole = os.path.join(folder, "rows.json")
    subprocess.run(
        [sys.executable, os.path.join(HERE, "../make_rows.py"), "--rows", str(rows), "--duplicates", "10", whole], check=True)
    names = ["%d%s" % (index, end) for index, end in enumerate([".zip"] * 5 + [".json"] * 2 + [".json.gz"])]
    with open(whole, "rb") as file:
        lines = [line for line in file if line.startswith(b"{")]
    for index, name in enumerate(names):
        pack(os.path.join(folder, name), lines[index * len(lines) // 8 : (index + 1) * len(lines) // 8])
    os.remove(whole)
    return names


def make_days(folder):
    """Writes the daily files of complaints. Returns their names."""
    draw = random.Random(1)
    days = os.path.join(folder, "days")
    os.makedirs(days, exist_ok=True)
    names = []
    for day in range(DAYS):
        name = "days/day-%03d.csv" % day
        with open(os.path.join(folder, name), "w") as file:
            file.write(HEADER)
            for _ in range(DAY_ROWS):
                number = "%d%07d" % (draw.choice([202, 281, 405, 502, 646, 713]), 2_000_000 + draw.randrange(3_000_000))
                file.write("%s,2026-01-01 00:02:41,2025-12-31 19:13:00,,,434,%s,Y\n" % (number, draw.choice(SUBJECTS)))
        names.append(name)
    return names


def pipeline(folder, name, sources):
    with open(os.path.join(folder, name), "w") as file:
        file.write("sources:\n" + "".join("  - { name: s%d, path: %s, region: %s }\n" % (index, path, region)
                                          for index, (path, region) in enumerate(sources)))
        file.write("emit:\n  - { format: store, path: shards, baseline: first }\n  - { path: list.csv }\n")
    with open(os.path.join(folder, name.replace(".yaml", ".pipes")), "w") as file:
        file.writelines("unzip %s | parse | normalize --region %s\n" % source for source in sources)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory")
    parser.add_argument("--rows", type=int, default=10_000_000)
    arguments = parser.parse_args()
    os.makedirs(arguments.directory, exist_ok=True)
    names = make_rows(arguments.directory, arguments.rows)
    pipeline(arguments.directory, "one.yaml", [(name, "CN") for name in names])
    pipeline(arguments.directory, "ten.yaml", [(name, "CN") for _ in range(10) for name in names])
    pipeline(arguments.directory, "days.yaml", [(name, "US") for name in make_days(arguments.directory)])


if __name__ == "__main__":
    main()
