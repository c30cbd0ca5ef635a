#!/usr/bin/env python3
"""Makes marked.json and marked.zip, a made-up list of marked numbers in the shape of seed.json, and a small list in
each format of other applications.

    samples/make_samples.py            writes the files beside this script
    samples/make_samples.py --check    reports whether the files are what the script makes (exit 1 if not)

The numbers and their labels are drawn by lot. The same script makes the same files, byte for byte; only the
zip's compressed bytes may differ between versions of zlib, and the database's pages between versions of SQLite, so
--check compares what is in them.
"""

import argparse
import io
import json
import pathlib
import os
import plistlib
import random
import sqlite3
import sys
import tempfile
import zipfile

SEED = 20240601
NUMBERS = 4600
"""Different numbers. Some of them come again in another form, so the list has some 5,000 rows."""
REPEATED_PERCENT = 9
"""How many of the numbers come a second time."""
SAME_LABEL_PERCENT = 55
"""How many of the repeated ones have the same label both times."""

FIRST_ROW = ("0755-12345678", "房产中介")
"""The row that the demo looks up as 8675512345678. It comes first, so that `--keep first` keeps it."""

LABELS = {
    "骚扰电话": 52,
    "诈骗电话": 20,
    "广告推销": 12,
    "房产中介": 7,
    "快递送餐": 5,
    "贷款理财": 1.5,
    "教育培训": 1,
    "保险推销": 0.8,
    "疑似欺诈": 0.5,
    "响一声": 0.2,
}
"""The labels and how often each comes, in parts of a hundred."""

MOBILE_PREFIXES = (
    "130 131 132 133 135 136 137 138 139 150 151 152 153 155 156 157 158 159 "
    "166 176 177 180 181 182 183 185 186 187 188 189 198 199"
).split()
AREA_CODES_8 = "10 20 21 22 23 24 25 27 28 29 755 571 512 574 411 531 532 371 731 591".split()
"""Area codes without their trunk zero, of places whose numbers have 8 digits."""
AREA_CODES_7 = "796 817 879 893 943 977".split()
"""The same, of places whose numbers have 7 digits."""

ZIP_TIMESTAMP = (2024, 6, 1, 0, 0, 0)


def digits(lot, count):
    return "".join(lot.choice("0123456789") for _ in range(count))


def local_number(lot, count):
    return lot.choice("2345678") + digits(lot, count - 1)


def mobile_forms(lot):
    """A mobile number in the forms that lists write it in, common ones more often."""
    prefix, middle, end = lot.choice(MOBILE_PREFIXES), digits(lot, 4), digits(lot, 4)
    plain = prefix + middle + end
    return (
        [plain] * 6
        + ["86" + plain] * 5
        + [f"+86 {prefix} {middle} {end}", f"+86-{prefix}-{middle}-{end}", f"+86 {plain}", f"{prefix}-{middle}-{end}"]
    )


def landline_forms(lot):
    """A landline number with its area code, in the forms that lists write it in."""
    if lot.random() < 0.9:
        area, local = lot.choice(AREA_CODES_8), local_number(lot, 8)
    else:
        area, local = lot.choice(AREA_CODES_7), local_number(lot, 7)
    return (
        ["0" + area + local] * 8
        + [f"86{area}{local}"] * 3
        + [f"0{area}-{local}", f"+86 {area} {local[:4]} {local[4:]}", f"+86-{area}-{local}"]
    )


def service_forms(lot):
    """A 400 or 800 number."""
    start, rest = lot.choice(["400", "400", "400", "800"]), digits(lot, 7)
    return [start + rest] * 5 + [f"{start}-{rest[:3]}-{rest[3:]}"]


