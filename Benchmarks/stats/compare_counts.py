#!/usr/bin/env python3
"""Compares the counts of `cdpipe stats` with those that DuckDB computes from the same records.

    PYTHONPATH=$(scripts/python-packages.sh --bench):$(scripts/python-packages.sh) Benchmarks/stats/compare_counts.py \\
      --cdpipe FILE [--marked cn-marked.json] [--ftc complaints.csv] [--nanpa cocodes.zip]

Each list is turned into records as text first, and counted from text, from a store, and by DuckDB: records, ranges,
numbers, and both by label, source, calling code and leading digits. Regions and types are compared with those that
phonenumbers, libphonenumber's Python port, determines for every distinct block of 10,000 numbers or single number.
Prints one line per list and exits with 1 if a count differs.
"""

import argparse
import collections
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

import duckdb
import phonenumbers
from phonenumbers import COUNTRY_CODE_TO_REGION_CODE, PhoneNumberType

TYPES = {value: name.lower().replace("_", "-") for name, value in vars(PhoneNumberType).items() if name.isupper()}


def stats(cdpipe, file):
    return json.loads(subprocess.run(
        [cdpipe, "stats", "--json", "--top", "0", str(file)], check=True, capture_output=True).stdout)


def shell(command, *arguments):
    subprocess.run(["bash", "-o", "pipefail", "-c", command, "bash", *map(str, arguments)], check=True)


def nanpa_records(source, target):
    """One range of 10,000 numbers for each assigned office code."""
    with zipfile.ZipFile(source) as archive, archive.open(archive.namelist()[0]) as file, \
            open(target, "w", encoding="utf-8") as output:
        for line in io.TextIOWrapper(file, encoding="latin-1"):
            fields = [field.strip().strip('"').strip() for field in line.split("\t")]
            if len(fields) > 3 and re.fullmatch(r"\d{3}-\d{3}", fields[1]):
                office = "1" + fields[1].replace("-", "")
                label = fields[3].replace("\\", "\\\\")
                output.write(f"{office}0000..{office}9999\t{label}\t{fields[0]}\n")


def duckdb_counts(text):
    """The counts by label, source, calling code and prefix, computed by DuckDB from the text form."""
    database = duckdb.connect()
    database.execute(f"""
        CREATE TABLE lines AS SELECT regexp_split_to_array(line, '\t') AS fields
        FROM read_csv('{text}', columns = {{'line': 'VARCHAR'}}, delim = '\x01', header = false, quote = '', escape = '')
    """)
    database.execute("""
        CREATE TABLE records AS SELECT
          split_part(fields[1], '..', 1)::UBIGINT AS first,
          coalesce(nullif(split_part(fields[1], '..', 2), ''), fields[1])::UBIGINT AS last,
          coalesce(fields[2], '') AS label, coalesce(fields[3], '') AS source FROM lines
    """)
    database.execute("CREATE TABLE codes (code VARCHAR)")
    database.executemany("INSERT INTO codes VALUES (?)", [[str(code)] for code in COUNTRY_CODE_TO_REGION_CODE])
    # Every range of these lists lies within one prefix.
    database.execute("""
        CREATE TABLE coded AS SELECT records.*, coalesce(code, '') AS code,
          left(first::VARCHAR, length(coalesce(code, '')) + 3) AS prefix, last - first + 1 AS size
        FROM records LEFT JOIN codes ON starts_with(first::VARCHAR, code)
    """)
    crossing = database.execute(
        "SELECT count(*) FROM coded WHERE left(last::VARCHAR, length(prefix)) <> prefix").fetchone()[0]
    if crossing:
        sys.exit(f"{text}: {crossing} ranges cross the end of a prefix, which this comparison does not support")

    def by(column):
        rows = database.execute(f"SELECT {column}, count(*), sum(size)::UBIGINT FROM coded GROUP BY 1").fetchall()
        return {name: (records, numbers) for name, records, numbers in rows}

    total = database.execute(
        "SELECT count(*), count(*) FILTER (last > first), coalesce(sum(size), 0)::UBIGINT FROM coded").fetchone()
    sizes = database.execute("SELECT first, last, count(*) FROM coded GROUP BY 1, 2").fetchall()
    return total, {name: by(name) for name in ("label", "source", "code", "prefix")}, sizes


