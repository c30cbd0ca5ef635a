#!/usr/bin/env python3
"""Converts lists of many kinds to several formats, by `cdpipe convert` and by the filters that its pipeline file names.

  convert_cases.py PROGRAM FOLDER   makes the lists in FOLDER, and prints a line for each

Both must write the same bytes, or refuse the format. Exits 1 if a list differs, or has fewer than three formats.
"""
import bz2
import lzma
import pathlib
import shlex
import shutil
import subprocess
import sys

import preview_cases

FORMATS = ["store", "tsv", "csv", "jsonl", "vcard", "asterisk"]
SAMPLES = ["spam.xlsx", "begone-binary.plist"]


def kinds(folder):
    """The lists of previews, and packed ones and other samples: names and bytes."""
    for name, content, _ in preview_cases.cases(folder):
        yield name, content
    marked = (preview_cases.SAMPLES / "marked.json").read_bytes()
    yield "marked.json.bz2", bz2.compress(marked)
    yield "marked.json.xz", lzma.compress(marked)
    if shutil.which("zstd"):
        yield "marked.json.zst", subprocess.run(["zstd", "-cq"], input=marked, capture_output=True, check=True).stdout
    for name in SAMPLES:
        yield name, (preview_cases.SAMPLES / name).read_bytes()


def options(text, stage):
    """The options that a pipeline file sets for a stage of its only source."""
    found, inside = [], False
    for line in text.splitlines():
        key, _, value = line.strip().partition(":")
        if not line.startswith("    "):
            inside = False
        elif line[4] != " ":
            inside = key == stage
            if key == "region" and stage == "normalize":
                found += ["--region", value.partition("#")[0].strip()]
        elif inside and not key.startswith("#"):
            value = value.strip()
            quoted = value[:1] in "'\"" and value[1:].partition(value[0])[0]
            found += [f"--{key}", quoted or value.partition(" #")[0].strip()]
    return found


def main(program, folder):
    folder = pathlib.Path(folder)
    program = str(pathlib.Path(program).resolve())
    failures = lists = 0

    def run(command):
        return subprocess.run(command, cwd=folder, capture_output=True)

    for name, content in kinds(folder):
        (folder / name).write_bytes(content)
        lists += 1
        preview = preview_cases.recognised(program, name, folder)
        region = preview and preview["region"].get("code")
        chosen = ["--region", region] if region else []
        explained = run([program, "convert", "--explain", *chosen, name, "-o", "x.csv"]).stdout.decode()
        differing, written = [], 0
        for form in FORMATS:
            converted, filtered = f"{name}.converted", f"{name}.filtered"
            if form == "store":
                converted, filtered = (path + ".cdstore" for path in (converted, filtered))
            done = run([program, "convert", "--quiet", *chosen, name, "--format", form, "-o", converted])
            stages = [["unzip", name, *options(explained, "unzip")], ["parse", *options(explained, "parse")],
                      ["normalize", *options(explained, "normalize")], ["sort"], ["dedupe"],
                      ["emit", "--format", form, "-o", filtered]]
            pipe = " | ".join(shlex.join([program, *words]) for words in stages)
            piped = run(["bash", "-c", f"set -o pipefail; {pipe}"])
            files = [folder / converted, folder / filtered]
            results = [file.read_bytes() if file.exists() else None for file in files]
            if done.returncode != piped.returncode or results[0] != results[1]:
                differing.append(form)
                sys.stdout.write((done.stderr + piped.stderr).decode(errors="replace"))
            # A format may hold no list with ranges of a hundred million numbers.
            written += bool(results[0])
            for file in files:
                file.unlink(missing_ok=True)
        failures += bool(differing) or written < 3
        print(f"{name:22} {written} formats {'differ: ' + ', '.join(differing) if differing else ''}")
    print(f"{lists} lists, {len(FORMATS)} formats, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
