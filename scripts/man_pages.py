#!/usr/bin/env python3
"""Writes a manual page for each command.

  scripts/man_pages.py FOLDER [PROGRAM]

The pages are mdoc(7): cdpipe.1, cdpipe-sort.1, cdpipe-rules-check.1 and so on. Commands, options and descriptions come
from the program's `--experimental-dump-help`, the examples from its `--help`, and the exit statuses of cdpipe from
docs/operations/exit-statuses.md. (swift-argument-parser's own generator, `swift package generate-manual`, writes neither
examples nor the program's exit statuses.)

The program is that which CDPIPE names (default: .build/release/cdpipe), or PROGRAM, such as cdpipe-server. The date of
the pages is SOURCE_DATE_EPOCH, or that of the last commit.
"""

import datetime
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
STATUSES = ROOT / "docs/operations/exit-statuses.md"
PROGRAM = sys.argv[2] if len(sys.argv) > 2 else os.environ.get("CDPIPE") or str(ROOT / ".build/release/cdpipe")


def text(plain):
    """Text for a line of its own."""
    escaped = plain.replace("\\", "\\e").replace("-", "\\-")
    escaped = "".join(c if c < "\x7f" else f"\\[u{ord(c):04X}]" for c in escaped)
    return "\\&" + escaped if escaped[:1] in (".", "'") else escaped


def argument(plain):
    """Text as one argument of a macro."""
    escaped = text(plain).replace('"', "\\(dq")
    # \& keeps short words from being read as macros or punctuation.
    return f'"\\&{escaped}"'


def paragraphs(plain):
    """Paragraphs, a sentence per line; indented lines are kept as they are."""
    lines = []
    for paragraph in plain.split("\n\n"):
        if lines:
            lines.append(".Pp")
        if paragraph.startswith("  "):
            lines += [".Bd -literal -offset indent", *(text(line) for line in paragraph.split("\n")), ".Ed"]
        else:
            sentences = re.sub(r"(?<=[.!?:;]) (?=[A-Z'])", "\n", paragraph.replace("\n", " "))
            lines += [text(line) for line in sentences.split("\n")]
    return lines


def names(option):
    """The names of an option, as arguments of macros."""
    flags = [name["name"] if name["kind"] == "short" else "-" + name["name"] for name in option["names"]]
    return " , ".join(f"Fl {flag}" for flag in sorted(flags, key=len))


def value(option):
    """The value of an option, as arguments of macros."""
    return f" Ar {argument(option['valueName'])}" if option["kind"] == "option" else ""


def shown(command, kind):
    """The arguments that the help shows: positional ones or options."""
    is_positional = kind == "positional"
    listed = [a for a in command.get("arguments", []) if a["shouldDisplay"]]
    return [a for a in listed if (a["kind"] == "positional") == is_positional]


def synopsis(command, title):
    lines = [f".Nm {title}"]
    for option in shown(command, "option"):
        name = option["preferredName"]
        if name["name"] in ("help", "version"):
            continue
        flag = ("" if name["kind"] == "short" else "-") + name["name"]
        lines.append(f".{'Op ' if option['isOptional'] else ''}Fl {flag}{value(option)}")
    for positional in shown(command, "positional"):
        more = " ..." if positional["isRepeating"] else ""
        lines.append(f".{'Op ' if positional['isOptional'] else ''}Ar {argument(positional['valueName'])}{more}")
    if command.get("subcommands"):
        lines.append(".Ar command ...")
    return lines


def description(option):
    """What an option does, with its values and its default."""
    facts = []
    if option.get("allValues"):
        facts.append("values: " + ", ".join(option["allValues"]))
    if option.get("defaultValue"):
        facts.append("default: " + option["defaultValue"])
    return paragraphs(option.get("abstract", "") + (f" ({'; '.join(facts)})" if facts else ""))


def options(command):
    """The arguments and options as lists."""
    lines = []
    positional = shown(command, "positional")
    if positional:
        lines += [".Pp", "The arguments are as follows:", ".Bl -tag -width Ds"]
        for one in positional:
            lines += [f".It Ar {argument(one['valueName'])}", *description(one)]
        lines.append(".El")
    if shown(command, "option"):
        lines += [".Pp", "The options are as follows:", ".Bl -tag -width Ds"]
        for option in shown(command, "option"):
            lines += [f".It {names(option)}{value(option)}", *description(option)]
        lines.append(".El")
    return lines