def plan_counts(sizes):
    """The counts of numbers by region and by type, by phonenumbers."""
    regions, types = collections.Counter(), collections.Counter()
    for first, last, count in sizes:
        # The plan distinguishes at most the digits before the last four in these lists.
        for start in range(first, last + 1, 10_000):
            size = (min(last, start + 9_999) - start + 1) * count
            try:
                number = phonenumbers.parse(f"+{start}")
            except phonenumbers.NumberParseException:
                number = phonenumbers.PhoneNumber()
            regions[phonenumbers.region_code_for_number(number)] += size
            types[TYPES[phonenumbers.number_type(number)]] += size
    return regions, types


def listed(counts, name, key="name"):
    found = collections.defaultdict(lambda: (0, 0))
    for item in counts[name]["items"]:
        records, numbers = found[item.get(key, "")]
        found[item.get(key, "")] = (records + item["records"], numbers + item["numbers"])
    return dict(found)


def compare(name, cdpipe, text):
    counts = stats(cdpipe, text)
    total, expected, sizes = duckdb_counts(text)
    regions, types = plan_counts(sizes)
    codes = {str(code): both for code, both in listed(counts, "countries", "callingCode").items()}
    numbers_by_region = {region or None: both[1] for region, both in listed(counts, "countries", "region").items()}
    checks = {
        "totals": ((counts["records"], counts["ranges"], counts["numbers"]), total),
        "labels": (listed(counts, "labels"), {unescaped(label): both for label, both in expected["label"].items()}),
        "sources": (listed(counts, "sources"), {unescaped(text): both for text, both in expected["source"].items()}),
        "calling codes": (codes, expected["code"]),
        "leading digits": (listed(counts, "prefixes"), expected["prefix"]),
        "regions": (numbers_by_region, dict(regions)),
        "types": ({kind: both[1] for kind, both in listed(counts, "types").items()}, dict(types)),
    }
    wrong = [what for what, (ours, theirs) in checks.items() if ours != theirs]
    sizes_text = ", ".join(f"{len(ours):,} {what}" for what, (ours, _) in checks.items() if what != "totals")
    print(f"{name}: {total[0]:,} records, {total[2]:,} numbers, {sizes_text}: {'equal' if not wrong else 'DIFFERENT'}")
    for what in wrong:
        ours, theirs = checks[what]
        print(f"  {what}: cdpipe {ours if what == 'totals' else difference(ours, theirs)}, "
              f"others {theirs if what == 'totals' else difference(theirs, ours)}")
    return not wrong


def difference(one, other):
    return {name: value for name, value in sorted(one.items(), key=str) if other.get(name) != value}


def unescaped(text):
    signs = {"\\": "\\", "t": "\t", "n": "\n", "r": "\r"}
    return re.sub(r"\\(.)", lambda match: signs[match[1]], text)


def same_store(name, cdpipe, text, folder):
    """Whether the sorted list has the same counts as text and as a store, which has no sources."""
    sorted_list, store = folder / "sorted.tsv", folder / "sorted.cdstore"
    shell('"$1" sort "$2" | "$1" dedupe --quiet -o "$3" && "$1" emit --quiet --max-entries 4000000000 -o "$4" "$3"',
          cdpipe, text, sorted_list, store)
    one, other = stats(cdpipe, sorted_list), stats(cdpipe, store)
    for counts in (one, other):
        del counts["inputs"], counts["sources"]
    if one != other:
        print(f"{name}: the counts of its store are DIFFERENT")
    return one == other


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cdpipe", required=True)
    parser.add_argument("--marked", type=pathlib.Path)
    parser.add_argument("--ftc", type=pathlib.Path)
    parser.add_argument("--nanpa", type=pathlib.Path)
    arguments = parser.parse_args()
    equal = True
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        text = folder / "list.tsv"
        if arguments.marked:
            shell('"$1" parse --source "=marked" "$2" | "$1" normalize --quiet --region CN -o "$3"',
                  arguments.cdpipe, arguments.marked, text)
            equal &= compare(arguments.marked.name, arguments.cdpipe, text)
            equal &= same_store(arguments.marked.name, arguments.cdpipe, text, folder)
        if arguments.ftc:
            shell('"$1" parse --quiet --number Company_Phone_Number --label Subject --source Consumer_State "$2" '
                  '| "$1" normalize --quiet --region US -o "$3"', arguments.cdpipe, arguments.ftc, text)
            equal &= compare(arguments.ftc.name, arguments.cdpipe, text)
            equal &= same_store(arguments.ftc.name, arguments.cdpipe, text, folder)
        if arguments.nanpa:
            nanpa_records(arguments.nanpa, text)
            equal &= compare(arguments.nanpa.name, arguments.cdpipe, text)
            equal &= same_store(arguments.nanpa.name, arguments.cdpipe, text, folder)
    sys.exit(0 if equal else 1)


if __name__ == "__main__":
    main()