def rows():
    """The rows in their order, each a number's text and a label."""
    lot = random.Random(SEED)
    names, weights = list(LABELS), list(LABELS.values())
    body = []
    for _ in range(NUMBERS):
        forms = lot.choices([mobile_forms, landline_forms, service_forms], [50, 42, 8])[0](lot)
        label = lot.choices(names, weights)[0]
        body.append((lot.choice(forms), label))
        if lot.random() * 100 < REPEATED_PERCENT:
            same = lot.random() * 100 < SAME_LABEL_PERCENT
            other = label if same else lot.choice([name for name in names if name != label])
            body.append((lot.choice(forms), other))
    lot.shuffle(body)
    return [FIRST_ROW] + body


def json_bytes():
    """The list as the seed sample has it: one row per line, with a comma after the last one, too."""
    lines = ["["]
    for number, label in rows():
        lines.append("{%s: %s}," % (json.dumps(number), json.dumps(label, ensure_ascii=False)))
    lines.append("]\n")
    return "\n".join(lines).encode("utf-8")


def zip_bytes(content):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        member = zipfile.ZipInfo("marked.json", ZIP_TIMESTAMP)
        member.compress_type = zipfile.ZIP_DEFLATED
        member.create_system = 3  # Unix, wherever the script runs
        member.external_attr = 0o644 << 16
        archive.writestr(member, content, compresslevel=9)
    return file.getvalue()


# The lists of other applications. Their numbers are from ranges that are kept free for films and books: +33 1 99 00
# (Arcep), +49 30 23125 (Bundesnetzagentur), +1 ... 555 01xx.


def plist_bytes():
    """A property list as the call blocker Begone has them."""
    entries = [("33199000001", "Démarchage"), ("33199000002", "Énergie & isolation"), ("33199000003", "Faux support")]
    rows = [
        "\t<dict>\n\t\t<key>addNational</key>\n\t\t<string>true</string>\n\t\t<key>category</key>\n"
        "\t\t<string>0</string>\n\t\t<key>number</key>\n\t\t<string>%s</string>\n\t\t<key>title</key>\n"
        "\t\t<string>%s</string>\n\t</dict>\n" % (number, title.replace("&", "&amp;"))
        for number, title in entries
    ]
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n'
        '<plist version="1.0">\n<array>\n' + "".join(rows) + "</array>\n</plist>\n"
    ).encode("utf-8")


def phonebook_bytes():
    """A phone book as FRITZ!Box routers export them; the last contact has no number."""
    contacts = [
        ("Gewinnspiel", [("home", "030 23125001"), ("work", "+49 30 23125002")]),
        ("Umfrage & Co", [("mobile", "03023125003")]),
        ("Ohne Nummer", [("home", "")]),
    ]
    text = '<?xml version="1.0" encoding="utf-8"?>\n<phonebooks>\n<phonebook name="Sperrliste">\n'
    for identifier, (name, numbers) in enumerate(contacts):
        text += "<contact><category>0</category><person><realName>%s</realName></person>" % name.replace("&", "&amp;")
        text += '<telephony nid="%d">' % len(numbers)
        for index, (kind, number) in enumerate(numbers):
            text += '<number type="%s" prio="%d" id="%d">%s</number>' % (kind, index == 0, index, number)
        text += "</telephony><services /><setup /><uniqueid>%d</uniqueid></contact>\n" % (identifier + 1)
    return (text + "</phonebook>\n</phonebooks>\n").encode("utf-8")


def vcard_bytes():
    """Three cards, one of each version."""
    return (
        "BEGIN:VCARD\r\nVERSION:3.0\r\nN:Beispiel;Erika;;;\r\nFN:Erika Beispiel\r\n"
        "TEL;TYPE=CELL:+49 30 23125004\r\nitem1.TEL;TYPE=\"work,voice\":030 23125005\r\nitem1.X-ABLabel:Büro\r\n"
        "END:VCARD\r\n"
        "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:A Firm\\, which has a name that is folded o\r\n ver two lines\r\n"
        "TEL;VALUE=uri;PREF=1:tel:+1-202-555-0101;ext=12\r\nEND:VCARD\r\n"
        "BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=B6=\r\nrg\r\n"
        "TEL;CELL:030 23125006\r\nEND:VCARD\r\n"
    ).encode("utf-8")


