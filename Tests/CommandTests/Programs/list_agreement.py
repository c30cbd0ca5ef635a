#!/usr/bin/env python3
"""Makes random lists in many shapes, and checks that `parse`, `preview`, `init` and `run` read each of them alike: the
same format, fields, rows, warnings and records, and all succeed or all fail. `convert` writes the bytes of the filters.

  list_agreement.py PROGRAM FOLDER SEED COUNT [FIRST]

Lists are numbered from FIRST (default: 0); list I of a seed is always the same. Prints each disagreement, and the list
in which it was found. Exits 1 if there is any.
"""
import collections
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

# Regions: the calling code, the trunk prefix, and forms of national numbers; N is a digit from 2 to 9, # any digit.
REGIONS = {
    "US": ("1", "", ["212 NNN ####", "415 NNN ####", "702 NNN ####"]),
    "DE": ("49", "0", ["30 23######", "171 #######", "89 32#####"]),
    "FR": ("33", "0", ["1 4# ## ## ##", "6 1# ## ## ##"]),
    "ES": ("34", "", ["91N ### ###", "6## ### ###"]),
    "BR": ("55", "0", ["11 96### ####", "21 3### ####"]),
    "CN": ("86", "", ["138 #### ####", "159 #### ####"]),
    "JP": ("81", "0", ["90 NNNN ####", "3 5NNN ####"]),
    "RU": ("7", "8", ["495 NNN ## ##", "916 NNN ## ##"]),
}
STYLES = {
    "international": lambda code, trunk, n: f"+{code} {n}",
    "E.164": lambda code, trunk, n: f"+{code}{n.replace(' ', '')}",
    "dialled": lambda code, trunk, n: f"00{code}{n.replace(' ', '')}",
    "without a sign": lambda code, trunk, n: code + n.replace(" ", ""),
    "national": lambda code, trunk, n: trunk + n.replace(" ", "-"),
    "digits": lambda code, trunk, n: trunk + n.replace(" ", ""),
    "brackets": lambda code, trunk, n: f"({trunk}{n.split()[0]}) " + "-".join(n.split()[1:]),
    "bare": lambda code, trunk, n: n.replace(" ", ""),
    "URI": lambda code, trunk, n: f"tel:+{code}{n.replace(' ', '')}",
}
# What convert writes.
FORMATS = ["tsv", "csv", "jsonl", "vcard", "plist", "phoneblock"]
# Names of columns, by what is in them.
NAMES = {
    "number": "phone|Phone Number|number|tel|msisdn|Telefonnummer|Rufnummer|Numéro|Teléfono|celular|телефон|電話番号"
    "|手机号|전화번호|Caller ID|from|who|Spalte 3|列|n",
    "label": "label|name|Full Name|Bezeichnung|Motivo|имя|名前|备注|type|company|comment|who else|xyz",
    "id": "id|user_id|№|lfd. Nr|index|account number",
    "date": "date|Datum|created_at|日付|дата|when",
    "duration": "duration|Dauer|时长|billsec",
    "count": "count|votes|Anzahl|score|количество",
    "country": "country|Land|país|国家|iso",
    "code": "country_code|calling code|Ländervorwahl|cc",
    "area": "area code|Vorwahl|DDD|区号",
    "own": "own number|To|本机号码",
    "second": "phone2|fax|Mobile|Telefon 2|callback",
    "unknown": "data|wert|Q1|項目|misc||Unnamed: 0|a,b|say \"hi\"",
    "last": "last|bis|Range End",
}
WORDS = (
    "Spam|Survey|Müller & Co|Anna Schmidt|Иван Петров|王伟|Lotto 24|50% off|Foo, Bar|the \"Firm\"|support (fake)|-|N/A"
    "|+1 caller|5 Minuten|诈骗|Energie; Gas|7 Eleven"
).split("|")
ODD = "private|unknown|Anonym|n/a||-|NULL|未知|+|0|123|*31#".split("|")
AFTER = [" (3 calls)", " ext. 12", " Fax", " 3x", ",,12#", "p12", " / 62"]


def digits(draw, form):
    return "".join(draw.choice("23456789" if c == "N" else "0123456789") if c in "N#" else c for c in form)


