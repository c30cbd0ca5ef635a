#!/usr/bin/env bash
# Publishes the list as a new version in public/, or rolls back to an earlier one.
#
# Environment variables, all optional:
#
#   FIRST         'true' permits the first version, which has no history
#   ROLLBACK      'previous', or the start of the ID of the version to make current
#   SIGNING_KEY   the private key that versions are signed with, as 'cdpipe keys generate' writes it
set -euo pipefail
report=$(dirname "${BASH_SOURCE[0]}")/report.sh

fail() {
  "$report" printf 'publish.sh: %s\n  hint: %s\n' "$1" "$2"
  exit 1
}

if [[ ! -d public && ${FIRST:-} != true ]]; then
  fail "the branch 'published' is missing: nothing was published yet, or the branch was deleted" \
    "restore the branch; if this is the first version, run the workflow with 'first'"
fi

run=(cdpipe run nightly.yaml)
rollback=(cdpipe rollback public)
if [[ -n ${SIGNING_KEY:-} ]]; then
  # Only its owner can read a file that mktemp makes.
  key=$(mktemp)
  trap 'rm -f "$key"' EXIT
  printf '%s\n' "$SIGNING_KEY" >"$key"
  run+=(--set "publish.sign=$key")
  rollback+=(--sign "$key")
elif [[ -e public/manifest.json.sig ]]; then
  fail "the published list is signed, but the secret SIGNING_KEY is missing" \
    "set the secret to the private key of the list"
fi

case ${ROLLBACK:-} in
  "") "$report" "${run[@]}" ;;
  previous) "$report" "${rollback[@]}" ;;
  *) "$report" "${rollback[@]}" "$ROLLBACK" ;;
esac
