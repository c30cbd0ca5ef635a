#!/usr/bin/env python3
"""Updates docs/design/benchmarks.md; each benchmark writes its own part.

    … | Benchmarks/page.py PART

reads the text of a part from standard input. A part is enclosed by two marks; the rest of the page is written by hand.
"""

import os
import pathlib
import platform
import re
import subprocess
import sys
import time

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "design" / "benchmarks.md"


def write(part, text):
    """Replaces the text between the part's marks and adds the date. Fails if the page lacks these marks."""
    page = PAGE.read_text(encoding="utf-8")
    marks = re.compile(rf"(<!-- {re.escape(part)} -->\n).*?(<!-- /{re.escape(part)} -->\n)", re.DOTALL)
    stamped = f"{text.strip()}\n\nMeasured {time.strftime('%Y-%m-%d')}, {platform.machine()}.\n"
    page, found = marks.subn(lambda match: match[1] + stamped + match[2], page)
    if found != 1:
        sys.exit(f"{PAGE.name} lacks the marks of '{part}': <!-- {part} --> and <!-- /{part} -->")
    PAGE.write_text(page, encoding="utf-8")


def first_line(command):
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    except OSError:
        return "not installed"
    return done.stdout.strip().partition("\n")[0] or "unknown"


def field_of(file, key):
    """Returns the value of a `key : value` line in a file of /proc."""
    try:
        with open(file, encoding="utf-8") as lines:
            for line in lines:
                name, _, value = line.partition(":")
                if name.strip() == key:
                    return value.strip()
    except OSError:
        pass
    return "unknown"


def machine(cdpipe, others):
    """Returns the table of the machine and the program versions; `others` are additional rows (what, version)."""
    kibibytes = field_of("/proc/meminfo", "MemTotal").partition(" ")[0]
    memory = f"{int(kibibytes) / (1 << 20):.1f} GiB" if kibibytes.isdigit() else "unknown"
    rows = [
        ("processor", f"{field_of('/proc/cpuinfo', 'model name')}, {os.cpu_count()} cores"),
        ("memory", memory),
        ("kernel", f"{platform.system()} {platform.release().partition('-')[0]}"),
        ("cdpipe", first_line([cdpipe, "--version"])),
        ("Swift", first_line(["swift", "--version"])),
        ("awk", first_line(["mawk", "-W", "version"])),
        ("sort", first_line(["sort", "--version"])),
        ("jq", first_line(["jq", "--version"])),
        ("Miller", first_line(["mlr", "--version"])),
    ] + others
    return "\n".join(["| | |", "|---|---|"] + [f"| {what} | {version} |" for what, version in rows])


if __name__ == "__main__":
    write(sys.argv[1], sys.stdin.read())
