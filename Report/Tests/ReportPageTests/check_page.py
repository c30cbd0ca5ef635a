#!/usr/bin/env python3
"""Looks at a report's page in a real browser: check_page.py REPORT.json PAGE.html [SCREENSHOT-PREFIX]

Chromium (headless) loads the page; it must say nothing on its console, run no script, and fetch nothing. The figures in the
tables that it made of the page must be the report's. With a prefix, screenshots are taken: PREFIX-light.png,
PREFIX-dark.png, PREFIX-phone.png. CHROMIUM names another browser. Exits 1 with what is wrong.
"""
import html.parser
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def chromium(*options):
    program = os.environ.get("CHROMIUM", "chromium")
    with tempfile.TemporaryDirectory() as profile:
        return subprocess.run(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--enable-logging=stderr", f"--user-data-dir={profile}", *options],
            capture_output=True, text=True, timeout=120, check=True)


class Tables(html.parser.HTMLParser):
    """The tables of a page by their names, as rows of texts; and all the names of its tags."""

    def __init__(self):
        super().__init__()
        self.tables, self.tags, self.rows, self.cell = {}, set(), None, None
        self.sections, self.section = {}, None

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag == "section":
            self.section = dict(attributes).get("aria-labelledby")
        name = dict(attributes).get("data-table")
        if tag == "table":
            self.rows = self.tables.setdefault(name, [])
        elif tag == "tr" and self.rows is not None:
            self.rows.append([])
        elif tag in ("td", "th") and self.rows:
            self.cell = ""

    def handle_endtag(self, tag):
        if tag in ("td", "th") and self.cell is not None:
            self.rows[-1].append(self.cell)
            self.cell = None

    def handle_data(self, data):
        if self.section:
            self.sections[self.section] = self.sections.get(self.section, "") + data
        if self.cell is not None:
            self.cell += data


def expected(report):
    """Of each table some of its columns, by the places of the columns."""
    rows = report["rows"]
    yield "rows", (1,), [(f"{rows[key]:,}",) for key in
                         ("read", "splits", "written", "duplicates", "rejects", "leftOut", "removed", "joined")
                         if rows[key] or key in ("read", "written", "rejects")]
    troubles = [source for source in report["sources"] if "trouble" in source]
    if troubles:
        yield "trouble", (0, 2), [(source["name"], source["trouble"]["message"]) for source in troubles]
    stages = [stage for source in report["sources"] for stage in source["stages"]] + report["stages"]
    yield "stages", (2, 3, 4, 5), [
        (f"{stage['rowsIn']:,}", f"{stage['rowsOut']:,}",
         *(f"{stage[key]:,}" if key in stage else "" for key in ("rejects", "duplicates"))) for stage in stages]
    for key, table in (("labels", "labels"), ("callingCodes", "countries"), ("prefixes", "prefixes")):
        if key in report:
            tally = report[key]
            parts = tally["items"] + ([tally["others"]] if "others" in tally else [])
            yield table, (1, 2), [(f"{part['entries']:,}", f"{part['records']:,}") for part in parts]
    if "labels" in report:
        yield "labels", (0,), [(item["name"] or "(no label)",) for item in report["labels"]["items"]] + (
            [None] if "others" in report["labels"] else [])
    if report["rejects"]:
        yield "rejects", (0, 3), [(use["reason"], f"{use['count']:,}") for use in report["rejects"]]


def said_of_publishing(report, text):
    """What the page lacks of the version, or why there is none."""
    if "published" not in report:
        return ["the page describes a version that the report does not have"] if text else []
    published = report["published"]
    wanted = [published["directory"]] + [published[key] for key in ("version",) if key in published]
    if published["outcome"] in ("published", "withdrawn", "nothing") and "before" in published:
        wanted.append(published["before"])
    if published["outcome"] == "nothing":
        wanted.append(report["failure"]["message"])
    for output in report["outputs"]:
        if published["outcome"] == "published" and "shards" in output and "numbers" in output.get("change", {}):
            counts = output["change"]["numbers"]
            wanted.append(f"+{counts['added']:,}, −{counts['removed']:,}, {counts['relabelled']:,} relabelled numbers")
    # A cell's spaces are as the browser has them.
    return [f"what is said of publishing lacks '{words}'" for words in wanted if words not in (text or "")]


def main(report_file, page_file, prefix=None):
    with open(report_file, encoding="utf-8") as file:
        report = json.load(file)
    page = pathlib.Path(page_file).resolve().as_uri()
    loaded = chromium("--dump-dom", page)
    problems = [line for line in loaded.stderr.splitlines() if "CONSOLE" in line]
    tables = Tables()
    tables.feed(loaded.stdout)
    if "script" in tables.tags or "iframe" in tables.tags:
        problems.append("there is a script or a frame in the page")
    seen = set()
    for name, columns, rows in expected(report):
        seen.add(name)
        shown = [tuple(row[column] for column in columns) for row in tables.tables.get(name, [[]])[1:]]
        if len(shown) != len(rows) or any(want and want != got for want, got in zip(rows, shown)):
            problems.append(f"the table '{name}' shows {shown[:5]} and the report has {rows[:5]}")
    if seen != {name for name in tables.tables if name}:
        problems.append(f"the page has tables {sorted(filter(None, tables.tables))}, and not {sorted(seen)}")
    problems += said_of_publishing(report, tables.sections.get("published"))
    if "svg" not in tables.tags:
        problems.append("there is no chart")
    if prefix:
        dark = "--blink-settings=preferredColorScheme=0"
        light = "--blink-settings=preferredColorScheme=1"
        for name, size, options in (("light", "1100,1500", [light]), ("dark", "1100,1500", [dark]),
                                    ("phone", "500,1500", [light])):
            chromium(f"--screenshot={os.path.abspath(prefix)}-{name}.png", f"--window-size={size}", *options, page)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
