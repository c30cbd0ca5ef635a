"""The results of the benchmarks: what a part has measured, and the file with all parts and the facts of the machine.

The page is written from this file alone (page.py). Not for measuring (measuring.py).
"""

import json
import os
import pathlib
import platform
import statistics
import subprocess
import time

COMMITTED = pathlib.Path(__file__).resolve().parent / "results.json"
"""The last results that were committed, with which new ones are compared."""

TOLERANCE = 0.15
"""A ratio to a peer may be worse than the committed one by this share: runs on the same machine differ by a tenth."""


class Part:
    """What a part has measured: paragraphs and tables, and figures with their bars."""

    def __init__(self, name, **settings):
        self.name = name
        self.settings = settings
        self.blocks = []
        self.figures = []
        self.agrees = True

    def text(self, paragraph):
        self.blocks.append(paragraph)

    def table(self, columns, rows):
        """Adds a table. Its cells are texts."""
        self.blocks.append({"columns": columns, "rows": [[str(cell) for cell in row] for row in rows]})

    def figure(self, name, value, unit="", at_least=None, at_most=None, peer=None):
        """Adds a figure: a value, or a list of them, whose median counts. Its bar is `at_least` or `at_most`. `peer` is the
        program of the same run that it is a ratio to."""
        values = value if isinstance(value, list) else [value]
        figure = {"name": name, "value": statistics.median(values), "unit": unit}
        if len(values) > 1:
            figure.update(low=min(values), high=max(values))
        figure.update({key: bar for key, bar in (("at_least", at_least), ("at_most", at_most), ("peer", peer)) if bar is not None})
        self.figures.append(figure)

    def same(self, what, agrees):
        """Notes whether all programs had the same result."""
        self.text(f"{what}: the same." if agrees else f"{what}: DIFFERENT.")
        self.agrees = self.agrees and agrees

    def fields(self, seconds):
        return {
            "measured": time.strftime("%Y-%m-%d"), "commit": commit(), "seconds": round(seconds), "settings": self.settings,
            "blocks": self.blocks, "figures": self.figures}


def is_met(figure):
    """Whether a figure meets its bar, as it is shown."""
    value = float(number(figure["value"]).replace(",", ""))
    return figure.get("at_least", value) <= value <= figure.get("at_most", value)


def number(value):
    """Formats a number with three digits."""
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.{max(0, 2 - len(str(int(value))) + 1)}f}"


def shown(figure):
    """A figure's row: its name, its value, its bar, and whether that is met."""
    spread = f" ({number(figure['low'])}–{number(figure['high'])})" if "low" in figure else ""
    unit = f" {figure['unit']}" if figure["unit"] else ""
    bar = next((f"{sign} {figure[key]:,g}{unit}" for key, sign in (("at_least", "≥"), ("at_most", "≤")) if key in figure), "")
    return [figure["name"], number(figure["value"]) + unit + spread, bar, ("ok" if is_met(figure) else "MISSED") if bar else ""]


def load(file):
    try:
        return json.loads(pathlib.Path(file).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None


def add(file, part, seconds, machine):
    """Adds a part to a file of results. Those of another machine are dropped."""
    results = load(file)
    if results is None or results["machine"] != machine:
        results = {"machine": machine, "parts": {}}
    results["parts"][part.name] = part.fields(seconds)
    file = pathlib.Path(file)
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_suffix(".unfinished")
    partial.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    partial.replace(file)


def regressions(new, old):
    """Compares the ratios to peers with earlier ones. Returns a line for each, and whether it is too much worse."""
    compared = []
    for name, part in new["parts"].items():
        before = old["parts"].get(name)
        if before is None or before["settings"] != part["settings"]:
            continue
        earlier = {figure["name"]: figure for figure in before["figures"] if "peer" in figure}
        for figure in part["figures"]:
            if "peer" not in figure or figure["name"] not in earlier:
                continue
            change = figure["value"] / earlier[figure["name"]]["value"] - 1
            worse = -change if "at_least" in figure else change
            line = f"{name}: {figure['name']}: {number(earlier[figure['name']]['value'])} → {number(figure['value'])}"
            compared.append((line, worse > TOLERANCE))
    return compared


def output_of(command):
    """The first line that a program prints; empty if there is none."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip().partition("\n")[0]


def commit():
    return output_of(["git", "-C", str(COMMITTED.parent), "describe", "--always", "--dirty"])


def field_of(file, key):
    """Returns the value of a `key : value` line in a file of /proc."""
    try:
        with open(file, encoding="utf-8") as lines:
            for line in lines:
                name, _, value = line.partition(":")
                if name.strip() == key:
                    return value.strip()
    except OSError:
        pass
    return "unknown"


def debian_version(package):
    found = output_of(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", package])
    return found.removeprefix("installed ") if found.startswith("installed ") else ""


def pypi_version(package):
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def machine(cdpipe):
    """The facts of the machine and the versions of all programs, in the order in which they are shown."""
    kibibytes = field_of("/proc/meminfo", "MemTotal").partition(" ")[0]
    facts = {
        "processor": field_of("/proc/cpuinfo", "model name"),
        "cores": str(os.cpu_count()),
        "memory": f"{int(kibibytes) / (1 << 20):.1f} GiB" if kibibytes.isdigit() else "unknown",
        "kernel": f"{platform.system()} {platform.release()}, {platform.machine()}",
        "cdpipe": output_of([cdpipe, "--version"]),
        "Swift": output_of(["swift", "--version"]),
        "Python": platform.python_version(),
        "awk": output_of(["mawk", "-W", "version"]),
        "sort": output_of(["sort", "--version"]),
        "jq": output_of(["jq", "--version"]),
        "Miller": output_of(["mlr", "--version"]),
        "wrk": output_of(["wrk", "-v"]).partition(" Copyright")[0],
        "sqlite3": output_of(["sqlite3", "--version"]).partition(" ")[0],
    }
    facts.update({name: debian_version(name) for name in ("libphonenumber-dev", "libsimdjson-dev")})
    facts.update({name: pypi_version(name) for name in ("duckdb", "chdb", "polars", "pyroaring")})
    return {name: version or "not installed" for name, version in facts.items()}