def number(draw, region, style):
    code, trunk, forms = REGIONS[region]
    return STYLES[style](code, trunk, digits(draw, draw.choice(forms)))


def value(draw, kind, region, style, row):
    if kind in ("number", "second"):
        return number(draw, region, style)
    if kind == "last":
        return number(draw, region, "E.164")
    fixed = {"own": "+4930111111", "country": region, "code": REGIONS[region][0], "area": "30", "id": str(row + 1)}
    if kind in fixed:
        return fixed[kind]
    if kind == "date":
        return f"2024-0{draw.randint(1, 9)}-1{draw.randint(0, 9)} 10:33"
    if kind in ("duration", "count"):
        return str(draw.randint(0, 400))
    return draw.choice(WORDS)


def table(draw):
    """The kinds of columns, their names and the rows of a random table."""
    region, style = draw.choice(list(REGIONS)), draw.choice(list(STYLES))
    kinds = ["number"] + (["label"] if draw.random() < 0.75 else [])
    others = [k for k in NAMES if k not in ("number", "label")]
    kinds += draw.sample(others, draw.choice([0, 0, 1, 1, 2, 3, 5]))
    draw.shuffle(kinds)
    names = [draw.choice(NAMES[k].split("|")) for k in kinds]
    isMixed = draw.random() < 0.2
    rows = []
    for row in range(draw.randint(3, 40)):
        styled = draw.choice(list(STYLES)) if isMixed else style
        rows.append([value(draw, k, region, styled, row) for k in kinds])
    at = kinds.index("number")
    for chance, change in [
        (0.1, lambda r: r.__setitem__(at, draw.choice(ODD))),
        (0.1, lambda r: r.__setitem__(draw.randrange(len(r)), "")),
        (0.1, lambda r: r.__setitem__(at, r[at] + draw.choice(AFTER))),
        (0.05, lambda r: r.__setitem__(at, r[at][:-2] + "XX")),
        (0.05, lambda r: r.insert(draw.randrange(len(r)), "")),
    ]:
        if draw.random() < chance:
            for row in rows:
                if draw.random() < 0.2:
                    change(row)
    return kinds, names, rows


def delimited(draw):
    _, names, rows = table(draw)
    separator = draw.choice([",", ",", ";", "\t", "|"])
    isQuoted = draw.random() < 0.2

    def field(text):
        if isQuoted or separator in text or '"' in text:
            return '"' + text.replace('"', '""') + '"'
        return text

    lines = [separator.join(map(field, row)) for row in ([names] if draw.random() < 0.7 else []) + rows]
    if draw.random() < 0.06:
        lines.insert(0, draw.choice(["# exported", "List of numbers", f"sep={separator}", ""]))
    if draw.random() < 0.06:
        at = draw.randrange(1, len(lines))
        lines[at] = draw.choice([lines[at] + separator + "x", lines[at].replace(separator, separator * 2, 1), "---", ""])
    return draw.choice(["\n", "\n", "\r\n"]).join(lines) + "\n"


def objects(draw):
    kinds, names, rows = table(draw)
    names = [f"{n} {i}" if n in names[:i] else n for i, n in enumerate(names)]
    rows = [dict(zip(names, row)) for row in rows]
    numbers = [str(r.get(names[kinds.index("number")], "")) for r in rows]
    words = [draw.choice(WORDS) for _ in rows]

    def text(item):
        return json.dumps(item, ensure_ascii=False)

    shapes = {
        "lines": lambda: "\n".join(map(text, rows)),
        "array": lambda: text(rows),
        "wrapped": lambda: text({"version": 3, "data": rows}),
        "nested": lambda: text([{"id": i, "contact": r} for i, r in enumerate(rows)]),
        "keyed": lambda: text({f"k{i}": r for i, r in enumerate(rows)}),
        "pairs": lambda: text(dict(zip(numbers, words))),
        "lines of pairs": lambda: "\n".join(text({n: w}) for n, w in zip(numbers, words)),
        "exchanged pairs": lambda: text({f"{w} {i}": n for i, (n, w) in enumerate(zip(numbers, words))}),
        "dates": lambda: text({n: draw.choice(["2024-05-01", 1700000000]) for n in numbers}),
        "numbers": lambda: text(numbers),
        "lists": lambda: text({"blocked": numbers, "allowed": []}),
        "arrays": lambda: text(list(zip(numbers, words))),
    }
    return shapes[draw.choice(list(shapes))]() + "\n"


