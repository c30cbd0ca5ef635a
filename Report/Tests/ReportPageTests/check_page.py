#!/usr/bin/env python3
"""Looks at a page in a real browser: check_page.py REPORT.json PAGE.html [SCREENSHOT-PREFIX]

Chromium (headless) loads the page at 1280 and at 375 pixels, light and dark. The page must say nothing on its console,
run no script, and fetch nothing; nothing of it may be wider than the window, and no text may be cut or cover another.
The figures in its tables must be the report's; for the index of a published folder, those of its events. If the package
axe-core-python can be imported, axe must have no serious finding. With a prefix, screenshots are taken:
PREFIX-1280-light.png and so on. CHROMIUM names another browser. Exits 1 with what is wrong.
"""
import importlib.util
import json
import pathlib
import sys

from browser import Browser

# The tables by name, each as rows of cells by the texts of the column headers; and the texts of sections and lists.
READ = """(() => {
  for (const details of document.querySelectorAll("details")) details.open = true;
  const tables = {};
  for (const table of document.querySelectorAll("table[data-table]")) {
    const names = [...table.querySelectorAll("thead th")].map(cell => cell.textContent);
    const rows = [...table.querySelectorAll("tbody tr")].map(row => Object.fromEntries(
      [...row.cells].map((cell, index) => [index ? names[index] : "name",
        (cell.querySelector("bdi") ?? cell).textContent])));
    const name = table.dataset.table;
    if (name) tables[name] = (tables[name] ?? []).concat(rows);
  }
  const texts = {};
  for (const list of document.querySelectorAll("[data-list]")) texts[list.dataset.list] = list.innerHTML;
  for (const name of ["hero", "box", "status"])
    texts[name] = [...document.querySelectorAll("." + name)].map(element => element.outerHTML).join("");
  return {tables, texts, tags: [...new Set([...document.querySelectorAll("*")].map(element => element.localName))],
    text: document.body.textContent};
})()"""

# What is wider than the window, cut, or covered by another text.
MEASURE = """(() => {
  const wrong = [], width = document.documentElement.clientWidth;
  const name = element => `<${element.localName} class="${element.getAttribute("class") ?? ""}"> "`
    + element.textContent.trim().slice(0, 40) + '"';
  if (document.documentElement.scrollWidth > width) wrong.push("the page scrolls sideways");
  for (const element of document.querySelectorAll("body *:not(title):not(wbr)")) {
    if (element.closest(".unseen, thead") && getComputedStyle(element.closest(".unseen, thead")).position == "absolute") continue;
    const box = element.getBoundingClientRect();
    if (box.width == 0 || box.height == 0) continue;
    if (box.right > width + 1 || box.left < -1) wrong.push(`${name(element)} is outside of the window`);
    if (element.closest("svg") == null && element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1)
      wrong.push(`${name(element)} is cut`);
  }
  for (const svg of document.querySelectorAll("svg")) {
    const texts = [...svg.querySelectorAll("text")].map(text => [text, text.getBoundingClientRect()]);
    for (const [text, box] of texts) {
      for (const [other, next] of texts)
        if (text !== other && box.right > next.left + 1 && next.right > box.left + 1
            && box.bottom > next.top + 4 && next.bottom > box.top + 4)
          wrong.push(`${name(text)} covers ${name(other)}`);
    }
  }
  return [...new Set(wrong)].slice(0, 10);
})()"""


def grouped(value):
    return f"{value:,}"


def signed(value, sign):
    return f"{sign if value else ''}{value:,}"


def expected(report):
    """The tables of a report's page: of each, some columns with their values."""
    rows = report["rows"]
    if rows["read"] or rows["written"]:
        counts = []
        for key in ("read", "splits", "inferred", "written", "duplicates", "rejects", "leftOut", "removed", "joined"):
            if rows.get(key) or key in ("read", "written", "rejects"):
                counts.append(grouped(rows[key]))
            if key == "leftOut":
                counts += [grouped(use["count"]) for use in report.get("leftOut", [])]
        yield "rows", {"count": counts}
    stages = [stage for source in report["sources"] for stage in source["stages"]] + report["stages"]
    if any(stage["rowsIn"] or stage["rowsOut"] for stage in stages):
        columns = {title: [grouped(stage[key]) if stage["rowsIn"] or stage["rowsOut"] else "" for stage in stages]
                   for title, key in (("rows in", "rowsIn"), ("rows out", "rowsOut"))}
        for key in ("rejects", "duplicates"):
            columns[key] = [grouped(stage[key]) if key in stage else "" for stage in stages]
        if any(stage.get("leftOutReasons", {}).get("not-selected") for stage in stages):
            columns["not selected"] = [grouped(stage["leftOutReasons"]["not-selected"])
                                       if "not-selected" in stage.get("leftOutReasons", {}) else "" for stage in stages]
        yield "stages", columns
    for key, table in (("labels", "labels"), ("callingCodes", "countries"), ("prefixes", "prefixes")):
        tally = report.get(key, {"items": []})
        parts = tally["items"] + ([tally["others"]] if "others" in tally else [])
        if parts:
            yield table, {"numbers": [grouped(part["entries"]) for part in parts],
                          "records": [grouped(part["records"]) for part in parts]}
    if report.get("labels", {}).get("items"):
        names = [item["name"] or "(no label)" for item in report["labels"]["items"]]
        yield "labels", {"name": names + ([...] if "others" in report["labels"] else [])}
    if report["rejects"]:
        yield "rejects", {"name": [use["reason"] for use in report["rejects"]],
                          "rows": [grouped(use["count"]) for use in report["rejects"]]}
    changes = report.get("changes")
    if changes and any(changes["numbers"].values()):
        for key in ("labels", "countries"):
            parts = changes[key]["items"] + ([changes[key]["others"]] if "others" in changes[key] else [])
            yield f"changed-{key}", {"added": [signed(part["added"], "+") for part in parts],
                                     "removed": [signed(part["removed"], "−") for part in parts]}
    if sum(event["event"] == "published" for event in report.get("history", [])) > 1:
        yield "versions", events(report["history"][::-1])


