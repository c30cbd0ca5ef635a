#!/usr/bin/env python3
"""Makes lists in many encodings and layouts, and checks what `cdpipe preview` recognises and that the pipeline file of
`cdpipe init` runs as it is.

  preview_cases.py PROGRAM FOLDER          makes the lists in FOLDER, and prints a table of the results
  preview_cases.py PROGRAM FOLDER FILE...  prints what is recognised in other lists, without expectations

All numbers are random: digits in the form of the country's numbers. Exits 1 if a list is not recognised.
"""
import codecs
import gzip
import io
import json
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import zipfile

SAMPLES = pathlib.Path(__file__).resolve().parents[3] / "samples"
ROWS = 300

# Forms of numbers: # is any digit, N a digit from 2 to 9.
FORMS = {
    "CN": ["0755-NNNNNNNN", "010NNNNNNNN", "138########", "159########", "400-8##-####"],
    "US": ["(212) NNN-NNNN", "415-NNN-NNNN", "310NNNNNNN", "702.NNN.NNNN"],
    "DE": ["030 23######", "0171 #######", "0221-9######", "089/32######", "0800 1######"],
    "FR": ["01 4# ## ## ##", "06 1# ## ## ##", "09 7# ## ## ##", "04 7# ## ## ##"],
    "JP": ["03-NNNN-####", "090-NNNN-####", "0120-###-###", "06-6NNN-####"],
    "KR": ["010-NNNN-####", "070-7NNN-####", "02-3NN-####", "1588-####"],
    "GB": ["020 7946 ####", "0161 496 ####", "07911 12####", "0800 ### ####"],
    "UA": ["044 NNN ## ##", "067 NNN ## ##", "050NNNNNNN"],
    "RU": ["8 (495) NNN-##-##", "8916NNN####", "8 800 #######"],
    "TW": ["02-2NNN-####", "0912-###-###", "04-2NNN-####"],
    "IT": ["06 9480 ####", "347 #######", "02 4#######"],
    "PL": ["22 6## ## ##", "501 ### ###", "601######"],
    "INT": ["+49 30 23######", "+1 212 NNN NNNN", "+86 138########", "+33 6 12 ## ## ##"],
}
LABELS = {
    "CN": ["骚扰电话", "诈骗电话", "广告推销", "房产中介", "快递送餐", "贷款理财"],
    "JP": ["迷惑電話", "営業", "アンケート", "不動産の勧誘", "架空請求"],
    "KR": ["스팸", "대출 권유", "보험 광고", "설문 조사", "택배"],
    "TW": ["詐騙", "廣告推銷", "貸款", "騷擾電話"],
    "UA": ["Реклама", "Шахраї", "Банк", "Доставка їжі"],
    "RU": ["Реклама", "Мошенники", "Банк", "Опрос"],
    "DE": ["Werbung", "Gewinnspiel", "Umfrage für Kunden", "Inkassobüro"],
    "FR": ["Démarchage", "Énergie", "Sondage", "Livraison"],
    "PL": ["Reklama", "Oszuści", "Pożyczka na święta", "Ankieta łódzka"],
    "IT": ["Pubblicità", "Truffa", "Sondaggio"],
}
PLAIN = ["Survey", "Debt collector", "Robocall", "Delivery"]


def rows(region, seed, count=ROWS, forms=None, labels=None):
    """Random numbers of a region, with labels."""
    draw = random.Random(seed)
    digit = {"#": "0123456789", "N": "23456789"}
    labels = labels or LABELS.get(region, PLAIN)
    return [("".join(draw.choice(digit[c]) if c in digit else c for c in draw.choice(forms or FORMS[region])),
             draw.choice(labels)) for _ in range(count)]


def national():
    """Lists of numbers of one type without a country code: many fit other countries as well. Mobile numbers of China
    start with the calling code of the United States."""
    chinese = ["138########", "159########", "186########"]
    lists = [
        ("cn-138", "CN", ["13#########"], None, 2000),
        ("cn-mobile", "CN", ["13#########", "15#########", "18#########"], None, 2000),
        ("cn-199", "CN", ["199########", "198########"], None, 500),
        ("cn-mobile-en", "CN", chinese, PLAIN, 500),
        ("cn-5", "CN", chinese, None, 5),
        ("cn-3", "CN", chinese, None, 3),
        ("cn-5-en", "CN", chinese, PLAIN, 5),
        ("de-mobile", "DE", ["0151########", "0171#######", "0176########"], PLAIN, ROWS),
        ("jp-mobile", "JP", ["090NNNN####", "080NNNN####", "070NNNN####"], PLAIN, ROWS),
    ]
    for index, (name, region, forms, labels, count) in enumerate(lists):
        pairs = rows(region, 100 + index, count, forms, labels)
        yield case(f"{name}.csv", table(pairs, ["phone", "label"]).encode(), format="csv", number="phone",
                   label="label", region=region)