def lines(draw):
    region, style = draw.choice(list(REGIONS)), draw.choice(list(STYLES))
    numbers = [number(draw, region, style) for _ in range(draw.randint(3, 40))]
    if draw.random() < 0.15:
        numbers[draw.randrange(len(numbers))] = draw.choice(ODD)
    shapes = {
        "plain": lambda: "\n".join(numbers),
        "labels": lambda: "\n".join(n + draw.choice([" ", "\t", ", ", ": "]) + draw.choice(WORDS) for n in numbers),
        "some labels": lambda: "\n".join(n + (" " + draw.choice(WORDS)) * draw.randint(0, 1) for n in numbers),
        "items": lambda: "\n".join(f"{i + 1}. {n}" for i, n in enumerate(numbers)),
        "one line": lambda: draw.choice([",", "; ", "\t"]).join(numbers),
        "quotes": lambda: ",".join(f'"{n}"' for n in numbers),
        "remarks": lambda: "\n".join(n + draw.choice([""] + AFTER) for n in numbers),
        "dates": lambda: "\n".join(f"2024-05-01 10:33 {n}" for n in numbers),
        "ranges": lambda: "\n".join(f"{n}{draw.choice(['..', ' - '])}{n[:-1]}9" for n in numbers),
        "a header": lambda: "\n".join([draw.choice(NAMES["number"].split("|"))] + numbers),
        "words first": lambda: "\n".join(draw.choice(WORDS) + ": " + n for n in numbers),
        "vCards": lambda: "\n".join(
            f"BEGIN:VCARD\nVERSION:3.0\nFN:{draw.choice(WORDS)}\nTEL:{n}\nEND:VCARD" for n in numbers
        ),
    }
    return shapes[draw.choice(list(shapes))]() + "\n"


def random_list(seed, index):
    draw = random.Random(f"{seed}:{index}")
    text = draw.choice([delimited, delimited, objects, lines])(draw)
    encoding = draw.choice(["utf-8"] * 8 + ["utf-8-sig", "utf-16", "cp1251", "gb18030"])
    return text.encode(encoding, "ignore")


