"""Inputs of single stages, written row by row: formats other than JSON, endless rows, many members, many labels.

usage: input_shapes.py NAME FILE
"""

import random
import sqlite3
import sys
import zipfile

SEED = 20261121
BIG_BYTES = 64 << 20
"""The length of an endless row: many times the memory of a stage."""

MEMBERS = 50_000


def numbers(count):
    chance = random.Random(SEED)
    for _ in range(count):
        yield f"861{chance.randrange(10**10):010d}"


def csv(path):
    with open(path, "w", encoding="utf-8") as file:
        file.write("Tel;Name;Note\n")
        for i, number in enumerate(numbers(1_000_000)):
            file.write(f'{number};"label ""{i}""";x\n')


def csv_unended(path):
    """A quote that is never closed, before enough rows to fill the memory."""
    with open(path, "w", encoding="utf-8") as file:
        file.write('Tel,Name\n8613800138000,"open\n')
        for number in numbers(BIG_BYTES // 16):
            file.write(f"{number},a\n")


def lines(path):
    with open(path, "w", encoding="utf-8") as file:
        for i, number in enumerate(numbers(1_500_000)):
            file.write(f"+{number} label {i}\n")


def gb18030(path):
    with open(path, "w", encoding="gb18030") as file:
        for i, number in enumerate(numbers(600_000)):
            file.write(f"{number},骚扰电话{i}\n")


def json_unended(path):
    """A string that is never closed, without a line end."""
    with open(path, "w", encoding="utf-8") as file:
        file.write('[{"8613800138000": "a"},{"8613800138001": "')
        for _ in range(BIG_BYTES >> 10):
            file.write("x" * 1024)


def plist(path):
    with open(path, "w", encoding="utf-8") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0"><array>\n')
        for i, number in enumerate(numbers(300_000)):
            file.write(f"<dict><key>number</key><string>+{number}</string>"
                       f"<key>title</key><string>t{i}</string></dict>\n")
        file.write("</array></plist>\n")


def vcard(path):
    with open(path, "w", encoding="utf-8") as file:
        for i, number in enumerate(numbers(300_000)):
            file.write(f"BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Person {i}\r\nTEL;TYPE=CELL:+{number}\r\nEND:VCARD\r\n")


def contacts(path):
    """A contact with three numbers in the columns of Google Contacts."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("First Name,Last Name,Organization Name,Phone 1 - Label,Phone 1 - Value,Phone 2 - Value\n")
        for i, number in enumerate(numbers(300_000)):
            file.write(f"Person,{i},,Mobile,+{number} ::: +{number}1,+{number}2\n")


def records(path):
    """Sorted records of many labels, each of which has many contacts."""
    with open(path, "w", encoding="utf-8") as file:
        for i in range(2_000_000):
            file.write(f"{8613000000000 + i}\tlabel {i * 7919 % 20_000}\n")


def sqlite(path):
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE calls (number TEXT, label TEXT)")
    database.executemany("INSERT INTO calls VALUES (?, ?)", ((n, f"t{i}") for i, n in enumerate(numbers(500_000))))
    database.commit()
    database.close()


def workbook(path):
    """A sheet of 100,000 rows, each with a shared string of its own."""
    parts = [
        ("[Content_Types].xml", "<Types/>"),
        ("xl/workbook.xml", '<workbook xmlns:r="r"><sheets><sheet name="List" r:id="r1"/></sheets></workbook>'),
        ("xl/_rels/workbook.xml.rels",
         '<Relationships><Relationship Id="r1" Type="worksheet" Target="sheet.xml"/>'
         '<Relationship Id="r2" Type="sharedStrings" Target="strings.xml"/></Relationships>'),
    ]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts:
            archive.writestr(name, text)
        with archive.open("xl/strings.xml", "w") as file:
            file.write(b"<sst><si><t>Tel</t></si><si><t>Name</t></si>")
            for i in range(100_000):
                file.write(f"<si><t>label {i} of a shared string</t></si>".encode())
            file.write(b"</sst>")
        with archive.open("xl/sheet.xml", "w") as file:
            file.write(b'<worksheet><dimension ref="A1:B100001"/><sheetData>'
                       b'<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>')
            for i, number in enumerate(numbers(100_000)):
                file.write(f'<row r="{i + 2}"><c r="A{i + 2}"><v>{number}</v></c>'
                           f'<c r="B{i + 2}" t="s"><v>{i + 2}</v></c></row>'.encode())
            file.write(b"</sheetData></worksheet>")


def members(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for i, number in enumerate(numbers(MEMBERS)):
            archive.writestr(f"list-{i:06d}.json", f'{{"{number}": "a"}}\n')


def zeros(path):
    """Deflate's maximum ratio: a gigabyte in a megabyte, which the option of unzip allows."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("zeros", "w", force_zip64=True) as file:
            for _ in range(1024):
                file.write(bytes(1 << 20))


INPUTS = [
    ("parse, csv", csv, "parse --number Tel --label Name FILE -o out"),
    ("parse, csv with an open quote", csv_unended, "parse --format csv --number Tel --label Name FILE -o out"),
    ("parse, lines", lines, "parse --format lines FILE -o out"),
    ("parse, GB18030", gb18030, "parse --format csv --encoding GB18030 FILE -o out"),
    ("parse, JSON with an open string", json_unended, "parse --format json FILE -o out"),
    ("parse, property list", plist, "parse FILE -o out"),
    ("parse, vCards", vcard, "parse FILE -o out"),
    ("parse, contacts", contacts, "parse FILE -o out"),
    ("emit, vCards", records, "emit --format vcard --contact-numbers 1000 FILE -o out"),
    ("emit, phone book", records, "emit --format phonebook FILE -o out"),
    ("parse, SQLite", sqlite, "parse FILE -o out"),
    ("annotate, workbook", workbook, "annotate --number Tel FILE -o out"),
    ("unzip, many members", members, "unzip FILE -o out"),
    ("unzip, zeros", zeros, "unzip --max-ratio 2000 FILE -o /dev/null"),
]
"""The name, the function that writes the input, and the command."""

if __name__ == "__main__":
    {name: write for name, write, _ in INPUTS}[sys.argv[1]](sys.argv[2])