def subcommands(command, page):
    """The commands of a group, as references to their pages."""
    lines = [".Pp", "The commands are as follows:", ".Bl -tag -width Ds"]
    for sub in command["subcommands"]:
        lines += [f".It Xr {page}-{sub['commandName']} 1", *paragraphs(sub["abstract"])]
    return [*lines, ".El"]


def examples(words):
    """The examples in a command's help: tasks and their command lines."""
    run = subprocess.run([PROGRAM, *words, "--help"], capture_output=True, text=True, check=True)
    shown_examples = run.stdout.partition("\nEXAMPLES:\n")[2]
    if not shown_examples:
        return []
    lines = [".Sh EXAMPLES"]
    is_literal = False
    for line in shown_examples.split("\n"):
        is_command = line.startswith("    ")
        if is_literal and not is_command:
            lines.append(".Ed")
        if is_command and not is_literal:
            lines.append(".Bd -literal -offset indent")
        is_literal = is_command
        if line:
            lines += [text(line[4:])] if is_command else [*([".Pp"] if len(lines) > 1 else []), text(line.strip())]
    return lines + ([".Ed"] if is_literal else [])


def statuses():
    """The exit statuses, from the first table of their page."""
    lines = [".Sh EXIT STATUS", ".Bl -tag -width Ds"]
    for row in STATUSES.read_text(encoding="utf-8").split("\n\n")[2].split("\n")[2:]:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        lines += [f".It {argument(cells[0])}", text(cells[1].replace("`", ""))]
    return [*lines, ".El"]


def references(page, body, pages):
    """The pages of the commands that a page mentions, and cdpipe(1)."""
    plain = "\n".join(body).replace("\\-", "-")
    mentioned = {other for other in pages if other != page and re.search(rf"\b{other.replace('-', ' ')}\b", plain)}
    # `cdpipe rules check` mentions the subcommand, not the group.
    mentioned = {one for one in mentioned if not any(other.startswith(one + "-") for other in mentioned)}
    parent = page.rpartition("-")[0]
    listed = sorted((mentioned | {parent, "cdpipe"}) - {page, ""})
    if listed == ["cdpipe"] or page == "cdpipe":
        listed = sorted({*listed, "cdpipe-help", "cdpipe-version"} - {page})
    return [".Sh SEE ALSO", *(f".Xr {one} 1" + (" ," if one != listed[-1] else "") for one in listed)]


def commands(command, words=()):
    """All commands with the words that name them. The parser adds a second `help` at the end, which is left out."""
    yield command, list(words)
    # The parser adds `help` to a program without commands, too.
    seen = set() if len(command.get("subcommands", [])) > 1 else {"help"}
    for sub in command.get("subcommands", []):
        if sub["commandName"] not in seen:
            seen.add(sub["commandName"])
            yield from commands(sub, (*words, sub["commandName"]))


def date():
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    if not seconds:
        run = subprocess.run(["git", "-C", str(ROOT), "log", "-1", "--format=%ct"], capture_output=True, check=False)
        seconds = run.stdout.strip() or 0
    day = datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc)
    return f"{day:%B} {day.day}, {day.year}"


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    dump = subprocess.run([PROGRAM, "--experimental-dump-help"], capture_output=True, check=True)
    found = [(command, words) for command, words in commands(json.loads(dump.stdout)["command"])]
    name = found[0][0]["commandName"]
    pages = ["-".join([name, *words]) for _, words in found]
    day = date()
    for page, (command, words) in zip(pages, found, strict=True):
        abstract = command["abstract"].rstrip(".")
        body = [".Sh DESCRIPTION", *paragraphs(command.get("discussion") or command["abstract"]), *options(command)]
        if command.get("subcommands"):
            unique = {sub["commandName"]: sub for sub in reversed(command["subcommands"])}
            command["subcommands"] = list(reversed(unique.values()))
            body += subcommands(command, page)
        body += [*(statuses() if name == "cdpipe" else []), *examples(words)]
        lines = [
            '.\\" Generated by scripts/man_pages.py.',
            f".Dd {day}",
            f".Dt {page.upper()} 1",
            ".Os",
            ".Sh NAME",
            f".Nm {page}",
            f".Nd {text(abstract[0].lower() + abstract[1:])}",
            ".Sh SYNOPSIS",
            *synopsis(command, page.replace("-", " ")),
            *body,
            *references(page, body, pages),
        ]
        (folder / f"{page}.1").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