def saracroche_bytes():
    """A list of patterns as the call blocker Saracroche has them."""
    patterns = [("Démarchage", "331990001##"), ("Exemple", "3319900020#"), ("Exemple", "33199000300")]
    rows = [{"name": name, "action": "block", "pattern": pattern} for name, pattern in patterns]
    document = {"version": "2024.06.01", "name": "Exemple", "description": "Numéros inventés",
                "blocked_numbers_count": 111, "patterns": rows}
    return (json.dumps(document, ensure_ascii=False, indent=4) + "\n").encode("utf-8")


def phoneblock_bytes():
    """A list of numbers as PhoneBlock's API returns them."""
    rows = [("+493023125007", 12, "C_PING"), ("+493023125008", 41, "E_ADVERTISING"), ("+493023125009", 7, "G_FRAUD")]
    numbers = [{"phone": phone, "votes": votes, "rating": rating} for phone, votes, rating in rows]
    return (json.dumps({"numbers": numbers}, separators=(",", ":")) + "\n").encode("utf-8")


DATABASE = """
CREATE TABLE spam(id INTEGER PRIMARY KEY, number TEXT NOT NULL, label TEXT, source TEXT, score INTEGER);
INSERT INTO spam(number, label, source, score) VALUES
  ('+33 1 99 00 04 01', 'Démarchage', 'arcep', 12), ('33199000402', 'Arnaque', NULL, 40), ('33199000403', NULL, NULL, 1);
CREATE TABLE meta(key TEXT, value TEXT);
INSERT INTO meta VALUES ('version', '1');
"""


def sqlite_bytes():
    """A database with a table of numbers and one that has none."""
    handle, path = tempfile.mkstemp(suffix=".sqlite")
    os.close(handle)
    try:
        with sqlite3.connect(path) as database:
            database.executescript(DATABASE)
        database.close()
        return pathlib.Path(path).read_bytes()
    finally:
        os.unlink(path)


def database_text(path):
    """What is in a database, as statements."""
    database = sqlite3.connect(path.absolute().as_uri() + "?mode=ro", uri=True)
    try:
        return list(database.iterdump())
    finally:
        database.close()


def binary_plist_bytes():
    """A property list in Apple's binary form."""
    entries = [
        {"addNational": "true", "category": "0", "number": "33199000601", "title": "Démarchage"},
        {"addNational": "true", "category": "1", "number": 33199000602, "title": "Livraison"},
    ]
    return plistlib.dumps(entries, fmt=plistlib.FMT_BINARY)


SHEETS = {
    "Blocked": """
<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c></row>
<row r="2"><c r="A2"><v>33199000501</v></c><c r="B2" t="s"><v>3</v></c><c r="C2"><v>12</v></c></row>
<row r="3"><c r="A3"><v>3.3199000502E+10</v></c><c r="B3" t="s"><v>4</v></c></row>
<row r="5"><c r="A5" t="inlineStr"><is><t>+33 1 99 00 05 03</t></is></c><c r="C5"><v>3</v></c></row>
<row r="6"><c r="B6" t="s"><v>3</v></c></row>
""",
    "More": '<row r="1"><c r="A1"><v>33199000504</v></c></row>',
}
"""The rows of a workbook's sheets."""

SHARED_STRINGS = ["Number", "Label", "Score", "Démarchage", "Livraison"]


