#!/usr/bin/env python3
"""Writes the figures on docs/design/benchmarks.md from a file of results, and from nothing else.

    Benchmarks/page.py [RESULTS.json]

The default is the committed file. A part is enclosed by two marks; the rest of the page is written by hand.
"""

import pathlib
import re
import sys

import results

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "design" / "benchmarks.md"


def table(columns, rows):
    def line(cells):
        return "| " + " | ".join(re.sub(r"(?<!\\)\|", r"\\|", cell) for cell in cells) + " |"

    return "\n".join([line(columns), "|" + "---|" * len(columns)] + [line(row) for row in rows])


def text(part):
    """The text of a part."""
    blocks = [block if isinstance(block, str) else table(**block) for block in part["blocks"]]
    if part["figures"]:
        blocks.append(table(["figure", "measured", "bar", ""], [results.shown(figure) for figure in part["figures"]]))
    return "\n\n".join(blocks)


def write(found):
    """Replaces the text between all marks."""
    parts = {
        name: f"{text(part)}\n\nMeasured {part['measured']} at {part['commit']}, in {part['seconds']} s."
        for name, part in found["parts"].items()}
    parts["machine"] = table(["", ""], found["machine"].items())
    page = PAGE.read_text(encoding="utf-8")
    marks = re.compile(r"(<!-- (\w+) -->\n).*?(<!-- /\2 -->\n)", re.DOTALL)
    known = {match[2] for match in marks.finditer(page)}
    if parts.keys() - known:
        sys.exit(f"{PAGE.name} lacks the marks of {', '.join(sorted(parts.keys() - known))}")
    page = marks.sub(lambda match: f"{match[1]}{parts.get(match[2], 'Not measured.')}\n{match[3]}", page)
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    write(results.load(sys.argv[1] if len(sys.argv) > 1 else results.COMMITTED) or sys.exit("page.py: there are no results"))
