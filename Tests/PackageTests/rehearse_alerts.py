#!/usr/bin/env python3
"""Rehearses the alerts of pipelines/monitoring/alerts.yaml with the metrics of real runs.

  Tests/PackageTests/rehearse_alerts.py CDPIPE

Runs a pipeline once a night, at a time that a preloaded library sets, with troubles that real nights have; reads the
metrics of each night as the node exporter would; and lets promtool evaluate the alerts on them. Needs cc and promtool.
Prints the alerts of each night, and exits 1 if they are not the expected ones.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ALERTS = ROOT / "pipelines/monitoring/alerts.yaml"
PIPELINE = """
name: nightly
sources:
  - { name: marked, path: marked.tsv }
  - { name: extra, path: extra.tsv, use-last-good: true }
emit: [{ format: store }]
publish: { directory: public, max-change: 60% }
"""
# A clock that begins at $NIGHT_SECONDS. Only the time of day is replaced; durations are real.
CLOCK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *time) {
  static int (*next)(clockid_t, struct timespec *);
  if (!next) next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int status = next(clock, time);
  if (clock == CLOCK_REALTIME) *time = (struct timespec){.tv_sec = atol(getenv("NIGHT_SECONDS"))};
  return status;
}
"""
SAMPLE = re.compile(r"^([a-z_]+\{.*\}) (\S+)$")
# What happens on each night, counted from 0, and the alerts that fire before the next one.
NIGHTS = [
    ("no timer", ["CdpipeNeverRan"]),
    ("no timer", ["CdpipeNeverRan"]),
    ("good", []),
    ("good", []),
    ("the required list is missing", []),
    ("the required list is missing", ["CdpipeFailing"]),
    ("good", []),
    ("the extra list is missing", []),
    ("the extra list is missing", ["CdpipeStandIn"]),
    ("the extra list is missing", ["CdpipeStaleSource", "CdpipeStandIn"]),
    ("the extra list is missing", ["CdpipeStaleSource", "CdpipeStandIn"]),
    ("the list has half of its numbers", ["CdpipeListShrank"]),
    ("no timer", ["CdpipeListShrank", "CdpipeNoRun"]),
]


def write(path, first, count):
    path.write_text("".join(f"{first + i * 7}\tspam\n" for i in range(count)), encoding="utf-8")


def run(program, folder, night, event):
    """Runs the pipeline in a night with an event; returns the metrics afterwards."""
    write(folder / "marked.tsv", 8613800138000, 500 if "half" in event else 1000 + night)
    write(folder / "extra.tsv", 8613900139000, 100)
    for name in ("marked", "extra"):
        if {"marked": "required", "extra": "extra"}[name] in event:
            (folder / f"{name}.tsv").unlink()
    if event != "no timer":
        # Night 0 begins at 1970-01-01, where promtool's time begins; the run is at 3:15.
        seconds = str(night * 86400 + 3 * 3600 + 900)
        environment = os.environ | {"LD_PRELOAD": str(folder / "clock.so"), "NIGHT_SECONDS": seconds}
        command = [program, "run", "-q", "nightly.yaml", "--metrics", "nightly.prom"]
        subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    path = folder / "nightly.prom"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def series(pages):
    """The values of each series, one for each hour, as promtool writes them."""
    names = {}
    for night, page in enumerate(pages):
        for line in page.splitlines():
            if found := SAMPLE.match(line):
                names.setdefault(found[1], {})[night] = found[2]
    for name, values in names.items():
        hours = []
        for night in range(len(pages)):
            # A run at 3:15 is seen at 4:00.
            hours += ["_" if value is None else value for value in [values.get(night - 1)] * 4 + [values.get(night)] * 20]
        yield {"series": name, "values": " ".join(hours)}


def main():
    program = os.path.realpath(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "nightly.yaml").write_text(PIPELINE, encoding="utf-8")
        (folder / "clock.c").write_text(CLOCK, encoding="utf-8")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", "clock.so", "clock.c"], cwd=folder, check=True)
        pages = [run(program, folder, night, event) for night, (event, _) in enumerate(NIGHTS)]
        checks = [
            {
                "expr": 'count by (alertname) (ALERTS{alertstate="firing"})',
                "eval_time": f"{night * 24 + 27}h",
                "exp_samples": [{"labels": f'{{alertname="{alert}"}}', "value": 1} for alert in alerts],
            }
            for night, (_, alerts) in enumerate(NIGHTS[:-1])
        ]
        test = {
            "rule_files": [str(ALERTS)],
            "evaluation_interval": "1h",
            "tests": [{"interval": "1h", "input_series": list(series(pages)), "promql_expr_test": checks}],
        }
        (folder / "test.yaml").write_text(json.dumps(test), encoding="utf-8")
        found = subprocess.run(["promtool", "test", "rules", "test.yaml"], cwd=folder, capture_output=True, text=True, check=False)
    for night, (event, alerts) in enumerate(NIGHTS):
        print(f"night {night}: {event}: {', '.join(alerts) or 'no alert'}")
    if found.returncode:
        sys.exit(found.stdout + found.stderr)
    print("all alerts are the expected ones")


if __name__ == "__main__":
    main()
