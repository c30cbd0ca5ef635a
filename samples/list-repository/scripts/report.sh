#!/usr/bin/env bash
# Runs a command, and appends what it prints to the summary of the job, which a pull request links to.
set -euo pipefail

output=$(mktemp)
trap 'rm -f "$output"' EXIT
status=0
"$@" >"$output" 2>&1 || status=$?
cat "$output"
if [[ -s $output ]]; then
  { echo '```text'; cat "$output"; echo '```'; } >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
fi
exit "$status"
