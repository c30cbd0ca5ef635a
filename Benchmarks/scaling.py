#!/usr/bin/env python3
"""Simulates how a run of ten million rows scales with processors, from measured costs of its stages.

    Benchmarks/scaling.py

A machine with few processors can't show it. The costs are shares of the CPU time of `cdpipe run Benchmarks/rows.yaml`
with four threads, by thread and function (`perf record -e cpu-clock`). Each half of the run is a pipeline: items pass
through its stages in order, a stage has one or more threads, each queue is bounded, and at most as many threads run as
there are processors. It ignores that memory bandwidth and caches are shared, so it is an upper bound.
"""

import heapq

ITEMS = 400
"""The number of items in each half of a run; the queues' lengths are in items, too."""

QUEUE = 4


def first_half(threads):
    """Returns the stages while rows arrive, as pairs of a cost in percent and a number of threads."""
    if threads == 1:
        return [(52.7, 1)]
    if threads <= 3:
        return [(6.2, 1), (12.0, 1), (12.4, 1), (22.1, 1)]
    sorters = min(threads - 2, 8)
    return [
        (6.2, 1),  # read
        (1.0, 1),  # cut at line ends
        (12.0, min(threads - 3, 6)),  # parse
        (0.5, 1),  # accept in order
        (9.5, min(threads - 3, 4)),  # normalize
        (2.9, 1),  # fill runs
        (19.0, sorters),  # sort
        (3.1, 1),  # write runs
    ]


def second_half(threads):
    """Returns the stages after the input has ended, and the cost of verifying the last shard."""
    if threads == 1:
        return [(47.3, 1)], 0
    if threads <= 3:
        return [(20.6, 1), (5.6, 1), (11.7, 1), (9.4, 1)], 9.4 / 6
    return [
        (4.7, 1),  # collect records
        (10.2, min(threads - 3, 4)),  # sort them
        (5.7, 1),  # dedupe
        (5.6, 1),  # fill blocks
        (5.2, min(threads - 3, 2)),  # encode numbers
        (6.5, 1),  # encode labels, hash and write
        (9.4, 2),  # verify and sync
    ], 9.4 / 6


def simulate(stages, processors):
    """Returns the time for all items to pass the stages, in percent of a run with one thread."""
    waiting = [ITEMS] + [0] * len(stages)
    done = [[] for _ in stages]  # numbers of items that wait for earlier ones
    begun = [0] * len(stages)
    left = [0] * len(stages)
    running, free, now = [], processors, 0.0
    busy = [0] * len(stages)
    while left[-1] < ITEMS:
        for at in reversed(range(len(stages))):
            cost, servers = stages[at]
            after = waiting[at + 1] + len(done[at]) + busy[at] if at + 1 < len(stages) else 0
            while free and busy[at] < servers and waiting[at] and after < QUEUE + 2 * servers:
                waiting[at] -= 1
                busy[at] += 1
                free -= 1
                after += 1
                heapq.heappush(running, (now + cost / ITEMS, at, begun[at]))
                begun[at] += 1
        now, at, number = heapq.heappop(running)
        busy[at] -= 1
        free += 1
        heapq.heappush(done[at], number)
        while done[at] and done[at][0] == left[at]:
            heapq.heappop(done[at])
            left[at] += 1
            waiting[at + 1] += 1
    return now


def main():
    """Prints the speed-up for several numbers of threads, each with a processor."""
    print("threads  first half  second half  total  speed-up")
    for threads in (1, 2, 3, 4, 8, 16):
        first = simulate(first_half(threads), threads)
        stages, last = second_half(threads)
        second = simulate(stages, threads) + last
        print(f"{threads:7}  {first:9.1f}%  {second:10.1f}%  {first + second:4.1f}%  {100 / (first + second):7.1f}")


if __name__ == "__main__":
    main()
