#!/usr/bin/env python3
"""Makes random workbooks and checks what `annotate` makes of them, with Python's readers for zip archives and XML.

  annotate_workbooks.py PROGRAM SEED COUNT

Without the added cells, the sheet has the bytes that it had, but for the range of its cells; all other members are the
same. The added cells are those that `annotate` adds to the same table as CSV. Workbooks that can't be copied are refused,
and leave no output. Workbook I of a seed is always the same. Prints each difference, and exits 1 if there is any.
"""
import csv
import io
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
import zipfile

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
SHEET = "xl/worksheets/sheet1.xml"
NAMES = ["e164", "country", "type", "valid", "reason"]
NUMBERS = [
    "+49 30 23125001", "4915112345678", "030 23125001", "unknown", "+4930####", "12", "0171 1234567, 0172 7654321",
    "tel:+493023125001", "8613800138000", "+44 20 7946 0018", "0030", "493023125001", "", "",
]
WORDS = ["", "", "spam", "Müller & Söhne", "a <b>", 'say "hi"', "x, y", "two\nlines", "1", "诈骗"]
# What may be between rows. None of these is a row or the end of one.
BETWEEN = ["", "", "", "\n", "\r\n  ", "<!-- </row> <row><c r=\"A1\"/></row> -->", "<?x </row>?>", "\t"]


