#!/usr/bin/env bash
# Makes a static site with the documentation of the products for apps, from their DocC catalogues and comments.
#
#   scripts/make_docs.sh [--base-path PATH] [FOLDER]
#
# FOLDER (default: .build/docs) is replaced. Serve it under PATH (default: cdpipe), such as https://HOST/cdpipe/: the
# pages are at documentation/ and tutorials/. Needs a build with all targets (.build/debug, or the folder in BUILD). Every
# warning is an error.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

base=cdpipe
if [[ ${1:-} == --base-path ]]; then
  base=$2
  shift 2
fi
site=${1:-$root/.build/docs}
build=${BUILD:-$root/.build/debug}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# docc leaves files in the temporary directory.
export TMPDIR=$work/temporary
mkdir "$TMPDIR"
tools=$(dirname "$(realpath "$(command -v swift)")")
triple=$("$tools/swiftc" -print-target-info | sed -n 's/.*"triple": "\(.*\)",/\1/p' | head -n 1)
maps=()
for map in "$build"/*.build/module.modulemap; do maps+=(-Xcc "-fmodule-map-file=$map"); done

archives=()
for catalogue in "$root"/Sources/*/*/*.docc; do
  module=$(basename "$catalogue" .docc)
  # The types of the format have no catalogue of their own. They are a part of the reader, which exports them.
  exported=
  [[ $module == CallStoreReader ]] && exported=CallStoreFormat
  mkdir "$work/$module"
  "$tools/swift-symbolgraph-extract" -module-name "$module" -target "$triple" -I "$build/Modules" "${maps[@]}" \
    -minimum-access-level public -skip-synthesized-members \
    -experimental-allowed-reexported-modules="$exported" -output-dir "$work/$module"
  "$tools/docc" convert "$catalogue" --additional-symbol-graph-dir "$work/$module" \
    --fallback-display-name "$module" --fallback-bundle-identifier "cdpipe.$module" --warnings-as-errors \
    --transform-for-static-hosting --hosting-base-path "$base" --output-path "$work/$module.doccarchive" >/dev/null
  archives+=("$work/$module.doccarchive")
done

"$tools/docc" merge "${archives[@]}" --synthesized-landing-page-name cdpipe --output-path "$work/site"
rm -rf "$site"
mkdir -p "$(dirname "$site")"
mv "$work/site" "$site"
echo "$site"
echo "passed: $(find "$site/documentation" "$site/tutorials" -name index.html | wc -l) pages"
