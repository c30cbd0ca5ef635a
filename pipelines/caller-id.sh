#!/usr/bin/env bash
# From a zip of labelled numbers to a store that a phone can load, as a shell pipeline.
# caller-id.yaml does the same in one process.
#
#   pipelines/caller-id.sh [INPUT [OUTPUT]]
#
# INPUT is a URL or a file (default: samples/marked.zip), OUTPUT a store (default: out/caller-id.cdstore).
# CDPIPE names the program (default: `cdpipe` on the PATH, else the one that `make build` builds).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
input=${1:-$here/samples/marked.zip}
output=${2:-$here/out/caller-id.cdstore}

if [[ -z ${CDPIPE:-} ]]; then
  CDPIPE=$(command -v cdpipe || true)
  CDPIPE=${CDPIPE:-$here/.build/release/cdpipe}
fi
command -v "$CDPIPE" >/dev/null || {
  echo "caller-id.sh: '$CDPIPE' is missing" >&2
  echo "  hint: build it with \`make build\`, or name another program with CDPIPE=FILE" >&2
  exit 127
}

# Converts a file name to a URL: an absolute path, with the special characters of URLs escaped.
if [[ $input != *://* ]]; then
  [[ $input == /* ]] || input=$PWD/$input
  input=${input//%/%25}
  input=${input// /%20}
  input=${input//\#/%23}
  input=${input//\?/%3F}
  input=file://$input
fi

# In a shell pipe, the last command does not notice that an earlier one failed. So the store is renamed into place only
# after all of them have succeeded.
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
