#!/usr/bin/env python3
"""Makes lists in many encodings, and checks that `cdpipe parse --encoding auto` reads them like their UTF-8 form, and
that without it the encoding is named, or none.

  encoding_cases.py PROGRAM FOLDER [ROWS]      makes the lists in FOLDER, and prints a table of the results

Each case is read with libuchardet, and without it: then it may not be recognised, but may not be misread without a
word. The numbers are random, and the labels are made up. Exits 1 if an expectation is not met.
"""
import concurrent.futures
import json
import os
import pathlib
import random
import re
import subprocess
import sys

LABELS = {
    "zh": ["骚扰电话", "诈骗电话", "广告推销", "房产中介", "快递送餐", "贷款理财"],
    "tw": ["詐騙", "廣告推銷", "貸款", "騷擾電話", "銀行客服", "問卷調查"],
    "ko": ["스팸", "대출 권유", "보험 광고", "설문 조사", "택배", "부동산"],
    "ja": ["迷惑電話", "営業", "アンケート", "不動産の勧誘", "架空請求", "いたずら"],
    "de": ["Werbung", "Gewinnspiel für Kunden", "Umfrage", "Inkassobüro", "Müller & Söhne", "Straßenumfrage"],
    "fr": ["Démarchage", "Énergie", "Sondage", "Livraison", "Société d'assurance"],
    "es": ["Publicidad engañosa", "Encuesta telefónica", "Teléfono de España", "Compañía"],
    "ru": ["Реклама", "Мошенники", "Банк", "Опрос", "Доставка еды"],
    "uk": ["Реклама", "Шахраї", "Банк", "Доставка їжі"],
    "pl": ["Reklama", "Oszuści", "Pożyczka na święta", "Ankieta łódzka"],
    "cs": ["Průzkum trhu", "Podvodník", "Nabídka půjčky", "Pojišťovna"],
    "el": ["Διαφήμιση", "Απάτη", "Έρευνα", "Τράπεζα"],
    "tr": ["Dolandırıcı", "Reklam araması", "Bankacılık", "Müşteri şikâyeti"],
    "he": ["פרסומת", "הונאה", "סקר", "בנק"],
    "ar": ["إعلان", "احتيال", "استطلاع", "بنك"],
    "th": ["โฆษณา", "หลอกลวง", "ธนาคาร", "สำรวจ"],
}

# The language, Python's name of the encoding, and whether it is recognised without libuchardet.
CASES = [
    ("zh", "gb18030", True), ("zh", "gbk", True), ("zh", "gb2312", True), ("tw", "big5", True),
    ("tw", "big5hkscs", True), ("ko", "euc-kr", True), ("ko", "cp949", True), ("ja", "shift_jis", True),
    ("ja", "cp932", True), ("ja", "euc-jp", True), ("de", "iso-8859-1", True), ("fr", "iso-8859-1", True),
    ("es", "iso-8859-1", True), ("de", "cp1252", True), ("de", "cp850", True), ("de", "mac-roman", True),
    ("ru", "cp1251", True), ("uk", "cp1251", True), ("ru", "koi8-r", True), ("ru", "iso-8859-5", True),
    ("ru", "cp866", True), ("ru", "mac-cyrillic", False), ("pl", "cp1250", True), ("pl", "iso-8859-2", True),
    ("cs", "cp1250", True), ("el", "cp1253", True), ("el", "iso-8859-7", True), ("tr", "cp1254", False),
    ("he", "cp1255", False), ("ar", "cp1256", False), ("th", "tis-620", False), ("zh", "utf-16-le", True),
    ("zh", "utf-16-be", True), ("de", "utf-16-le", True), ("ko", "utf-8", True),
]


def rows(language, count):
    draw = random.Random(language)
    return [("".join(draw.choice("0123456789") for _ in range(10)), draw.choice(LABELS[language]))
            for _ in range(count)]


def text(layout, pairs):
    if layout == "csv":
        return "number,label\n" + "".join(f"{number},{label}\n" for number, label in pairs)
    if layout == "jsonl":
        return "".join(json.dumps({"number": number, "label": label}, ensure_ascii=False) + "\n"
                       for number, label in pairs)
    return "".join(f"{number} {label}\n" for number, label in pairs)


def read(program, path, environment, *options):
    return subprocess.run([program, "parse", *options, path], capture_output=True, env=environment)


def place(folder, case, layout, count):
    """The path of a list."""
    return folder / f"{case[0]}-{case[1]}-{count}.{layout}"


def check(program, folder, environment, case, layout, count, isRequired):
    """Reads a list; returns the encoding that was named, and what is wrong."""
    language, encoding, _ = case
    pairs = rows(language, count)
    path = place(folder, case, layout, count)
    expected = "".join(f"{number}\t{label}\n" for number, label in pairs).encode()
    found = read(program, path, environment, "--encoding", "auto")
    notice = found.stderr.decode()
    named = re.search(r"': (probably )?([A-Z0-9-]+)$", notice, re.M)
    name = named[2] if named else ""
    if found.stdout != expected:
        if isRequired or not (named and named[1]) and "not recognised" not in notice:
            return name, f"misread: {notice}"
        return name, ""
    # Without the option, the encoding is suggested.
    plain = read(program, path, environment)
    hint = re.search(r"looks like ([A-Z0-9-]+)", plain.stderr.decode())
    if encoding == "utf-8":
        return name, "" if plain.stdout == expected and not hint else f"hint: {plain.stderr.decode()}"
    if not hint or read(program, path, environment, "--encoding", hint[1]).stdout != expected:
        return name, f"no suggestion: {plain.stderr.decode()}"
    return name, ""


def main(program, folder, count="20"):
    program = os.path.abspath(program)
    folder = pathlib.Path(folder)
    # A file that is not a library, found before the real one.
    (folder / "absent").mkdir(exist_ok=True)
    (folder / "absent" / "libuchardet.so.0").write_bytes(b"")
    without = {**os.environ, "LD_LIBRARY_PATH": str(folder / "absent")}
    version = subprocess.run([program, "version", "--json"], capture_output=True, text=True, env=os.environ).stdout
    hasLibrary = any("uchardet" in one["name"] and one["isUsable"] for one in json.loads(version)["libraries"])
    layouts = ["csv", "jsonl", "lines"]
    jobs = []
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for index, case in enumerate(CASES):
            layout = layouts[index % len(layouts)]
            # Written before both checks of it begin.
            content = text(layout, rows(case[0], int(count)))
            place(folder, case, layout, int(count)).write_bytes(content.encode(case[1]))
            both = [pool.submit(check, program, folder, environment, case, layout, int(count), isRequired)
                    for environment, isRequired in ((os.environ, hasLibrary or case[2]), (without, case[2]))]
            jobs.append((case, layout, both))
    failures = 0
    for (language, encoding, _), layout, both in jobs:
        (name, problem), (nameWithout, problemWithout) = (job.result() for job in both)
        print(f"{language} {encoding:14} {layout:6} with: {name:14} without: {nameWithout:14}")
        for one in (problem, problemWithout):
            if one:
                print(f"  FAILED {one}")
                failures += 1
    print(f"{len(jobs)} encodings, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
