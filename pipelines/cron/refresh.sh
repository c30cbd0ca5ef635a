#!/bin/bash
# Runs a pipeline file for cron or systemd, and reports a failure by mail or in the system log (report_failure.sh, beside
# this script).
#
#   refresh.sh PIPELINE.yaml [OPTION...]      options are passed to `cdpipe run`
#
# Optional environment variables; no others are used:
#
#   CDPIPE          the program (default: on the PATH, in /usr/local/bin, or in .build/release of the checkout)
#   REFRESH_INDEX   a published folder: its page of runs and versions, index.html in it, is written after each run
#   REFRESH_MAIL    an address that gets the output of a failed run (default: the system log gets it)
#   REFRESH_REPORT  `no` if somebody else reports failures, as cdpipe-refresh.service does by OnFailure
#
# Ends with the status of `cdpipe run`. 75 (another run is in progress) is printed, but not reported as a failure.
set -uo pipefail
export PATH="${PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}"
export LC_ALL=C.UTF-8
# Apple's systems lack it, and bash warns of each program that it starts.
[[ $OSTYPE != darwin* ]] || LC_ALL=en_US.UTF-8

(($#)) || {
  echo "refresh.sh: missing pipeline file; usage: refresh.sh PIPELINE.yaml [OPTION...]" >&2
  exit 64
}
pipeline=$1
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
programs=("${CDPIPE:-$(command -v cdpipe)}")
[[ -n ${CDPIPE:-} ]] || programs+=(/usr/local/bin/cdpipe "$here/../../.build/release/cdpipe")
for program in "${programs[@]}"; do
  [[ -x $program ]] && break
done
[[ -x $program ]] || {
  echo "refresh.sh: ${CDPIPE:-cdpipe} is missing; set CDPIPE=FILE" >&2
  exit 127
}

# Prints only failures, and sources that were left out or replaced by their last good copy.
output=$("$program" run --quiet --progress never "$@" "$pipeline" 2>&1)
status=$?
[[ -z $output ]] || printf '%s\n' "$output"
# A page that can't be written does not change the status: the list itself has been published.
if [[ -n ${REFRESH_INDEX:-} ]] && { ((status == 0)) || [[ -d $REFRESH_INDEX ]]; } && ((status != 75)); then
  "$program" history "$REFRESH_INDEX" --html "$REFRESH_INDEX/index.html" || true
fi
if ((status != 0 && status != 75)) && [[ ${REFRESH_REPORT:-} != no ]]; then
  printf '%s\n' "$output" | "$here/report_failure.sh" "cdpipe run $pipeline: status $status"
fi
exit "$status"
