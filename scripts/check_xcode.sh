#!/usr/bin/env bash
# Builds what Xcode builds, on a Mac: the libraries for iOS, and a project of every kind that `cdpipe scaffold` writes.
#
#   scripts/check_xcode.sh
#
# CDPIPE names the program (default: .build/release/cdpipe). The projects stay in .build/xcode.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
CDPIPE=${CDPIPE:-.build/release/cdpipe}
work=.build/xcode

if ! command -v xcodebuild >/dev/null; then
  echo "check_xcode.sh: xcodebuild is missing: this needs a Mac with Xcode 26.4 or newer" >&2
  exit 1
fi

# build NAME ACTION OPTION...
build() {
  local name=$1 action=$2
  shift 2
  echo "$name"
  xcodebuild -quiet -destination generic/platform=iOS -derivedDataPath "$work/derived" "$@" CODE_SIGNING_ALLOWED=NO "$action"
}

for product in NumberPlan CallStoreReader CallDeltaReader CallManifest CallDirectory CallDirectoryKit MessageRules; do
  build "$product" build -scheme "$product"
done

list=(--list-url https://lists.example.com/lists)
filter=(--rules-url https://rules.example.com/rules.cdrules --filter-url https://filter.example.com/message-filter)
lookup=(--server-url https://lookup.example.com)
# Each kind has a paragraph of its own in the help.
for kind in $("$CDPIPE" scaffold --help | sed -n 's/^--kind \([a-z-]*\):.*/\1/p'); do
  options=(--kind "$kind" --name Sample --bundle-id com.example.sample --force)
  case $kind in
    caller-id) options+=("${list[@]}" --own-list) ;;
    message-filter) options+=("${filter[@]}") ;;
    live-lookup) options+=("${lookup[@]}") ;;
    all) options+=("${list[@]}" "${filter[@]}" "${lookup[@]}") ;;
    *) ;;
  esac
  # The package is this checkout.
  [[ $kind == live-lookup ]] || options+=(--package ../../..)
  "$CDPIPE" scaffold "${options[@]}" -o "$work/$kind"
  build "$kind" build-for-testing -project "$work/$kind/Sample.xcodeproj" -scheme Sample
done
