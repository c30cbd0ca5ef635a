#!/usr/bin/env python3
"""Makes marked.json and marked.zip: a made-up list of marked numbers in the shape of seed.json.

    samples/make_samples.py            writes both files beside this script
    samples/make_samples.py --check    says whether the files are what the script makes (exit 1 if not)

The numbers and their labels are drawn by lot. The same script makes the same files, byte for byte; only the
zip's compressed bytes may differ between versions of zlib, so --check compares what is in it.
"""

import argparse
import io
import json
import pathlib
import random
import sys
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
    """A mobile number in the forms that lists write it in, the usual ones more often."""
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
    """The list as the seed sample has it: a row a line, a comma behind the last one too."""
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
        return
    (folder / "marked.json").write_bytes(content)
    (folder / "marked.zip").write_bytes(zip_bytes(content))


if __name__ == "__main__":
    main()
