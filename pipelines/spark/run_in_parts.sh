#!/usr/bin/env bash
# Makes one list of many sources with processes that exchange files. Any engine can distribute the same steps, such as Slurm,
# Dask, Ray or make. The list has the records of one pipe through all sources, byte for byte.
#
#   run_in_parts.sh [-p PARTS] [-j JOBS] [-c] SOURCES OUTPUT [OPTION…]
#
#   SOURCES   has a line for each source: a pipe as for 'cdpipe run --pipe' that ends with records, such as
#             unzip one.zip | parse | normalize --region CN
#             Of equal records in several sources, the first source has the first one.
#   OUTPUT    is a new directory: part-0001.tsv and so on are the list, one after another; source-00001.rejects and so on
#             are the rejects of each line
#   OPTION…   are options of 'cdpipe dedupe'
#   -p PARTS  the number of parts in which records are merged and deduplicated (default: JOBS)
#   -j JOBS   the number of processes at a time (default: one per processor)
#   -c        also write the conflicts of each part: part-0001.conflicts and so on
#
# CDPIPE names the program (default: cdpipe). Needs bash 3.2 or later, which Macs have.
set -euo pipefail

usage() {
  sed -n '5,16s/^# \{0,1\}//p' "$0" >&2
  exit 64
}

jobs=$(nproc 2>/dev/null || sysctl -n hw.ncpu) parts='' conflicts=''
while getopts p:j:c option; do
  case $option in
    p) parts=$OPTARG ;;
    j) jobs=$OPTARG ;;
    c) conflicts=yes ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
(($# >= 2)) || usage
sources=$1 output=${2%/}
shift 2
parts=${parts:-$jobs}
for option; do
  case $option in
    --limit* | --coalesce*)
      echo "run_in_parts.sh: ${option%%=*} needs all records: apply it to the joined parts" >&2
      exit 64
      ;;
    --conflicts | --conflicts=*)
      echo "run_in_parts.sh: use -c for the conflicts of each part" >&2
      exit 64
      ;;
  esac
done
if [[ -e $output ]]; then
  echo "run_in_parts.sh: '$output' exists" >&2
  exit 73
fi
work=$(mktemp -d "$(dirname -- "$output")/.cdpipe-parts.XXXXXX")
trap 'rm -rf "$work"' EXIT
export work conflicts cdpipe=${CDPIPE:-cdpipe}
mkdir "$work/list"
printf '%s\n' --quiet "$@" >"$work/options"

# Keeps the status of the first process that fails. xargs starts no others after status 255.
failed() {
  echo "$1" >"$work/status"
  exit 255
}

# Reads a source to a sorted run, with a sample of it.
read_source() {
  local run=$work/run-$1
  "$cdpipe" run --quiet --threads 1 --rejects "$work/list/source-$1.rejects" --pipe "$(<"$work/source-$1") | sort" \
    >"$run" || failed $?
  "$cdpipe" sample "$run" --output "$run.sample" || failed $?
}

# Divides a run at the cuts.
split_run() {
  "$cdpipe" split --quiet --at "$work/cuts" --output "$work/parts-$1" "$work/run-$1" || failed $?
  rm "$work/run-$1"
}

# Merges and deduplicates a part of all runs.
dedupe_part() {
  local option options=() name=part-$1
  while IFS= read -r option; do options+=("$option"); done <"$work/options"
  if [[ $conflicts ]]; then options+=(--conflicts "$work/list/$name.conflicts"); fi
  "$cdpipe" sort --merge "$work"/parts-*/"$name.tsv" \
    | "$cdpipe" dedupe "${options[@]}" --output "$work/list/$name.tsv" || failed $?
  rm "$work"/parts-*/"$name.tsv"
}
export -f failed read_source split_run dedupe_part

# Calls a function for each argument, several at a time.
each() {
  local function=$1
  shift
  printf '%s\n' "$@" | xargs -P "$jobs" -I{} bash -o pipefail -c "$function {}" \
    || exit "$(cat "$work/status" 2>/dev/null || echo 74)"
}

names=()
while IFS= read -r line || [[ $line ]]; do
  if [[ $line =~ ^[[:space:]]*(#|$) ]]; then continue; fi
  name=$(printf '%05d' $((${#names[@]} + 1)))
  names+=("$name")
  printf '%s\n' "$line" >"$work/source-$name"
done <"$sources"
if ((${#names[@]} == 0)); then
  echo "run_in_parts.sh: '$sources' has no sources" >&2
  exit 65
fi

each read_source "${names[@]}"
"$cdpipe" split --plan --parts "$parts" "$work"/run-*.sample >"$work/cuts"
each split_run "${names[@]}"
numbers=()
while read -r number; do numbers+=("$number"); done < <(seq -f '%04.0f' 1 "$(($(wc -l <"$work/cuts") + 1))")
each dedupe_part "${numbers[@]}"
mv "$work/list" "$output"
