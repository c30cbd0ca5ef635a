#!/usr/bin/env bash
# Runs a pipeline file in several processes that exchange files: the steps that any engine can distribute, such as Slurm,
# Dask, Ray or make. The result is that of 'cdpipe run', byte for byte.
#
#   run_in_parts.sh [-p PARTS] [-j JOBS] [-d DIR] [-r REJECTS] [-s KEY=VALUE]… PIPELINE.yaml [OPTION…]
#
#   -p PARTS     the number of parts in which records are merged and deduplicated (default: JOBS)
#   -j JOBS      the number of processes at a time (default: one per processor)
#   -d DIR       the directory for runs and parts, with space for three times the records (default: $TMPDIR or /var/tmp)
#   -r REJECTS   write all rejects to REJECTS
#   -s KEY=VALUE replaces a value of the pipeline file
#   OPTION…      options for the last 'cdpipe run', such as --report FILE.json
#
# CDPIPE names the program (default: cdpipe). Needs bash, jq and GNU coreutils.
set -euo pipefail

usage() {
  sed -n '5,13s/^# \{0,1\}//p' "$0" >&2
  exit 64
}

jobs=$(nproc) parts='' parent=${TMPDIR:-/var/tmp} rejects='' settings=()
while getopts p:j:d:r:s: option; do
  case $option in
    p) parts=$OPTARG ;;
    j) jobs=$OPTARG ;;
    d) parent=$OPTARG ;;
    r) rejects=$OPTARG ;;
    s) settings+=(--set "$OPTARG") ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
(($# >= 1)) || usage
export pipeline=$1 cdpipe=${CDPIPE:-cdpipe}
shift
parts=${parts:-$jobs}
for option; do
  if [[ $option == --set* ]]; then
    echo "run_in_parts.sh: --set would change the last step only" >&2
    echo "  hint: use -s KEY=VALUE before the pipeline file" >&2
    exit 64
  fi
done

work=$(mktemp -d "$parent/cdpipe-parts.XXXXXX")
export work
trap 'rm -rf "$work"' EXIT

# Keeps the status of the first process that fails. xargs starts no others after status 255.
failed() {
  echo "$1" >"$work/status"
  exit 255
}

# Runs a part of the pipeline.
run_part() {
  local settings
  mapfile -t settings <"$work/settings"
  "$cdpipe" run "$pipeline" "${settings[@]}" "$@"
}

# Reads the sources of a group to a sorted run, with a sample of it.
read_group() {
  local run=$work/run-$1 only=()
  while IFS= read -r name; do only+=(--only-source "$name"); done <"$work/group-$1"
  run_part "${only[@]}" --until sort --quiet --threads 1 --output "$run" --report "$run.json" \
    --rejects "$run.rejects" || failed $?
  "$cdpipe" sample "$run" --output "$run.sample" || failed $?
}

# Prints where the parts are in a run.
locate_parts() {
  local run=$work/run-$1
  "$cdpipe" split --at "$work/cuts" --offsets --sample "$run.sample" "$run" >"$run.offsets" || failed $?
}

# Merges and deduplicates the slices of a part.
dedupe_part() {
  local slices=() run part offset count _
  for run in "$work"/run-*.offsets; do
    while read -r part offset count _; do
      if ((part != 10#$1 || count == 0)); then continue; fi
      slices+=("${run%.offsets}.slice-$1")
      dd if="${run%.offsets}" of="${slices[-1]}" bs=1M iflag=skip_bytes,count_bytes skip="$offset" count="$count" \
        status=none || failed 74
    done <"$run"
  done
  ((${#slices[@]})) || slices=(/dev/null)
  run_part --from-runs "${slices[@]}" --until dedupe --quiet --threads 1 --output "$work/part-$1" \
    --report "$work/part-$1.json" || failed $?
  rm -f "$work"/run-*.slice-"$1"
}
export -f failed run_part read_group locate_parts dedupe_part

# Calls a function for each argument, several at a time.
each() {
  local function=$1
  shift
  printf '%s\n' "$@" | xargs -P "$jobs" -I{} bash -c "$function {}" || exit "$(cat "$work/status" 2>/dev/null || echo 74)"
}

# Sources are grouped in their order, so that many small ones do not need a process each.
printf '%s' "${settings[@]/%/$'\n'}" >"$work/settings"
run_part --check --json >"$work/check.json"
mapfile -t names < <(jq -r '.sources[].name' "$work/check.json")
groups=$((${#names[@]} < 4 * jobs ? ${#names[@]} : 4 * jobs))
for ((index = 0; index < ${#names[@]}; index++)); do
  printf '%s\n' "${names[index]}" >>"$(printf '%s/group-%05d' "$work" $((index * groups / ${#names[@]})))"
done
mapfile -t groups < <(cd "$work" && printf '%s\n' group-* | sed 's/group-//')

each read_group "${groups[@]}"
"$cdpipe" split --plan --parts "$parts" "$work"/run-*.sample >"$work/cuts"
each locate_parts "${groups[@]}"
mapfile -t places < <(seq -f '%05.0f' 1 "$(($(wc -l <"$work/cuts") + 1))")
each dedupe_part "${places[@]}"

"$cdpipe" report merge "$work"/run-*.json "$work"/part-*.json --output "$work/accounts.json"
if [[ -n $rejects ]]; then cat "$work"/run-*.rejects >"$rejects"; fi
run_part --from-parts "${places[@]/#/$work/part-}" --accounts "$work/accounts.json" "$@"
