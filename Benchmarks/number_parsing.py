"""Compares the number matcher with libphonenumber's C++ library, on one core, and checks that it does not allocate. The part
`numbers`.

Both do the same work: parse with the region, check whether the number is valid, format as E.164. libphonenumber is also
timed without the validity check; the bar applies to that stricter ratio.
"""

import os
import statistics
import subprocess
import sys

from measuring import DATA, HERE, RELEASE, needed, note, pinned
from native import can_include, compiled
from results import Part

FORMS = 1_000_000
"""The numbers of mixed forms; with fewer rows than that, as many as rows."""
PEER_FORMS = 200_000
"""The numbers for the alternating runs of both programs: libphonenumber is slow."""
RATE_BAR = 20.0
"""The minimum rate in million numbers per second."""
RATIO_BAR = 150.0
"""The minimum speed-up over libphonenumber, which only parses and formats."""
PASSES = 5
"""The number of passes over the numbers in a run of ours, of which the fastest counts."""
PEER = "libphonenumber C++"


def forms(count, first):
    """Returns the file of numbers, and one of the first of them."""
    file = DATA / f"forms-{count}.tsv"
    if not file.exists() or file.stat().st_mtime < (HERE / "numbers/make_forms.py").stat().st_mtime:
        note(f"Making {file.name}")
        subprocess.run([sys.executable, str(HERE / "numbers/make_forms.py"), "--lines", str(count), str(file)], check=True)
    some = DATA / f"forms-{count}-first-{first}.tsv"
    with open(file, "rb") as lines, open(some, "wb") as output:
        output.writelines(line for _, line in zip(range(first), lines))
    return file, some


def rate(*command, environment=None):
    done = subprocess.run(
        [*pinned(), *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True, env=environment)
    return float(done.stdout), done.stderr


def allocations(answers, file, passes):
    """The number of allocations of a run."""
    counter = compiled(DATA / "count_allocations.so", HERE / "numbers/count_allocations.c", "cc", "-shared", "-fPIC", "-O2")
    _, said = rate(answers, "--rate", str(file), "--rounds", str(passes), environment=dict(os.environ, LD_PRELOAD=counter))
    return int(said.partition("allocations: ")[2].split()[0])


def measure(name, options):
    answers = str(RELEASE / "number-answers")
    if not needed(options, answers):
        return None
    count, peer_count = min(FORMS, options.rows), min(PEER_FORMS, options.rows)
    file, some = forms(count, peer_count)
    peer = None
    if can_include(options, "phonenumbers/phonenumberutil.h", "libphonenumber-dev"):
        peer = compiled(
            DATA / "libphonenumber", HERE / "numbers/libphonenumber.cc", "g++", "-std=c++17", "-O2", "-lphonenumber")
    ours, whole, parsing, checking = [], [], [], []
    for _ in range(options.runs):
        ours.append(rate(answers, "--rate", str(some), "--rounds", str(PASSES))[0])
        whole.append(rate(answers, "--rate", str(file), "--rounds", str(PASSES))[0])
        if peer:
            parsing.append(rate(peer, str(some))[0])
            checking.append(rate(peer, str(some), "--valid")[0])
    part = Part(name, rows=options.rows, rounds=options.runs)
    part.text(f"{peer_count:,} numbers of mixed forms, one core, {options.runs} rounds.")
    rates = {
        "NumberPlan: parse, valid?, E.164": ours, f"NumberPlan, all {count:,} numbers": whole,
        f"{PEER}: parse, valid?, E.164": checking, f"{PEER}: parse, E.164": parsing}
    part.table(
        ["what", "M numbers/s"],
        [[what, f"{statistics.median(values) / 1e6:.3f}"] for what, values in rates.items() if values])
    part.figure("numbers per second", [one / 1e6 for one in whole], "M", at_least=RATE_BAR)
    if peer:
        part.figure(f"times faster than {PEER} that parses", [our / their for our, their in zip(ours, parsing)],
                    at_least=RATIO_BAR, peer=PEER)
    counts = [allocations(answers, some, passes) for passes in (1, PASSES)]
    part.same(f"Allocations in 1 and {PASSES} passes, {counts[0]}", counts[0] == counts[1])
    return part