def letters(column):
    return (letters(column // 26 - 1) if column >= 26 else "") + chr(65 + column % 26)


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class Sheet:
    """A random table and its XML."""

    def __init__(self, lot):
        self.lot = lot
        self.prefix = lot.choice(["", "", "x:"])
        self.width = lot.choice([1, 2, 3, 5, 27])
        self.column = lot.randrange(min(self.width, 4))
        self.strings = []
        self.references = lot.choice(["all", "none", "some"])
        # The last column that has a cell, and the table: the number of each row with its texts.
        self.last = -1
        self.table = []
        header = [f"Field{index}" for index in range(self.width)]
        header[self.column] = "Phone"
        number = 0
        body = ""
        for index in range(lot.choice([1, 3, 30, 400])):
            number += 1 if lot.random() < 0.8 else lot.randint(1, 5)
            if index == 0:
                cells = header
            else:
                cells = [lot.choice(WORDS) for _ in range(lot.randint(0, self.width))]
                if lot.random() < 0.9:
                    cells += [""] * (self.column + 1 - len(cells))
                    cells[self.column] = lot.choice(NUMBERS)
            body += lot.choice(BETWEEN) + self.row(number, cells)
        tag = f"{self.prefix}sheetData"
        self.data = f"<{tag}>{body}{lot.choice(BETWEEN)}</{tag}>"
        self.has_strings = bool(self.strings)

    def element(self, name, attributes, content):
        name = self.prefix + name
        if content == "" and self.lot.random() < 0.5:
            return f"<{name}{attributes}/>"
        return f"<{name}{attributes}>{content}</{name}{self.lot.choice(['', '', ' '])}>"

    def row(self, number, cells):
        lot = self.lot
        previous = self.table[-1][0] if self.table else 0
        attributes = f' r="{number}"' if lot.random() < 0.7 or number != previous + 1 else ""
        if lot.random() < 0.3:
            attributes += f" spans='1:{self.width}' ht=\"15\""
        content = ""
        end = 0
        for column, text in enumerate(cells):
            if text == "" and lot.random() < 0.5 and self.references != "none":
                continue
            content += self.cell(number, column, text, isNext=column == end) + lot.choice(["", "", "<!-- /> -->", "\n"])
            end = column + 1
        # A cell that has a format only.
        if self.references != "none" and lot.random() < 0.05:
            content += self.cell(number, self.width + 2, "", isNext=False)
        if any(cells) or content or lot.random() < 0.7:
            self.table.append((number, cells))
            return self.element("row", attributes, content)
        self.table.append((number, []))
        return f"<{self.prefix}row{attributes}/>"

    def cell(self, row, column, text, isNext):
        lot = self.lot
        self.last = max(self.last, column)
        attributes = lot.choice(["", ' s="0"'])
        if self.references == "all" or not isNext or self.references == "some" and lot.random() < 0.5:
            attributes += f' r="{letters(column)}{row}"'
        if text == "":
            return self.element("c", attributes, "")
        value, string = self.prefix + "v", escaped(text)
        kind = lot.choice(["shared", "inline", "text", "number" if text.isdigit() and text[0] != "0" else "text"])
        if kind == "shared":
            self.strings.append(string)
            return self.element("c", attributes + ' t="s"', f"<{value}>{len(self.strings) - 1}</{value}>")
        if kind == "inline":
            content = f"<{self.prefix}is><{self.prefix}t>{string}</{self.prefix}t></{self.prefix}is>"
            return self.element("c", attributes + ' t="inlineStr"', content)
        if kind == "number":
            return self.element("c", attributes, f"<{value}>{text}</{value}>")
        formula = f"<{self.prefix}f>A1</{self.prefix}f>"
        return self.element("c", attributes + " t='str'", f"{formula}<{value}>{string}</{value}>")

    def document(self):
        """The XML, as it is without the range of the cells, with it, and with the added columns in it."""
        lot = self.lot
        name = self.prefix + "worksheet"
        space = f' xmlns{":x" if self.prefix else ""}="{MAIN}"'
        start = lot.choice(["", "\ufeff", '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n'])
        start += f"<{name}{space}>" + lot.choice(["", "\n", '<!-- <dimension ref="A1"/> -->'])
        end = f'<{self.prefix}pageMargins left="1"/></{name}>' + lot.choice(["", "\n"])
        # Documents of more than one piece, before the rows and after them.
        start += "<!--" + " " * lot.choice([0, 0, 65_500, 200_000]) + "-->"
        end = "<!--" + " " * lot.choice([0, 0, 200_000]) + "-->" + end
        last = self.table[-1][0]
        ranges = [
            ("", ""),
            (f"A1:{letters(max(self.last, 0))}{last}", f"A1:{letters(self.last + len(NAMES))}{last}"),
            ("A1", f"A1:{letters(self.last + len(NAMES))}1"),
            (f"B2:XFD{last}", f"B2:XFD{last}"),
        ]
        before, after = lot.choice(ranges)
        quote = lot.choice("\"'")

        def dimension(reference):
            return f"<{self.prefix}dimension ref={quote}{reference}{quote}/>" if before else ""

        return [start + dimension(reference) + self.data + end for reference in (before, after)]


def members(sheet, xml):
    """The members of a workbook: names and bytes."""
    links = f'<Relationship Id="r1" Type="{TYPES}/worksheet" Target="worksheets/sheet1.xml"/>'
    if sheet.has_strings:
        links += f'<Relationship Id="r2" Type="{TYPES}/sharedStrings" Target="sharedStrings.xml"/>'
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    parts = [
        ("xl/workbook.xml", f'<workbook xmlns="{MAIN}" xmlns:r="{TYPES}"><sheets>'
                            '<sheet name="List" sheetId="1" r:id="r1"/></sheets></workbook>'),
        ("xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{package}">{links}</Relationships>'),
        (SHEET, xml),
        ("xl/media/bild-ä.png", "PNG" * 1000),
    ]
    if sheet.has_strings:
        strings = "".join(f"<si><t xml:space=\"preserve\">{text}</t></si>" for text in sheet.strings)
        parts.append(("xl/sharedStrings.xml", f'<sst xmlns="{MAIN}">{strings}</sst>'))
    sheet.lot.shuffle(parts)
    parts.insert(0, ("[Content_Types].xml", "<Types/>"))
    return [(name, text.encode() if isinstance(text, str) else text) for name, text in parts]


class Pipe(io.RawIOBase):
    """A file that can't seek: the writer puts the sizes after the data."""

    def __init__(self, path):
        self.file = open(path, "wb")

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)

    def close(self):
        self.file.close()
        super().close()


def write(path, parts, lot):
    target = Pipe(path) if lot.random() < 0.3 else open(path, "wb")
    with target, zipfile.ZipFile(target, "w") as archive:
        archive.comment = lot.choice([b"", b"a comment"])
        for name, data in parts:
            archive.writestr(name, data, lot.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]))


def run(program, *words):
    return subprocess.run([program, *words], capture_output=True, text=True)