def events(listed):
    """The columns of the table of events, newest first."""
    columns = {"name": [event["version"][:12] for event in listed]}
    figures = [grouped(event["entries"]) if "entries" in event else "" for event in listed]
    columns["numbers"] = figures
    for key, sign in (("added", "+"), ("removed", "−")):
        columns[key] = [signed(event["changes"][key], sign) if "changes" in event else "" for event in listed]
    return columns


def lacking(report, page):
    """What the page lacks of the headline, the version, the failure, and the sources that could not be used."""
    texts, problems = page["texts"], []

    def want(where, *words):
        problems.extend(f"'{where}' lacks '{word}'" for word in words if word not in texts.get(where, ""))

    published = report.get("published")
    changes = report.get("changes", {}).get("numbers")
    if published and published["outcome"] == "published" and "before" in published and changes:
        if any(changes.values()):
            want("hero", f"+{changes['added']:,}", f"−{changes['removed']:,}", f"{changes['relabelled']:,}")
        want("hero", f'title="{published["before"]}"', f">{published['version'][:12]}<")
    if published and published["outcome"] != "nothing":
        want("published", f'title="{published["version"]}"')
    unused = [source for source in report["sources"]
              if "trouble" in source and source["trouble"]["remedy"] != "failed"]
    for source in unused:
        want("box", source["name"])
        if page["text"].count(source["trouble"]["message"]) != 1:
            problems.append(f"the error of the source '{source['name']}' is not there once")
    colour = {"done": "warn" if unused else "good", "failed": "bad", "unchanged": "warn" if unused else "still"}
    want("status", f'class="status {colour[report["status"]]}"')
    if "failure" in report:
        if page["text"].count(report["failure"]["message"]) != 1:
            problems.append("the reason of the failure is not there once")
        if published and "before" in published:
            want("box", f'title="{published["before"]}"')
    return problems


def compare(page, tables):
    problems, seen = [], set()
    for name, columns in tables:
        seen.add(name)
        rows = page["tables"].get(name, [])
        for title, values in columns.items():
            # A column without figures is left out.
            got = [row.get(title, "") for row in rows]
            if len(got) != len(values) or any(want not in (..., have) for want, have in zip(values, got)):
                problems.append(f"the table '{name}' shows as '{title}' {got[:5]}, and the report has {values[:5]}")
    if seen != set(page["tables"]):
        problems.append(f"the page has the tables {sorted(page['tables'])}, and not {sorted(seen)}")
    return problems


def axe():
    """The source of axe; None without the package."""
    package = importlib.util.find_spec("axe_core_python")
    if package is None:
        return None
    return (pathlib.Path(package.origin).parent / "axe.min.js").read_text(encoding="utf-8")


def main(report_file, page_file, prefix=None):
    with open(report_file, encoding="utf-8") as file:
        report = json.load(file)
    address = pathlib.Path(page_file).resolve().as_uri()
    checker = axe()
    problems = []
    with Browser() as browser:
        for width in (1280, 375):
            for scheme in ("light", "dark"):
                view = f"{width}-{scheme}"
                problems += [f"{view}: on the console: {said}" for said in browser.show(address, width, 900, scheme)]
                if prefix:
                    browser.screenshot(f"{prefix}-{view}.png")
                page = browser.evaluate(READ)
                problems += [f"{view}: {wrong}" for wrong in browser.evaluate(MEASURE)]
                if checker:
                    browser.evaluate(checker + "; 0")
                    found = browser.evaluate(
                        "axe.run(document).then(result => result.violations.map(one => [one.id, one.impact,"
                        " one.nodes[0].html]))")
                    problems += [f"{view}: axe: {one}" for one in found if one[1] in ("serious", "critical")]
        # On paper, everything is light, and nothing is collapsed.
        browser.show(address, 794, 1123, "dark", media="print")
        if browser.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)":
            problems.append("the page is dark when printed")
    if {"script", "iframe"} & set(page["tags"]):
        problems.append("there is a script or a frame in the page")
    if report["format"] == "cdpipe-report":
        problems += compare(page, expected(report)) + lacking(report, page)
    else:
        problems += compare(page, [("versions", events(report["events"][::-1]))])
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