def table(pairs, header, separator=",", end="\n"):
    lines = [separator.join(header)] if header else []
    return end.join(lines + [separator.join(pair) for pair in pairs]) + end


def zipped(name, data):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return out.getvalue()


def database(path, pairs):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE numbers (id INTEGER PRIMARY KEY, phone TEXT, name TEXT, votes INTEGER)")
    connection.executemany("INSERT INTO numbers (phone, name, votes) VALUES (?, ?, 3)", pairs)
    connection.commit()
    connection.close()


def case(name, content, **expected):
    return name, content, expected


def sample(name, **expected):
    return case(name, (SAMPLES / name).read_bytes(), **expected)


def cases(folder):
    """All cases: the file's name, its bytes, and what must be recognised."""
    marked = (SAMPLES / "marked.json").read_text(encoding="utf-8")
    cn, us, de, fr = rows("CN", 1), rows("US", 2), rows("DE", 3), rows("FR", 4)
    jp, kr, gb, ua = rows("JP", 5), rows("KR", 6), rows("GB", 7), rows("UA", 8)
    yield sample("seed.json", format="json", pairs=True, region="CN")
    yield sample("marked.json", format="json", pairs=True, region="CN")
    yield sample("marked.zip", format="json", pairs=True, region="CN")
    yield sample("begone.plist", format="plist", number="number", label="title", region=None)
    yield sample("phonebook.xml", format="phonebook", number="number", label="realName", region="DE")
    yield sample("contacts.vcf", format="vcard", region="DE")
    yield sample("saracroche.json", format="saracroche", number="pattern", region=None)
    yield sample("phoneblock.json", format="phoneblock", number="phone", score="votes", region=None)
    yield sample("spam.sqlite", format="sqlite", number="number", region=None)
    yield sample("ranges.tsv", format="tsv", region=None)
    yield case("marked-utf16.json", codecs.BOM_UTF16_LE + marked.encode("utf-16-le"), format="json", pairs=True,
               encoding="UTF-16LE", region="CN")
    yield case("cn-utf16be.csv", table(cn, ["号码", "标签"]).encode("utf-16-be"), format="csv", number="号码",
               label="标签", encoding="UTF-16BE", region="CN")
    yield case("cn-gb18030.csv", table(cn, ["号码", "标签"]).encode("gb18030"), format="csv", number="号码",
               label="标签", encoding="GB18030", region="CN")
    yield case("cn-gbk.json", marked.encode("gb18030"), format="json", pairs=True, encoding="GB18030", region="CN")
    yield case("jp-sjis.csv", table(jp, ["電話番号", "名前"], end="\r\n").encode("cp932"), format="csv",
               number="電話番号", label="名前", encoding="CP932", region="JP")
    yield case("jp-euc.txt", table(jp, None, "\t").encode("euc-jp"), format="tsv|lines", encoding="EUC-JP", region="JP")
    yield case("kr-euc.tsv", table(kr, ["전화번호", "분류"], "\t").encode("euc-kr"), format="tsv", number="전화번호",
               label="분류", encoding="EUC-KR", region="KR")
    yield case("tw-big5.csv", table(rows("TW", 9), ["電話號碼", "備註"]).encode("big5"), format="csv",
               number="電話號碼", label="備註", encoding="BIG5", region="TW")
    yield case("ua-1251.csv", table(ua, ["Категория", "Номер"][::-1], ";").encode("cp1251"), format="csv",
               number="Номер", label="Категория", encoding="WINDOWS-1251", separator=";", region="UA")
    yield case("ru-koi8.txt", table(rows("RU", 10), None, "\t").encode("koi8-u"), format="tsv|lines",
               encoding="KOI8-U", region="RU")
    yield case("de-1252.csv", table([(f"Herr M{i}", *row) for i, row in enumerate(de)], ["Kunde", "Telefon", "Grund"],
                                    ";").encode("cp1252"),
               format="csv", number="Telefon", encoding="WINDOWS-1252", separator=";", region="DE")
    yield case("pl-1250.csv", table(rows("PL", 11), ["Telefon", "Opis"], ";").encode("cp1250"), format="csv",
               number="Telefon", label="Opis", encoding="WINDOWS-1250", region="PL")
    yield case("fr-bom.csv", codecs.BOM_UTF8 + table(fr, ["Numéro", "Libellé"], ";").encode(), format="csv",
               number="Numéro", label="Libellé", region="FR")
    yield case("us-wide.csv", table([(str(i), "2024-05-01", *row) for i, row in enumerate(us)],
                                    ["Id", "Date", "Company_Phone_Number", "Subject"], end="\r\n").encode(),
               format="csv", number="Company_Phone_Number", label="Subject", region="US")
    yield case("us-pipe.txt", table(us, None, "|").encode(), format="csv", number="1", label="2", separator="|",
               region="US")
    yield case("us-mac.csv", table(us, ["phone", "label"], end="\r").encode(), format="csv", number="phone",
               label="label", region="US")
    yield case("gb.txt", table(gb, None, "\t").encode(), format="tsv|lines", region="GB")
    yield case("it.csv", table(rows("IT", 12), ["telefono", "note"]).encode(), format="csv", number="telefono",
               label="note", region="IT")
    yield case("us.jsonl", "".join(json.dumps({"id": i, "caller_id": n, "category": t}) + "\n"
                                   for i, (n, t) in enumerate(us)).encode(),
               format="json", number="caller_id", label="category", region="US")
    yield case("kr-nested.json",
               json.dumps({"ok": True, "data": {"list": [{"tel": n, "tag": t, "votes": 3} for n, t in kr]}},
                          ensure_ascii=False).encode(),
               format="json", number="tel", label="tag", region="KR")
    yield case("jp-pairs.json", json.dumps(dict(jp), ensure_ascii=False, indent=1).encode(), format="json",
               pairs=True, region="JP")
    yield case("de-unknown.json", json.dumps([{"kennung": f"x{i}", "rufnr": n, "anlass": t}
                                              for i, (n, t) in enumerate(de)], ensure_ascii=False).encode(),
               format="json", number="rufnr", region="DE")
    yield case("fr.csv.gz", gzip.compress(table(fr, ["tel", "nom"]).encode(), mtime=0), format="csv", number="tel",
               label="nom", region="FR")
    yield case("ua.zip", zipped("lists/ua.csv", table(ua, ["phone", "name"]).encode()), format="csv", number="phone",
               label="name", region="UA")
    yield case("plus.csv", table(rows("INT", 13), ["number", "label"]).encode(), format="csv", number="number",
               label="label", region=None)
    yield from national()
    database(folder / "jp.sqlite", jp)
    yield case("jp.sqlite", (folder / "jp.sqlite").read_bytes(), format="sqlite", number="phone", label="name",
               score="votes", region="JP")


