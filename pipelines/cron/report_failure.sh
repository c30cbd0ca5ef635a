#!/bin/bash
# Reports that something failed, by mail or in the system log.
#
#   report_failure.sh SUBJECT <TEXT       the text is standard input
#   report_failure.sh --unit NAME         a systemd unit: the text is what its last start printed
#
# Optional environment variables:
#
#   REFRESH_MAIL    an address that gets the text (default: the system log gets it)
#
# refresh.sh calls it under cron, and cdpipe-failed@.service under systemd.
set -uo pipefail
export PATH="${PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}"
export LC_ALL=C.UTF-8
# Apple's systems lack it, and bash warns of each program that it starts.
[[ $OSTYPE != darwin* ]] || LC_ALL=en_US.UTF-8

if [[ ${1:-} == --unit && -n ${2:-} ]]; then
  unit=$2
  status=$(systemctl show --value --property=ExecMainStatus "$unit")
  subject="$unit failed: $(systemctl show --value --property=Result "$unit"), status ${status:-unknown}"
  start=$(systemctl show --value --property=InvocationID "$unit")
  text=$(journalctl --quiet --no-pager --output=cat --lines=100 "_SYSTEMD_INVOCATION_ID=$start" 2>&1)
elif (($# == 1)) && [[ $1 != -* ]]; then
  subject=$1
  text=$(cat)
else
  echo "report_failure.sh: usage: report_failure.sh SUBJECT <TEXT, or report_failure.sh --unit NAME" >&2
  exit 64
fi

# One way is enough; if the first fails, the next is tried.
if [[ -n ${REFRESH_MAIL:-} ]]; then
  if printf '%s\n' "$text" | mail -s "$subject" "$REFRESH_MAIL"; then exit 0; fi
fi
if printf '%s\n%s\n' "$subject" "$text" | logger -t cdpipe -p user.err; then exit 0; fi
echo "report_failure.sh: neither mail nor logger accepted the report: $subject" >&2
exit 69
