#!/usr/bin/env bash
# Compares the parse stage with simdjson on the same generated rows, on one core each.
#
#   Benchmarks/parse/run.sh [--check]
#
#   ROWS=10000000      the number of rows
#   RUNS=5             the number of runs of each way; the medians count
#   CDPIPE=FILE        the program (default: .build/release/cdpipe)
#   PARSE_RATE=FILE    the tool that runs the stage alone (default: .build/release/parse-rate)
#
# Both have the bytes in memory before the clock starts, and run alternately. simdjson uses its fastest way for lines,
# iterate_many, for which the commas between the rows are removed beforehand. Also measured: one document per line, with
# which simdjson survives a broken line, and cdpipe as a whole process that reads the file and writes the raw rows.
# --check exits with 1 if the stage reaches less than half of simdjson's rate. Only the table is written to standard
# output.
#
# Needs g++ and Debian's libsimdjson-dev.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

rows=${ROWS:-10000000}
runs=${RUNS:-5}
cdpipe=${CDPIPE:-$PWD/.build/release/cdpipe}
rate=${PARSE_RATE:-$PWD/.build/release/parse-rate}
data=Benchmarks/data
input=$data/rows-$rows.json
stream=$data/rows-$rows.jsonl
peer=$data/simdjson-rate
bar=0.5

for program in "$cdpipe" "$rate"; do
  if [[ ! -x $program ]]; then
    echo "run.sh: '$program' is missing" >&2
    echo "  hint: build it with \`swift build --traits Tool -c release\`, or set CDPIPE=FILE and PARSE_RATE=FILE" >&2
    exit 127
  fi
done

mkdir -p "$data"
if [[ ! -f $input ]]; then
  echo "Making $rows rows in $input" >&2
  python3 Benchmarks/make_rows.py --rows "$rows" "$input"
fi
if [[ ! -f $stream ]]; then
  sed -e '1d;$d' -e 's/,$//' "$input" >"$stream.unfinished"
  mv "$stream.unfinished" "$stream"
fi
if [[ ! -x $peer || Benchmarks/parse/simdjson.cc -nt $peer ]]; then
  g++ -O3 -march=native -std=c++17 -Wall -Wextra -o "$peer" Benchmarks/parse/simdjson.cc -lsimdjson
fi

# Pins each program to one core.
pin=()
if command -v taskset >/dev/null; then pin=(taskset -c 0); fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Use the second of two runs in one process: the first one includes page faults.
measure() {
  local name=$1
  shift
  "${pin[@]}" "$@" 2 2>>"$work/notes" | tail -n 1 >>"$work/$name"
}

for ((run = 0; run < runs; ++run)); do
  measure stage "$rate" "$input"
  measure many "$peer" many "$stream"
  measure lines "$peer" lines "$input"
  start=$(date +%s.%N)
  "${pin[@]}" "$cdpipe" parse --format json "$input" >/dev/null
  end=$(date +%s.%N)
  printf '%s\t%s\n' "$(awk -v s="$start" -v e="$end" 'BEGIN { printf "%.6f", e - s }')" "$rows" >>"$work/process"
done

python3 - "$work" "$input" "$stream" "$rows" "$bar" "${1:-}" <<'END'
import os
import statistics
import sys

work, input_file, stream, rows, bar, check = sys.argv[1:]
input_bytes, stream_bytes = os.path.getsize(input_file), os.path.getsize(stream)
table = [
    ("stage", "cdpipe, the parse stage alone", input_bytes),
    ("many", "simdjson, iterate_many over JSON lines", stream_bytes),
    ("lines", "simdjson, one document per line", input_bytes),
    ("process", "cdpipe parse FILE > /dev/null, the whole process", input_bytes),
]
seconds = {}
for name, _, _ in table:
    with open(os.path.join(work, name)) as file:
        runs = [line.split() for line in file]
    for _, found in runs:
        if found != rows:
            sys.exit(f"run.sh: {name} found {found} rows of {rows}")
    seconds[name] = statistics.median(float(taken) for taken, _ in runs)
print("| what | seconds | GB/s | rows/s | of simdjson's rate |")
print("|---|---:|---:|---:|---:|")
for name, title, size in table:
    taken = seconds[name]
    # Compare rows, not bytes: simdjson's lines are one byte shorter.
    ratio = seconds["many"] / taken
    print(f"| {title} | {taken:.3f} | {size / taken / 1e9:.2f} | {int(rows) / taken / 1e6:.1f} M | {ratio:.2f} |")
if check == "--check" and seconds["many"] / seconds["stage"] < float(bar):
    sys.exit(f"run.sh: the parse stage reaches less than {bar} of simdjson's rate")
END
