#!/usr/bin/env bash
# Runs the main job on the samples, step by step. Called by `make demo`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export CDPIPE=${CDPIPE:-$PWD/.build/release/cdpipe}
store=out/caller-id.cdstore
# The number of the first row of the sample: 0755-12345678.
number=8675512345678
lines_shown=5

say() { printf '\n# %s\n' "$*"; }
# Prints a command and runs it. The printed line counts towards the limit of `head`.
try() {
  printf '$ cdpipe %s\n' "$*"
  "$CDPIPE" "$@"
}

mkdir -p out

say "Download: a zip of made-up labelled numbers, from a URL."
try download "file://$PWD/samples/marked.zip" -o out/marked.zip

say "Unzip: the contents."
try unzip out/marked.zip | head -n "$((lines_shown + 1))"

say "Run: unzip, parse, normalize, sort, dedupe and emit in one process."
try run pipelines/caller-id.yaml --set path=out/marked.zip

say "Info: a summary of the store that a phone would load."
try info "$store"

say "Cat: its first records, in the text form."
try cat "$store" | head -n "$((lines_shown + 1))"

say "Lookup: who is calling?"
try lookup "$store" "$number"

say "The same as a shell pipeline, pipelines/caller-id.sh: the same bytes."
pipelines/caller-id.sh out/marked.zip out/caller-id-shell.cdstore
cmp "$store" out/caller-id-shell.cdstore
echo "$store and out/caller-id-shell.cdstore are equal"
