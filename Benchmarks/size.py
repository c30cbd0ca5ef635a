"""Measures how `cdpipe run` scales with the number of rows and with the memory. The part `size`."""

import shutil
import statistics

from filters import STORES, run_commands
from measuring import Way, environment, made_rows, peak_of, rounds
from results import Part

BASE_FACTOR, LARGEST_FACTOR = 1, 10
"""The rows that a row's cost is compared with, and the most rows, as multiples of the default number."""
COST_BAR = 1.0
"""The maximum cost of a row among the most rows, relative to that among the default number."""
MEMORY_BAR = 96.0
"""The maximum peak memory in MiB with 64 MiB for sorting."""
SPILL_BAR = 0.2
"""The maximum size of the spill files relative to the input."""
ROUNDS_MAX = 3


def measure(name, options):
    base, largest = options.rows * BASE_FACTOR, options.rows * LARGEST_FACTOR
    cases = [(base // 10, "64MiB"), (base, "64MiB"), (largest, "64MiB"), (largest, "16MiB"), (largest, "1GiB")]
    files = {rows: made_rows(rows) for rows, _ in cases}
    ways = [
        Way(f"{rows:,} rows, {memory}",
            run_commands(options.cdpipe, files[rows], STORES, f"sort.memory={memory}"), watch_spills=True)
        for rows, memory in cases]
    count = min(options.runs, ROUNDS_MAX)
    results = rounds(ways, count, environment(), lambda: shutil.rmtree(STORES, ignore_errors=True))
    shutil.rmtree(STORES, ignore_errors=True)

    def costs(way, rows):
        return [one.seconds / rows * 1e9 for one in results[way.name]]

    def spilled(way, rows):
        return max(one.spilled for one in results[way.name]) / files[rows].stat().st_size

    part = Part(name, rows=options.rows, rounds=count)
    part.text(f"{count} rounds.")
    part.table(
        ["rows", "memory", "wall s", "ns a row", "peak MiB", "spills, of the input"],
        [[f"{rows:,}", memory, f"{statistics.median(one.seconds for one in results[way.name]):.2f}",
          f"{statistics.median(costs(way, rows)):.0f}", f"{peak_of(results[way.name]):.0f}", f"{spilled(way, rows):.2f}"]
         for way, (rows, memory) in zip(ways, cases)])
    _, default, most = ways[:3]
    relative = [many / few for few, many in zip(costs(default, base), costs(most, largest))]
    part.figure(f"cost of a row of {largest:,}, relative to {base:,}", relative, at_most=COST_BAR, peer=f"{base:,} rows")
    part.figure(f"peak with {largest:,} rows", peak_of(results[most.name]), "MiB", at_most=MEMORY_BAR)
    part.figure(f"spills of {largest:,} rows, of the input", spilled(most, largest), at_most=SPILL_BAR)
    return part