def workbook_bytes():
    """An Excel workbook with two sheets."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    package = "http://schemas.openxmlformats.org/package/2006"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    paths = [f"xl/worksheets/sheet{index + 1}.xml" for index in range(len(SHEETS))]

    def relations(targets):
        return f'<Relationships xmlns="{package}/relationships">' + "".join(
            f'<Relationship Id="rId{index + 1}" Type="{office}/{kind}" Target="{target}"/>'
            for index, (kind, target) in enumerate(targets)
        ) + "</Relationships>"

    types = [("xl/workbook.xml", "sheet.main"), ("xl/sharedStrings.xml", "sharedStrings")]
    types += [(path, "worksheet") for path in paths]
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        + "".join(f'<Override PartName="/{path}" ContentType="{kind}.{name}+xml"/>' for path, name in types)
        + "</Types>",
        "_rels/.rels": relations([("officeDocument", "xl/workbook.xml")]),
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
        + "".join(
            f'<sheet name="{name}" sheetId="{index + 1}" r:id="rId{index + 1}"/>'
            for index, name in enumerate(SHEETS)
        )
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": relations(
            [("worksheet", path.removeprefix("xl/")) for path in paths]
            + [("sharedStrings", "sharedStrings.xml")]
        ),
        "xl/sharedStrings.xml": f'<sst xmlns="{main}">'
        + "".join(f"<si><t>{text}</t></si>" for text in SHARED_STRINGS)
        + "</sst>",
    }
    for path, rows in zip(paths, SHEETS.values()):
        parts[path] = f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>'
    file = io.BytesIO()
    # Not compressed, so that the bytes do not depend on the version of zlib.
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, text in parts.items():
            declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
            archive.writestr(zipfile.ZipInfo(name, ZIP_TIMESTAMP), declaration + text)
    return file.getvalue()


LIST_LABELS = ["Debt collection", "Fraud", "Survey", "Telemarketing"]


def list_repository_bytes():
    """The list of the example repository: American numbers that are kept free for films, 555-0100 to 555-0199."""
    lot = random.Random(SEED)
    areas = "202 206 212 303 312 404 415 503 512 617 702 713".split()
    numbers = sorted({f"+1{lot.choice(areas)}55501{digits(lot, 2)}" for _ in range(64)})
    lines = ["number,label"] + [f"{number},{lot.choice(LIST_LABELS)}" for number in numbers]
    return ("\n".join(lines) + "\n").encode("utf-8")


OTHERS = {
    "begone.plist": plist_bytes,
    "begone-binary.plist": binary_plist_bytes,
    "spam.xlsx": workbook_bytes,
    "phonebook.xml": phonebook_bytes,
    "contacts.vcf": vcard_bytes,
    "saracroche.json": saracroche_bytes,
    "phoneblock.json": phoneblock_bytes,
    "list-repository/numbers.csv": list_repository_bytes,
}
"""The lists whose bytes are always the same: those of other applications, and that of the example repository."""


def others_are_fresh(folder):
    try:
        with tempfile.TemporaryDirectory() as fresh:
            made = pathlib.Path(fresh) / "spam.sqlite"
            made.write_bytes(sqlite_bytes())
            if database_text(folder / "spam.sqlite") != database_text(made):
                return False
        return all((folder / name).read_bytes() == make() for name, make in OTHERS.items())
    except (OSError, sqlite3.Error):
        return False


def is_fresh(folder, content):
    """Whether the files in the folder are what this script makes."""
    try:
        with zipfile.ZipFile(folder / "marked.zip") as archive:
            packed = archive.read("marked.json")
            names = archive.namelist()
        return (folder / "marked.json").read_bytes() == content == packed and names == ["marked.json"]
    except (OSError, KeyError, zipfile.BadZipFile):
        return False


def main():
    parser = argparse.ArgumentParser(description="Makes the made-up samples.")
    parser.add_argument("--check", action="store_true", help="write nothing, say whether the files are fresh")
    arguments = parser.parse_args()
    folder = pathlib.Path(__file__).resolve().parent
    content = json_bytes()
    if arguments.check:
        if not is_fresh(folder, content):
            sys.exit("samples/marked.json or marked.zip is out of date, run `make samples`")
        if not others_are_fresh(folder):
            sys.exit("samples/ has lists that are out of date, run `make samples`")
        return
    for name, make in OTHERS.items():
        (folder / name).write_bytes(make())
    if not others_are_fresh(folder):
        (folder / "spam.sqlite").write_bytes(sqlite_bytes())
    (folder / "marked.json").write_bytes(content)
    (folder / "marked.zip").write_bytes(zip_bytes(content))


if __name__ == "__main__":
    main()
