#!/bin/bash
# Runs a pipeline file for cron or systemd, and tells somebody when it fails.
#
#   refresh.sh PIPELINE.yaml [OPTION...]      options go on to `cdpipe run`
#
# Nothing is taken from the environment but these, and none must be set:
#
#   CDPIPE          the program (on the PATH, /usr/local/bin or beside a checkout's .build/release)
#   REFRESH_MAIL    an address: what was said is mailed there when the run fails; else it goes to the system's log
#
# It ends with the status of `cdpipe run`. 75 (another run is at it) is no failure and is only said.
set -uo pipefail
export PATH="${PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}"
export LC_ALL=C.UTF-8

(($#)) || {
  echo "refresh.sh: no pipeline file is named: refresh.sh PIPELINE.yaml [OPTION...]" >&2
  exit 64
}
pipeline=$1
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for program in "${CDPIPE:-}" "$(command -v cdpipe)" /usr/local/bin/cdpipe "$here/../../.build/release/cdpipe"; do
  [[ -n $program && -x $program ]] && break
done
[[ -x $program ]] || {
  echo "refresh.sh: there is no cdpipe; CDPIPE=FILE names one" >&2
  exit 127
}

# Only what matters is said: failures, sources that were left out or replaced by what was good last.
said=$("$program" run --quiet --progress never "$@" "$pipeline" 2>&1)
status=$?
[[ -z $said ]] || printf '%s\n' "$said"
if ((status != 0 && status != 75)); then
  subject="cdpipe run $pipeline: status $status"
  if [[ -n ${REFRESH_MAIL:-} ]] && command -v mail >/dev/null; then
    printf '%s\n' "$said" | mail -s "$subject" "$REFRESH_MAIL"
  elif command -v logger >/dev/null; then
    printf '%s\n%s\n' "$subject" "$said" | logger -t cdpipe -p user.err || true
  fi
fi
exit "$status"