def added_as_csv(program, table, width, options):
    """What `annotate` adds to each row that has a text: its number, and the texts of the columns."""
    rows = [(number, cells + [""] * (width - len(cells))) for number, cells in table if any(cells)]
    with open("list.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(cells for _, cells in rows)
    outcome = run(program, "annotate", "--format", "csv", "--separator", "comma", *options, "list.csv")
    if outcome.returncode != 0:
        return outcome.stderr
    records = list(csv.reader(io.StringIO(outcome.stdout, newline="")))
    return {number: record[-len(NAMES):] for (number, _), record in zip(rows, records)}


def differences(program, sheet, options):
    """Annotates the workbook, and yields what is wrong."""
    before, wanted = sheet.document()
    parts = members(sheet, before)
    write("list.xlsx", parts, sheet.lot)
    outcome = run(program, "annotate", *options, "list.xlsx", "-o", "out.xlsx")
    if outcome.returncode != 0:
        yield f"status {outcome.returncode}: {outcome.stderr}"
        return
    with zipfile.ZipFile("out.xlsx") as archive, zipfile.ZipFile("list.xlsx") as source:
        if archive.testzip() is not None or archive.comment != source.comment:
            yield "the archive is damaged"
        if archive.namelist() != source.namelist():
            yield f"members {archive.namelist()}"
        for name, data in parts:
            if name != SHEET and archive.read(name) != data:
                yield f"{name} is not the same"
        xml = archive.read(SHEET).decode()
    columns = [letters(sheet.last + 1 + index) for index in range(len(NAMES))]
    p = sheet.prefix
    cell = f'<{p}c r="(?:{"|".join(columns)})[0-9]+" t="inlineStr"><{p}is><{p}t>[^<]*</{p}t></{p}is></{p}c>'
    if re.sub(cell, "", xml) != wanted:
        yield f"without the added cells, the sheet is not the same:\n{xml[:3000]}"
    added = {}
    number = 0
    for row in ElementTree.fromstring(xml.encode()).iter(f"{{{MAIN}}}row"):
        number = int(row.get("r", number + 1))
        texts = {element.get("r"): "".join(element.itertext()) for element in row}
        values = [texts.get(f"{name}{number}", "") for name in columns]
        if any(values):
            added[number] = values
    expected = added_as_csv(program, sheet.table, sheet.width, options)
    if added != expected:
        yield f"added {added}, expected {expected}"


def refused(program, lot):
    """Yields workbooks that can't be copied and are not refused."""
    row = '<row r="{0}"><c r="A{0}"><v>493023125001</v></c></row>'
    space = f'xmlns="{MAIN}"'

    def rows(text):
        return f"<worksheet {space}><sheetData>{text}</sheetData></worksheet>".encode()

    utf16 = ('<?xml version="1.0" encoding="UTF-16"?>' + rows(row.format(1)).decode()).encode("utf-16")
    entity = f"<!DOCTYPE worksheet [<!ENTITY e '{row.format(1)}'>]>".encode() + rows("&e;")

    sheet = Sheet(lot)
    sheet.has_strings = False
    for name, xml in [
        ("UTF-16", utf16), ("an entity", entity), ("descending", rows(row.format(2) + row.format(1))),
        ("full", rows('<row r="1"><c r="A1"><v>493023125001</v></c><c r="XFD1"/></row>')), ("not a sheet", b"<x/>"),
        ("truncated", rows(row.format(1))[:-20]),
    ]:
        write("list.xlsx", members(sheet, xml), lot)
        outcome = run(program, "annotate", "list.xlsx", "-o", "none.xlsx")
        if outcome.returncode != 65 or os.path.exists("none.xlsx"):
            yield f"{name}: status {outcome.returncode}, {outcome.stderr}"
    # A byte of a member.
    write("list.xlsx", members(sheet, rows(row.format(1))), random.Random(1))
    data = bytearray(pathlib.Path("list.xlsx").read_bytes())
    with zipfile.ZipFile("list.xlsx") as archive:
        entry = archive.getinfo(SHEET)
        data[entry.header_offset + 30 + len(SHEET) + entry.compress_size // 2] ^= 1
    pathlib.Path("list.xlsx").write_bytes(data)
    outcome = run(program, "annotate", "list.xlsx", "-o", "none.xlsx")
    if outcome.returncode != 65 or os.path.exists("none.xlsx"):
        yield f"a changed byte: status {outcome.returncode}, {outcome.stderr}"


def main():
    program, seed, count = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    print(f"annotate_workbooks.py: seed {seed}")
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for index in range(count):
            lot = random.Random(f"{seed} {index}")
            sheet = Sheet(lot)
            region = lot.choice([[], ["--region", "DE"], ["--region", "CN"]])
            options = ["--number", "Phone", "--header", "yes", *region]
            for difference in differences(program, sheet, options):
                print(f"workbook {index}: {difference}")
                failures += 1
        for difference in refused(program, random.Random(seed)):
            print(f"not refused: {difference}")
            failures += 1
        os.chdir("/")
    print(f"{count} workbooks, {failures} differences")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