class Reading:
    """What the four commands make of one list."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.differences = []
        self.format = "tsv"

    def run(self, *arguments, data=None):
        done = subprocess.run([self.program, *arguments], cwd=self.folder, input=data, capture_output=True, timeout=300)
        if done.returncode < 0 or done.returncode > 125:
            self.differences.append(f"{arguments} ends with status {done.returncode}")
        return done

    def compare(self, what, **values):
        first = next(iter(values.values()))
        if any(v != first for v in values.values()):
            self.differences.append(f"{what}: " + ", ".join(f"{k}: {str(v)[:300]}" for k, v in values.items()))

    def check(self, data):
        """Reads a list with all commands, and notes where they differ."""
        (self.folder / "list").write_bytes(data)
        preview = self.run("preview", "--json", "--rows", "4096", "list")
        init = self.run("init", "-o", "p.yaml", "list")
        self.compare("status", preview=preview.returncode, init=init.returncode)
        if preview.returncode or init.returncode:
            # What two refuse, parse does not read either, unless the encoding is chosen.
            parse = self.run("parse", "list")
            isRead = parse.returncode == 0 and b"not UTF-8" not in parse.stderr
            return self.compare("status", preview=preview.returncode != 0, parse=not isRead)
        shown, file = json.loads(preview.stdout), (self.folder / "p.yaml").read_text()
        options = re.search(r"^      encoding: (\S+)", file, re.M)
        parse = self.run("parse", *(["--encoding", options[1].strip('"')] if options else []), "list")
        region = re.search(r"^      region: (\w+)|^    normalize: \{ region: (\w+)|^    region: (\w+)", file, re.M)
        code = next((g for g in region.groups() if g), None) if region else None
        normalize = self.run("normalize", *(["--region", code] if code else []), data=parse.stdout)
        sort = self.run("sort", data=normalize.stdout)
        dedupe = self.run("dedupe", data=sort.stdout)
        run = self.run("run", "--report", "report.json", "p.yaml")
        self.compare(
            "success", pipe=not any(s.returncode for s in (parse, normalize, sort, dedupe)), run=run.returncode == 0
        )
        self.compare_warnings(parse=parse, preview=preview, init=init, run=run)
        self.compare_rows(parse.stdout, shown)
        self.compare_fields(file, shown)
        if run.returncode == 0:
            stores = self.run("cat", "stores").stdout
            self.compare("records", pipe=numbers_of(dedupe.stdout), run=numbers_of(stores))
        self.compare_converted(dedupe, code)

    def compare_converted(self, dedupe, code):
        """Writes the list in one format with the filters and with convert."""
        region = ["--region", code] if code else []
        for name in ("filtered", "converted"):
            (self.folder / name).unlink(missing_ok=True)
        emit = self.run("emit", "--format", self.format, "-o", "filtered", data=dedupe.stdout)
        convert = self.run("convert", *region, "list", "--format", self.format, "-o", "converted")
        if b"the country of the numbers is" in convert.stderr:
            return
        succeeds = dedupe.returncode == 0 and emit.returncode == 0 and dedupe.stdout != b""
        self.compare("success", filters=succeeds, convert=convert.returncode == 0)
        if succeeds and convert.returncode == 0:
            filtered, converted = ((self.folder / name).read_bytes() for name in ("filtered", "converted"))
            self.compare(self.format, filters=filtered, convert=converted)

    def compare_warnings(self, **outcomes):
        def warnings(done):
            text = done.stderr.decode()
            found = re.findall(r"^cdpipe (?:parse|preview|init|run): warning: (.*)$", text, re.M)
            found = [re.sub(r"^source '[^']*': ", "", w) for w in found]
            # Only init needs the country, which it writes.
            return sorted(w for w in found if not w.startswith("the country of the numbers"))

        self.compare("warnings", **{name: warnings(done) for name, done in outcomes.items()})

    def compare_rows(self, parsed, shown):
        rows = [(r["text"], r.get("label", "")) for r in shown["rows"]]
        unescaped = [
            re.sub(r"\\(.)", lambda m: {"t": "\t", "n": "\n", "r": "\r"}.get(m[1], m[1]), line)
            for line in parsed.decode().replace("\t", "\0").split("\n")[:-1]
        ]
        self.compare("rows", parse=[tuple((r.split("\0") + [""])[:2]) for r in unescaped], preview=rows)

    def compare_fields(self, file, shown):
        written = dict(re.findall(r"^      (format|number|label|source|score|last|country): (\S.*?)(?: +#.*)?$", file, re.M))
        fields = {"format": shown["format"], **shown["fields"]}
        for name, text in written.items():
            text = json.loads(text) if text.startswith('"') else text.strip("'")
            self.compare(f"{name} of init and preview", init=text, preview=fields.get(name))
        report = self.folder / "report.json"
        inputs = json.loads(report.read_text())["sources"][0].get("inputs", []) if report.exists() else []
        for one in inputs[:1]:
            for name in ("format", "number", "label", "source", "score", "last", "country", "areaCode"):
                self.compare(f"{name} of run and preview", run=one.get(name), preview=fields.get(name))


def numbers_of(records):
    """The ranges of numbers in records, adjacent ones joined."""
    joined = []
    for line in records.decode().split("\n")[:-1]:
        first, _, last = line.split("\t")[0].partition("..")
        first, last = int(first), int(last or first)
        if joined and joined[-1][1] + 1 == first:
            joined[-1][1] = last
        else:
            joined.append([first, last])
    return joined


def main():
    program, folder, seed, count = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    start = int(sys.argv[5]) if len(sys.argv) > 5 else 0
    kinds = collections.Counter()
    for index in range(start, start + count):
        place = folder / "list-agreement"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        data = random_list(seed, index)
        reading = Reading(program, place)
        reading.format = FORMATS[index % len(FORMATS)]
        reading.check(data)
        for difference in reading.differences:
            kinds[difference.split(":")[0]] += 1
            print(f"list {index} of seed {seed}: {difference}\n  {data[:200]!r}")
    print(f"{count} lists, {sum(kinds.values())} disagreements {dict(kinds) or ''}")
    sys.exit(1 if kinds else 0)


if __name__ == "__main__":
    os.environ["NO_COLOR"] = "1"
    main()
