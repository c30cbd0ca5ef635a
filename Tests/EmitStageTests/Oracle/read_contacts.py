#!/usr/bin/env python3
"""Reads the contacts and the templates that `cdpipe emit` writes with readers that are not ours, and contacts with cdpipe.

    PYTHONPATH=$(scripts/python-packages.sh) python3 read_contacts.py .build/release/cdpipe [--seed S] [--records N]

vCards are read by vobject, and their lines are checked against RFC 2426 and RFC 6350: CR LF, at most 75 octets, no cut
characters. Phone books are read by xml.etree, and their elements and attributes compared with those that real boxes
export. Both must have the numbers and labels of the records, at most N numbers in a contact, and `cdpipe parse` must
read the same records. Templates of CSV, JSON and XML are read by Python's readers of these formats. Labels are random texts of letters, signs with a meaning in the formats, and line ends.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import vobject

PIECES = ["a", "Ä", "骚扰电话", "😀", ",", ";", ":", "\\", "\\n", '"', "'", "&", "<", ">", "]]>", "\n", "\t", " ", "=", "x" * 60, "é" * 40]


def label(source: random.Random) -> str:
    if source.random() < 0.1:
        return ""
    text = "".join(source.choice(PIECES) for _ in range(source.randrange(1, 8)))
    # White space around a name is not part of it.
    return text.strip(" \t\n")


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def check(condition: bool, message: str) -> None:
    if not condition:
        sys.exit(f"read_contacts.py: {message}")


def run(program: str, *arguments: str, **options) -> bytes:
    return subprocess.run([program, *arguments], check=True, stdout=subprocess.PIPE, **options).stdout


def read_cards(content: bytes, version: str, numbers_max: int) -> list[tuple[int, str]]:
    check(content.endswith(b"END:VCARD\r\n") or not content, "the last line end is missing")
    for line in content.split(b"\r\n"):
        check(b"\n" not in line and b"\r" not in line, f"a lone line end: {line!r}")
        check(len(line) <= 75, f"a line of {len(line)} octets")
        line.decode("utf-8")
    records = []
    for card in vobject.readComponents(content.decode("utf-8")):
        check(card.version.value == version, "another version")
        check(content.count(b"\r\nN:") == content.count(b"\r\nFN:") == content.count(b"BEGIN:VCARD"), "N or FN is missing")
        check(card.n.value.family == card.fn.value, f"{card.n.value.family!r} is not {card.fn.value!r}")
        check(1 <= len(card.tel_list) <= numbers_max, f"{len(card.tel_list)} numbers")
        for tel in card.tel_list:
            check(tel.value.startswith("+"), f"the number {tel.value}")
            records.append((int(tel.value[1:]), card.fn.value))
    return records


def read_book(content: bytes, name: str) -> list[tuple[int, str]]:
    root = ElementTree.fromstring(content)
    check(root.tag == "phonebooks" and [e.tag for e in root] == ["phonebook"], "another tree")
    check(root[0].attrib == {"name": name}, f"the book {root[0].attrib}")
    records = []
    for contact in root[0]:
        check(contact.tag == "contact", contact.tag)
        check([e.tag for e in contact] == ["category", "person", "telephony"], "another contact")
        telephony = contact.find("telephony")
        check(telephony.get("nid") == str(len(telephony)) and 1 <= len(telephony) <= 9, "another nid")
        for index, number in enumerate(telephony):
            expected = {"type": "home", "prio": "1" if index == 0 else "0", "id": str(index)}
            check(number.tag == "number" and number.attrib == expected, str(number.attrib))
            check(number.text.startswith("+"), number.text)
            records.append((int(number.text[1:]), contact.findtext("person/realName")))
    return records


def check_books(program: str, text: bytes, records: list[tuple[int, str]], folder: pathlib.Path) -> None:
    run(program, "emit", "-q", "--format", "phonebook", "--contact-numbers", "1", "--books", "100", "-o", str(folder / "book.xml"), input=text)
    paths = {int(path.stem.removeprefix("book-")): path for path in folder.glob("book-*.xml")}
    books = [read_book(path.read_bytes(), "cdpipe" if n == 1 else f"cdpipe {n}") for n, path in paths.items()]
    check(sorted(map(len, books), reverse=True)[:-1] == [2_000] * (-(-len(records) // 2_000) - 1), "books with other lengths")
    check(sorted(sum(books, [])) == records, "books: other records")


def check_templates(program: str, text: bytes, records: list[tuple[int, str]]) -> None:
    def emit(template: str, *options: str) -> str:
        return run(program, "emit", "-q", "--template", template, *options, input=text).decode()

    rows = csv.reader(io.StringIO(emit("{label|csv},{e164}", "--join", "\\r\\n"), newline=""))
    check([(int(number), name) for name, number in rows] == records, "CSV by a template: other records")
    array = json.loads(emit('{{"n":{e164},"l":{label|json}}}', "--header", "[", "--join", ",", "--footer", "]"))
    check([(each["n"], each["l"]) for each in array] == records, "JSON by a template: other records")
    tree = ElementTree.fromstring(emit('<e n="{e164}">{label|xml}</e>', "--header", "<r>", "--footer", "</r>"))
    check([(int(each.get("n")), each.text or "") for each in tree] == records, "XML by a template: other records")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--records", type=int, default=3_000)
    options = parser.parse_args()
    source = random.Random(options.seed)
    # The labels that often repeat, and distinct ones.
    common = [label(source) for _ in range(20)]
    records = []
    number = 4930000000
    for _ in range(options.records):
        number += source.randrange(1, 50)
        records.append((number, source.choice(common) if source.random() < 0.8 else label(source)))
    text = "".join(f"{number}\t{escaped(name)}\n" if name else f"{number}\n" for number, name in records).encode()
    with tempfile.TemporaryDirectory() as folder:
        for form, arguments, count in [
            ("vcard", ["--contact-numbers", "7"], 7), ("vcard", [], 100), ("vcard4", ["--contact-numbers", "1000"], 1000),
            ("phonebook", ["--book-name", 'A & "B"'], 9),
        ]:
            path = pathlib.Path(folder, f"{form}.out")
            run(options.program, "emit", "-q", "--format", form, *arguments, "-o", str(path), input=text)
            content = path.read_bytes()
            if form == "phonebook":
                found = read_book(content, 'A & "B"')
            else:
                found = read_cards(content, "3.0" if form == "vcard" else "4.0", count)
            check(sorted(found) == records, f"{form}: other records")
            raw = run(options.program, "parse", "-q", "--source", "=", str(path))
            normalized = run(options.program, "normalize", "-q", "--require", "none", input=raw)
            check(run(options.program, "sort", "-q", input=normalized) == text, f"{form}: cdpipe reads other records")
        check_books(options.program, text, records, pathlib.Path(folder))
    check_templates(options.program, text, records)
    print(f"read_contacts.py: {options.records} records in 4 files and 3 templates are the same, seed {options.seed}")


if __name__ == "__main__":
    main()
