#!/usr/bin/env python3
"""Reads a list of a call blocker without cdpipe: read_blocker_list.py FORMAT FILE.

Prints `number <TAB> label <TAB> score` per entry, as far as the format has them. FORMAT is asterisk, spamblocker,
saracroche, phoneblock, plist, yacb, fossify, freeswitch or kamailio. Python's csv, json and plistlib read the texts;
SpamBlocker's own grammar of CSV, PHP's escapes and data slices are read as docs/commands/emit-formats.md describes them.
Fails if a list has anything that the application would not read.
"""
import csv
import json
import plistlib
import re
import struct
import sys


def asterisk(data):
    # PHP's fgetcsv: a backslash keeps the next quote from closing a field.
    rows = list(csv.reader(data.decode().splitlines(), escapechar=None, strict=True))
    assert rows[0] == ["number", "description"] and all(len(row) == 2 for row in rows)
    assert not re.search(rb'\\"', data)
    for number, description in rows[1:]:
        assert number.isdigit() and description != "1"
        yield number, description


def spamblocker(data):
    # The application's reader: quotes open and close, without escapes; no byte order mark.
    records, record, cell, quoted = [], [], "", False
    for character in data.decode():
        if character == '"':
            quoted = not quoted
        elif character == "," and not quoted:
            record.append(cell)
            cell = ""
        elif character == "\n" and not quoted:
            records.append(record + [cell])
            record, cell = [], ""
        elif character != "\r" or quoted:
            cell += character
    assert not quoted and not record and not cell
    assert records[0] == ["pattern", "description"]
    for pattern, description in records[1:]:
        assert re.fullmatch(r"\d+(\\d(\{\d+\})?)?", pattern)
        yield pattern, description


def saracroche(data):
    document = json.loads(data)
    assert isinstance(document["version"], str) and isinstance(document["name"], str)
    patterns = [entry["pattern"] for entry in document["patterns"]]
    assert len(set(patterns)) == len(patterns)
    for entry in document["patterns"]:
        assert re.fullmatch(r"\d+#{0,6}", entry["pattern"]) and entry["action"] == "block"
        yield entry["pattern"], entry["name"]


def phoneblock(data):
    for entry in json.loads(data)["numbers"]:
        assert re.fullmatch(r"\+\d+", entry["phone"]) and re.fullmatch("[A-G]_[A-Z]+", entry["rating"])
        yield entry["phone"], entry["rating"], entry["votes"]


def plist(data):
    for entry in plistlib.loads(data, fmt=plistlib.FMT_XML):
        assert sorted(entry) == ["addNational", "category", "number", "title"]
        assert entry["addNational"] == "true" and entry["category"] == "0"
        assert re.fullmatch(r"\+\d+(#{2,6})?", entry["number"])
        yield entry["number"], entry["title"]


def yacb(data):
    magic, _, _version, _, _, count = struct.unpack_from("<4sbi2sii", data)
    assert magic in (b"YABF", b"MTZF")
    at = 19
    previous = 0
    for _ in range(count):
        number, positive, negative, _neutral, _, category = struct.unpack_from("<q5B", data, at)
        assert number > previous
        previous = number
        at += 13
        yield number, category, negative - positive
    assert data[at:] == b"CP" + bytes(4) + (b"YABEND" if magic == b"YABF" else b"MTZEND")


def fossify(data):
    # The application's importer: numbers between commas, signs of a phone number only; others are left out without an error.
    for number in data.decode().rstrip().split(","):
        assert re.fullmatch(r"[0-9+\-)( *#]+", number) and re.fullmatch(r"\+\d+", number)
        yield (number,)


def freeswitch(data):
    # The module's loader: fgets with 1,024 bytes, without the line end. An empty line would be an entry.
    assert data.endswith(b"\n")
    for line in data[:-1].split(b"\n"):
        assert re.fullmatch(rb"\d{1,1022}", line)
        yield (line.decode(),)


def kamailio(data):
    rows = csv.DictReader(data.decode().splitlines(keepends=True), strict=True)
    assert rows.fieldnames == ["prefix", "allowlist", "description"]
    for row in rows:
        # The columns' widths are those of userblocklist-create.sql.
        assert re.fullmatch(r"\d{1,64}", row["prefix"]) and row["allowlist"] == "0" and len(row["description"]) <= 255
        yield row["prefix"], row["description"]


if __name__ == "__main__":
    with open(sys.argv[2], "rb") as file:
        for fields in globals()[sys.argv[1]](file.read()):
            print(*fields, sep="\t")
