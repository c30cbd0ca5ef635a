#!/usr/bin/env bash
# Runs the commands in the documents and compares their output with what the documents show.
#
#   scripts/check_readme.sh [--update] [DOCUMENT...]
#
# Without arguments, checks the README and every page below docs/ that has a ```sh block.
#
# All ```sh blocks of a document run in order, in one shell (`bash -euo pipefail`), in a new folder with copies of samples/
# and pipelines/. Lines that start with `make` are skipped. A ```text block that directly follows is the expected output,
# including standard error; if its last line is `…`, the rest may differ, and so may seconds (`in 0.0 s`).
#
# --update rewrites the ```text blocks whose output differs, and keeps a last line `…`.
#
# CDPIPE names the program (default: .build/release/cdpipe). Exits 1 and prints the command that failed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

update=
if [[ ${1:-} == --update ]]; then
  update=1
  shift
fi
documents=("$@")
if ((!${#documents[@]})); then
  while IFS= read -r document; do
    documents+=("$document")
  done < <(cd "$root" && { echo README.md; find docs -name '*.md' | LC_ALL=C sort; } | xargs grep -l '^```sh$')
fi

CDPIPE=$(realpath "${CDPIPE:-$root/.build/release/cdpipe}")
export CDPIPE
[[ -x $CDPIPE ]] || {
  echo "check_readme.sh: '$CDPIPE' is missing or not executable" >&2
  echo "  hint: build it with \`make build\`, or name another program with CDPIPE=FILE" >&2
  exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/tmp"
ln -s "$CDPIPE" "$work/bin/cdpipe"

# Extracts a document's blocks to a folder: LINE.sh for each block of commands, LINE.text for its expected output. The
# commands keep their line numbers, so that a message can name the document's line.
extract_blocks() {
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

# Replaces the expected output of the block of commands at a line of a document by the lines of a file.
replace_output() {
  local document=$1 line=$2 output=$3 fresh="$work/fresh.md"
  awk -v start="$line" -v output="$output" '
    NR > start && !done && $0 == "```text" {
      print
      while ((getline text < output) > 0) print text
      done = replacing = 1
      next
    }
    replacing && $0 == "```" { replacing = 0 }
    !replacing
  ' "$document" >"$fresh"
  cat "$fresh" >"$document"
}

# Output in a form that can be compared: without carriage returns and measured seconds.
comparable() { sed -E 's/\r$//; s/\bin [0-9]+\.[0-9] s$/in … s/' "$1"; }

check() {
  local document=$1 blocks="$work/$2.blocks" folder="$work/$2"
  mkdir "$blocks" "$folder"
  cp -r "$root/samples" "$root/pipelines" "$folder"
  extract_blocks "$root/$document" "$blocks"
  local scripts=("$blocks"/*.sh)
  [[ -e ${scripts[0]} ]] || {
    echo "check_readme.sh: $document has no \`\`\`sh block" >&2
    return 1
  }

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

  # From the end, so that --update does not move the lines of earlier blocks.
  local expected failures=0 line
  while read -r expected; do
    line=$((10#$(basename "$expected" .text)))
    local printed="${expected%.text}.out"
    if [[ $(tail -n 1 "$expected") == … ]]; then
      local lines
      lines=$(($(wc -l <"$expected") - 1))
      { head -n "$lines" "$printed" && echo …; } >"$printed.cut"
      printed="$printed.cut"
    fi
    comparable "$expected" >"$expected.want"
    comparable "$printed" >"$expected.got"
    cmp -s "$expected.want" "$expected.got" && continue
    if [[ $update ]]; then
      replace_output "$root/$document" "$line" "$printed"
      echo "$document:$line: updated"
    else
      diff -u --label "$document shows" --label "cdpipe prints" "$expected.want" "$expected.got" >&2 || true
      echo "$document:$line: the output differs from the document" >&2
      failures=1
    fi
  done < <(find "$blocks" -name '*.text' | LC_ALL=C sort -r)
  return "$failures"
}

status=0
number=0
for document in "${documents[@]}"; do
  number=$((number + 1))
  check "$document" "$number" || status=1
done
leftover=$(ls -A "$work/tmp")
[[ -z $leftover ]] || {
  echo "check_readme.sh: left in TMPDIR: $leftover" >&2
  status=1
}
((status)) || echo "passed: ${#documents[@]} documents"
exit "$status"
