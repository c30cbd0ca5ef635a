#!/usr/bin/env bash
# The main job on the samples, step by step. `make demo` calls it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export CDPIPE=${CDPIPE:-$PWD/.build/release/cdpipe}
store=out/caller-id.cdstore
# The number of the sample's first row, which says 0755-12345678.
number=8675512345678
lines_shown=5

say() { printf '\n# %s\n' "$*"; }
# Shows a command as it would be typed, and runs it. The line that shows it counts where lines are cut off.
try() {
  printf '$ cdpipe %s\n' "$*"
  "$CDPIPE" "$@"
}

mkdir -p out

say "Download: a zip of made-up labelled numbers, from a URL."
try download "file://$PWD/samples/marked.zip" -o out/marked.zip

say "Unzip: what it holds."
try unzip out/marked.zip | head -n "$((lines_shown + 1))"

say "Run: unzip, parse, normalize, sort, dedupe and emit in one process."
try run pipelines/caller-id.yaml --set path=out/marked.zip

say "Info: what is in the store that a phone would load."
try info "$store"

say "Cat: its first records, in the text form."
try cat "$store" | head -n "$((lines_shown + 1))"

say "Lookup: who calls?"
try lookup "$store" "$number"

say "The same as a shell pipeline, pipelines/caller-id.sh, from the downloaded zip: the same bytes."
pipelines/caller-id.sh out/marked.zip out/caller-id-shell.cdstore
cmp "$store" out/caller-id-shell.cdstore
echo "$store and out/caller-id-shell.cdstore are equal"