def recognised(program, path, folder):
    """The preview of a list as JSON; None if there is none."""
    done = subprocess.run([program, "preview", "--json", path], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr, end="")
        return None
    return json.loads(done.stdout)


def runs(program, path, folder):
    """Whether the pipeline file for a list conforms, and runs as it is; otherwise the messages."""
    shutil.rmtree(folder / "stores", ignore_errors=True)
    for arguments in (["init", "--force", path], ["run", "--check", "cdpipe.yaml"], ["run", "cdpipe.yaml"]):
        done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True)
        if done.returncode:
            return f"{arguments[0]}: {done.stderr}"
    return "" if (folder / "stores" / "manifest.json").exists() else "no stores"


def found(preview):
    """What is compared, from a preview."""
    fields = preview["fields"]
    return {
        "format": preview["format"], "encoding": preview["encoding"]["name"],
        "separator": preview.get("separator"), "pairs": preview["rowsArePairs"], "number": fields.get("number"),
        "label": fields.get("label"), "score": fields.get("score"), "region": preview["region"].get("code"),
    }


def line(name, preview, problem):
    got = found(preview)
    region = preview["region"]
    fits = ", ".join(f"{one['code']} {one['share']:.0%}" for one in region["candidates"])
    fields = "pairs" if got["pairs"] else f"{got['number']}, {got['label']}"
    counts = preview["counts"]
    print(f"{name:22} {got['format']:10} {got['encoding']:13} {fields:38} {got['region'] or '-':3}"
          f" {region['certainty']:14} {fits:25} {counts['valid']}/{counts['rows']} {problem or 'runs'}")


def main(program, folder, *files):
    folder = pathlib.Path(folder)
    program = os.path.abspath(program)
    failures = 0
    for name, content, expected in (cases(folder) if not files else ()):
        (folder / name).write_bytes(content)
        preview = recognised(program, name, folder)
        if preview is None:
            print(f"{name}: no preview")
            failures += 1
            continue
        problem = runs(program, name, folder)
        got = found(preview)
        wrong = {key: (got[key], value) for key, value in expected.items()
                 if got[key] not in (value.split("|") if isinstance(value, str) and key != "separator" else [value])}
        line(name, preview, problem)
        if wrong or problem:
            print(f"  FAILED {wrong}")
            failures += 1
    for path in files:
        preview = recognised(program, os.path.abspath(path), folder)
        if preview is not None:
            line(pathlib.Path(path).name, preview, runs(program, os.path.abspath(path), folder))
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
