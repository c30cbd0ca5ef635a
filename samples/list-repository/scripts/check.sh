#!/usr/bin/env bash
# Checks the list of a pull request: publishes it in a copy of the published folder, and reports what would change.
set -euo pipefail
report=$(dirname "${BASH_SOURCE[0]}")/report.sh

"$report" cdpipe run --check nightly.yaml
rm -rf preview conflicts.tsv
if [[ -d public ]]; then
  cp -a public preview
  # A pull request has no key to renew the signature with.
  find preview -name manifest.json.sig -delete
fi
"$report" cdpipe run nightly.yaml --set publish.directory=preview --set publish.allow-unsigned=true

if [[ -s conflicts.tsv ]]; then
  "$report" cut -f 1-3 conflicts.tsv
  "$report" echo "Each of these numbers occurs twice in numbers.csv: remove one of its rows."
  exit 1
fi
if [[ -d public ]]; then
  # diff ends with 1 if there are changes.
  "$report" cdpipe diff --summary public preview || (($? == 1))
fi
