#!/usr/bin/env python3
"""Checks every relative link, image and anchor in the Markdown files of the repository.

    scripts/check_links.py [FILE.md...]

Without arguments, checks every Markdown file that Git tracks. Also checks that each path below docs/ that a tracked file
names in a comment or text exists. Links to other sites are not fetched. Exits 1 and lists what is broken.
"""

import pathlib
import re
import subprocess
import sys
import unicodedata
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"""!?\[(?:[^\]\\]|\\.)*\]\(\s*<?([^\s<>()]*(?:\([^\s()]*\))?[^\s<>()]*)>?(?:\s+"[^"]*")?\s*\)""")
REFERENCE = re.compile(r"^\s{0,3}\[[^\]]+\]:\s+<?(\S+?)>?(?:\s|$)", re.MULTILINE)
HTML = re.compile(r"""<(?:a|img|source)\b[^>]*?\b(?:href|src|srcset)="([^"]+)\"""")
HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$")
HTML_ANCHOR = re.compile(r"""<a\s+(?:id|name)="([^"]+)\"""")
DOCS_PATH = re.compile(r"(?<![\w./-])docs/[\w./-]+\.(?:md|json|py|png)\b")


def tracked():
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                           cwd=ROOT, check=True, capture_output=True).stdout
    return [pathlib.Path(name.decode()) for name in names.split(b"\0") if name]


def without_code(text):
    """Returns the text with blank code blocks and code spans; line numbers are unchanged."""
    lines, fence = [], None
    for line in text.split("\n"):
        mark = re.match(r"^ {0,3}(`{3,}|~{3,})", line)
        if fence:
            if mark and mark.group(1).startswith(fence):
                fence = None
            lines.append("")
        elif mark:
            fence = mark.group(1)
            lines.append("")
        else:
            lines.append(line)

    def blank(match):
        return match.group(1) + re.sub(r"[^\n]", " ", match.group(2)) + match.group(1)

    return re.sub(r"(?<!`)(`+)(?!`)((?:(?!\n\n).)+?)(?<!`)\1(?!`)", blank, "\n".join(lines), flags=re.DOTALL)


def slug(heading):
    """Returns the anchor that GitHub generates for a heading."""
    heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    heading = heading.replace("`", "").replace("*", "").lower()
    kept = (c for c in heading if c in " -_" or unicodedata.category(c)[0] in "LN" or unicodedata.category(c) == "Mn")
    return "".join(kept).replace(" ", "-")


KNOWN_ANCHORS = {}


def anchors(file):
    if file not in KNOWN_ANCHORS:
        text = file.read_text(encoding="utf-8")
        found, seen = set(HTML_ANCHOR.findall(text)), {}
        fence = None
        for line in text.split("\n"):
            mark = re.match(r"^ {0,3}(`{3,}|~{3,})", line)
            if mark and (fence is None or mark.group(1).startswith(fence)):
                fence = None if fence else mark.group(1)
            heading = None if fence else HEADING.match(line)
            if heading:
                name = slug(heading.group(2))
                count = seen.get(name, 0)
                seen[name] = count + 1
                found.add(f"{name}-{count}" if count else name)
        KNOWN_ANCHORS[file] = found
    return KNOWN_ANCHORS[file]


def broken_links(name):
    file = ROOT / name
    text = without_code(file.read_text(encoding="utf-8"))
    for pattern in (LINK, REFERENCE, HTML):
        for match in pattern.finditer(text):
            target = match.group(1)
            if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:", target) or target.startswith("//"):
                continue
            line = text.count("\n", 0, match.start(1)) + 1
            path, _, anchor = target.partition("#")
            path = urllib.parse.unquote(path)
            if path.startswith("/"):
                yield f"{name}:{line}: '{target}' is not a relative link"
                continue
            goal = (file.parent / path).resolve() if path else file
            if not goal.is_relative_to(ROOT):
                yield f"{name}:{line}: '{target}' leaves the repository"
            elif not goal.exists():
                yield f"{name}:{line}: '{target}' does not exist"
            elif anchor and (goal.suffix != ".md" or urllib.parse.unquote(anchor) not in anchors(goal)):
                yield f"{name}:{line}: '{target}': the page has no heading '#{anchor}'"


def broken_paths(name):
    file = ROOT / name
    if file.is_symlink() or not file.is_file():
        return
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    for match in DOCS_PATH.finditer(text):
        if not (ROOT / match.group(0)).exists() and not (file.parent / match.group(0)).exists():
            yield f"{name}:{text.count(chr(10), 0, match.start()) + 1}: '{match.group(0)}' does not exist"


def main(arguments):
    files = [pathlib.Path(a).resolve().relative_to(ROOT) for a in arguments] or tracked()
    problems = []
    for name in files:
        if name.suffix == ".md" and (ROOT / name).is_file():
            problems += broken_links(name)
        problems += broken_paths(name)
    print("\n".join(problems), end="\n" if problems else "", file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
