#!/usr/bin/env python3
"""Reads a list of a call blocker without cdpipe: read_blocker_list.py FORMAT FILE.

Prints `number <TAB> label <TAB> score` per entry, as far as the format has them. FORMAT is asterisk, spamblocker,
saracroche, phoneblock, plist or yacb. Python's csv, json and plistlib read the texts; SpamBlocker's own grammar of CSV,
PHP's escapes and data slices are read as docs/commands/emit-formats.md describes them. Fails if a list has anything that
the application would not read.
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


if __name__ == "__main__":
    with open(sys.argv[2], "rb") as file:
        for fields in globals()[sys.argv[1]](file.read()):
            print(*fields, sep="\t")
