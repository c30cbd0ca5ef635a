#!/usr/bin/env bash
# Runs what the documents tell a reader to type, so that no document tells what isn't true.
#
#   scripts/check_readme.sh [DOCUMENT...]
#
# Every ```sh block of a document is run, in order, in one shell (`bash -euo pipefail`), in a fresh folder with copies of
# samples/ and pipelines/. `make …` lines are left out. A ```text block right behind it is what the block must print,
# standard error included; a last line `…` stands for the rest, and seconds (`in 0.0 s`) may differ.
#
# CDPIPE names the program (.build/release/cdpipe unless told otherwise). Exits 1 with the command that failed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

documents=("$@")
((${#documents[@]})) || documents=(
  README.md docs/guide.md docs/commands/download.md docs/commands/numbers.md docs/commands/parse.md docs/commands/other-formats.md docs/commands/unzip.md
  docs/commands/dedupe.md docs/formats/text-form.md docs/commands/pipeline-files.md docs/operations/nightly.md docs/commands/message-rules.md docs/commands/sets.md docs/ios/shards-and-updates.md
  docs/ios/call-directory.md docs/ios/sample-apps.md
  docs/operations/reports.md docs/commands/bench.md
)

CDPIPE=$(realpath "${CDPIPE:-$root/.build/release/cdpipe}")
export CDPIPE
[[ -x $CDPIPE ]] || {
  echo "check_readme.sh: there is no '$CDPIPE'" >&2
  echo "  hint: \`make build\` makes it, or CDPIPE=FILE names another" >&2
  exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/tmp"
ln -s "$CDPIPE" "$work/bin/cdpipe"

# Takes a document apart: FOLDER/LINE.sh for each block, LINE.text for what it must print. The commands keep their
# line numbers, so that a message can name the document's line.
take_apart() {
  awk -v folder="$2" '
    /^```/ && inside == "" {
      name = ""
      if ($0 == "```sh") {
        last = NR
        name = sprintf("%s/%05d.sh", folder, NR)
        for (line = 0; line < NR; line++) print "" > name
      } else if ($0 == "```text" && last) {
        name = sprintf("%s/%05d.text", folder, last)
        printf "" > name
      }
      if ($0 != "```sh") last = 0
      inside = $0
      next
    }
    /^```/ { if (name) close(name); inside = ""; next }
    inside != "" {
      if (!name) next
      if (inside == "```sh" && /^ *make( |$)/) print "" > name
      else print > name
      next
    }
    NF { last = 0 }
  ' "$1"
}

# What was printed, as far as it must be what the document says.
comparable() { sed -E 's/\r$//; s/\bin [0-9]+\.[0-9] s$/in … s/' "$1"; }

check() {
  local document=$1 blocks="$work/$2.blocks" folder="$work/$2"
  mkdir "$blocks" "$folder"
  cp -r "$root/samples" "$root/pipelines" "$folder"
  take_apart "$root/$document" "$blocks"
  local scripts=("$blocks"/*.sh)
  [[ -e ${scripts[0]} ]] || { echo "check_readme.sh: $document has no \`\`\`sh block" >&2; return 1; }

  {
    echo "trap 'echo \"$document:\$LINENO: \$BASH_COMMAND: status \$?\" >&9' ERR"
    local script
    for script in "${scripts[@]}"; do
      printf 'echo %q >&8; . %q >%q 2>&1 </dev/null\n' "$script" "$script" "${script%.sh}.out"
    done
  } >"$blocks/all"

  if ! (
    cd "$folder"
    env PATH="$work/bin:$PATH" TMPDIR="$work/tmp" LC_ALL=C.UTF-8 \
      bash -E -euo pipefail "$blocks/all" 8>"$blocks/at" 9>"$blocks/failed"
  ); then
    script=$(tail -n 1 "$blocks/at")
    local line
    line=$(basename "$script" .sh)
    head -n 1 "$blocks/failed" | grep . >&2 || echo "$document:$((10#$line)): the block failed" >&2
    sed 's/^/  /' "${script%.sh}.out" >&2
    return 1
  fi

  local expected failures=0
  for expected in "$blocks"/*.text; do
    [[ -e $expected ]] || continue
    comparable "$expected" >"$expected.want"
    comparable "${expected%.text}.out" >"$expected.got"
    if [[ $(tail -n 1 "$expected") == … ]]; then
      local lines
      lines=$(($(wc -l <"$expected") - 1))
      sed -i '$d' "$expected.want"
      sed -i "$((lines + 1)),\$d" "$expected.got"
    fi
    diff -u --label "$document says" --label "cdpipe prints" "$expected.want" "$expected.got" >&2 || {
      local line
      line=$(basename "$expected" .text)
      echo "$document:$((10#$line)): prints something else than the document says" >&2
      failures=1
    }
  done
  return "$failures"
}

status=0
number=0
for document in "${documents[@]}"; do
  number=$((number + 1))
  check "$document" "$number" || status=1
done
leftover=$(ls -A "$work/tmp")
[[ -z $leftover ]] || { echo "check_readme.sh: left in TMPDIR: $leftover" >&2; status=1; }
exit "$status"
