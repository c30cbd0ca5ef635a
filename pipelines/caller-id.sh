#!/usr/bin/env bash
# From a zip of labelled numbers to a store that a phone can load, as a shell pipeline.
# caller-id.yaml beside it does the same in one process.
#
#   pipelines/caller-id.sh [INPUT [OUTPUT]]
#
# INPUT is a URL or a file (samples/marked.zip unless told otherwise), OUTPUT a store (out/caller-id.cdstore).
# CDPIPE names the program: `cdpipe` on the PATH unless told otherwise, else the one that `make build` made.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
input=${1:-$here/samples/marked.zip}
output=${2:-$here/out/caller-id.cdstore}

if [[ -z ${CDPIPE:-} ]]; then
  CDPIPE=$(command -v cdpipe || true)
  CDPIPE=${CDPIPE:-$here/.build/release/cdpipe}
fi
command -v "$CDPIPE" >/dev/null || {
  echo "caller-id.sh: there is no '$CDPIPE'" >&2
  echo "  hint: \`make build\` makes it, or CDPIPE=FILE names another" >&2
  exit 127
}

# A file becomes a URL: an absolute path, with the characters escaped that mean something in a URL.
if [[ $input != *://* ]]; then
  [[ $input == /* ]] || input=$PWD/$input
  input=${input//%/%25}
  input=${input// /%20}
  input=${input//\#/%23}
  input=${input//\?/%3F}
  input=file://$input
fi

# A shell pipe can't tell its last command that an earlier one failed. So the store gets its name only after
# all of them have succeeded.
folder=$(dirname "$output")
mkdir -p "$folder"
fresh=$(mktemp -d "$folder/.caller-id.XXXXXX")
trap 'rm -rf "$fresh"' EXIT

"$CDPIPE" download "$input" \
  | "$CDPIPE" unzip \
  | "$CDPIPE" parse --format json \
  | "$CDPIPE" normalize --region CN \
  | "$CDPIPE" sort \
  | "$CDPIPE" dedupe --keep first \
  | "$CDPIPE" emit --format store -o "$fresh/store.cdstore"
mv "$fresh/store.cdstore" "$output"
