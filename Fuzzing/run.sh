#!/usr/bin/env bash
# Fuzzes one part of cdpipe with libFuzzer and AddressSanitizer.
#
#   Fuzzing/run.sh TARGET [RUNS]
#
#   TARGET   NumberPlan, JSON, YAML, CSV, PropertyList, BinaryPropertyList, PhoneBook, VCard, Workbook, DataSlice, Unzip,
#            PackedForm, Store: a folder Sources/FuzzTARGET
#   RUNS     the number of inputs (default: 10000000); 0: until it is interrupted
#
#   JOBS=1             the number of processes, each with RUNS / JOBS inputs and its own seed
#   SEED=1             libFuzzer's random seed
#   SANITIZER=address  or none, which is several times faster; Swift's own checks still trap
#   SCRATCH=FOLDER     the build folder (default: .build)
#   LIBFUZZER="…"      further options for libFuzzer, such as -max_len=2000
#
# Starts from the seeds in Seeds/TARGET, and saves inputs that reach new code in Corpus/TARGET for the next run. Inputs
# that crash are saved in Crashes; to run one again: SCRATCH/SANITIZER/release/FuzzTARGET FILE. Exits with 0 if nothing
# crashed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

if (($# < 1 || $# > 2)); then
  sed -n '3,7s/^# \{0,1\}//p' run.sh >&2
  exit 64
fi
target=$1 runs=${2:-10000000}
jobs=${JOBS:-1} seed=${SEED:-1} sanitizer=${SANITIZER:-address}
scratch=${SCRATCH:-$PWD/.build}/$sanitizer
flags=()
[[ $sanitizer == none ]] || flags=(--sanitize "$sanitizer")
if [[ ! -f Sources/Fuzz$target/main.swift ]]; then
  echo "run.sh: unknown target '$target'" >&2
  names=(Sources/Fuzz*/main.swift)
  names=("${names[@]#Sources/Fuzz}")
  echo "  hint: one of ${names[*]%/main.swift}" >&2
  exit 64
fi

# libFuzzer comes with the toolchain; -sanitize=fuzzer would link the variant with a main function.
toolchain=$(dirname "$(dirname "$(realpath "$(command -v swiftc)")")")
runtimes=("$toolchain"/lib/clang/*/lib/linux/libclang_rt.fuzzer_no_main-"$(uname -m)".a)
export FUZZER_RUNTIME=${runtimes[0]}
if [[ ! -f $FUZZER_RUNTIME ]]; then
  echo "run.sh: this Swift toolchain has no libFuzzer (libclang_rt.fuzzer_no_main) under '$toolchain'" >&2
  exit 69
fi

echo "Building Fuzz$target" >&2
swift build -c release "${flags[@]}" --product "Fuzz$target" --scratch-path "$scratch" >&2

mkdir -p "Corpus/$target" Crashes "Seeds/$target"
# Swift does not free live objects when the program ends, so leak detection is off. The quarantine of freed memory is 4
# MiB, more than one input needs; with the default of 256 MiB, parsers with their large buffers are twice as slow.
export ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=4:${ASAN_OPTIONS:-}
# libFuzzer reports crashes; Swift's own backtrace would read memory that AddressSanitizer forbids.
export SWIFT_BACKTRACE=enable=no
# Each input creates a new parser: its buffers stay in the process instead of going back to the system.
export MALLOC_TRIM_THRESHOLD_=1000000000 MALLOC_MMAP_THRESHOLD_=1000000000 MALLOC_TOP_PAD_=67108864
# 500 bytes: JSON's fast path needs 320 in a window, plus space for the bytes that break rows.
read -ra more <<<"${LIBFUZZER:-}"
started=$SECONDS
workers=()
for ((job = 0; job < jobs; job++)); do
  "$scratch/release/Fuzz$target" -runs=$((runs > 0 ? runs / jobs : -1)) -seed=$((seed + job)) -max_len=500 -timeout=10 \
    -rss_limit_mb=1024 -print_final_stats=1 -artifact_prefix="Crashes/$target-" "${more[@]}" \
    "Corpus/$target" "Seeds/$target" >"Crashes/$target-$job.log" 2>&1 &
  workers+=($!)
done
status=0
for ((job = 0; job < jobs; job++)); do
  wait "${workers[job]}" || status=1
  log=Crashes/$target-$job.log
  executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  speed=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")
  reached=$(sed -nE 's/.* (cov: [0-9]+ ft: [0-9]+ corp: [0-9]+).*/\1/p' "$log" | tail -n 1)
  echo "$target, job $job: ${executed:-?} inputs, ${speed:-?} a second, $reached"
  grep -E '^(==[0-9]+==ERROR|SUMMARY|Test unit written|Fatal error|.*: Fatal error)' "$log" || true
done
if ((status)); then
  echo "$target crashed: see Crashes/" >&2
  exit 1
fi
echo "$target: no crash in $((SECONDS - started)) s, seeds $seed to $((seed + jobs - 1))"
