#!/usr/bin/env bash
# Installs the Debian packages in a bare Debian, uses them there as their users would, and purges them.
#
#   Tests/PackageTests/package_in_root.sh FOLDER      the folder with cdpipe_*.deb and cdpipe-server_*.deb
#
# The system is Debian's release $RELEASE (default: bookworm) as debootstrap makes it, in $ROOTS, kept there and copied for
# the test. Needs root and the network. With systemd-nspawn, the system is booted, so that systemd itself runs the units.
# Ends in the counts, and with status 1 if anything failed.
set -euo pipefail
export LC_ALL=C.UTF-8

if (($# != 1)); then
  echo "usage: Tests/PackageTests/package_in_root.sh FOLDER" >&2
  exit 64
fi
packages=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
roots=${ROOTS:-$PWD/.build/roots}
release=${RELEASE:-bookworm}

work=$(mktemp -d)
root=$work/root
trap 'umount -q "$root/proc" 2>/dev/null || true; rm -rf "$work"' EXIT
passed=0 failed=0
check() {
  local name=$1 status=0
  shift
  # Not as a condition, in which bash would ignore -e.
  set +e
  (set -e && "$@") >"$work/output" 2>&1
  status=$?
  set -e
  if ((status == 0)); then
    printf 'passed: %s\n' "$name"
    ((passed += 1))
  else
    printf 'FAILED: %s\n' "$name"
    tail -n 20 "$work/output" | sed 's/^/    /'
    ((failed += 1))
  fi
}
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
# As a user without rights, in the folder with the samples.
as_user() { inside setpriv --reuid=65534 --regid=65534 --clear-groups sh -euc "cd /tmp/job; $1"; }

if [[ ! -e $roots/$release/bin/sh ]]; then
  mkdir -p "$roots"
  debootstrap --variant=minbase "$release" "$roots/$release" >"$roots/$release.log"
fi
cp -a "$roots/$release" "$root"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mkdir -p "$root/tmp/job/out" "$root/tmp/packages"
cp "$packages"/*.deb "$root/tmp/packages/"
cp -R samples pipelines "$root/tmp/job/"
chown -R 65534:65534 "$root/tmp/job"
mount -t proc proc "$root/proc"
inside apt-get update -q >/dev/null
# What a server has: systemd, readers of manual pages, completions, a log.
inside apt-get install -qy --no-install-recommends systemd systemd-sysv dbus man-db bash-completion util-linux >/dev/null 2>&1
find "$root" -xdev -not -path "$root/proc/*" | sort >"$work/before"

install() { inside sh -c 'apt-get install -qy /tmp/packages/*.deb'; }
check "apt installs both packages with what they recommend" install

main_job() {
  # shellcheck disable=SC2016 # The words are those of the inner shell.
  as_user 'cdpipe download samples/marked.zip | cdpipe unzip | cdpipe parse | cdpipe normalize --region CN | cdpipe sort \
    | cdpipe dedupe | cdpipe emit -o out/numbers.cdstore
    cdpipe run pipelines/caller-id.yaml --report out/report.html
    cmp out/numbers.cdstore out/caller-id.cdstore
    test "$(cdpipe lookup 8675512345678 out/caller-id.cdstore | cut -f 2)" = 房产中介
    grep -q "<svg" out/report.html'
}
check "the README's main job runs, and its report is a page" main_job
libraries() {
  as_user 'cdpipe version | tee /dev/stderr | { ! grep -i missing; }
    cdpipe parse samples/spam.xlsx >out/workbook.tsv && cdpipe parse samples/spam.sqlite >out/database.tsv
    test -s out/workbook.tsv && test -s out/database.tsv'
}
check "all libraries that are opened at run time are there" libraries
pages() {
  # shellcheck disable=SC2016
  inside sh -euc 'for page in cdpipe cdpipe-sort cdpipe-report cdpipe-server; do man "$page" | grep -q SYNOPSIS; done'
}
check "manual pages open" pages
completion() {
  # shellcheck disable=SC2016
  inside bash -euc 'set +u; source /usr/share/bash-completion/bash_completion
    _completion_loader cdpipe || true
    COMP_WORDS=(cdpipe norm); COMP_CWORD=1; COMP_LINE="cdpipe norm"; COMP_POINT=11
    "$(complete -p cdpipe | sed "s/.*-F \([^ ]*\).*/\1/")" cdpipe norm cdpipe
    printf "%s\n" "${COMPREPLY[@]}"; [[ " ${COMPREPLY[*]} " == *normalize* ]]'
}
check "bash completes commands" completion
disabled() {
  # shellcheck disable=SC2016
  inside sh -euc 'for unit in cdpipe-refresh.timer cdpipe-server.service; do
      state=$(systemctl is-enabled "$unit" || true); echo "$unit $state"; test "$state" = disabled
    done
    getent passwd cdpipe'
}
check "the timer and the server are disabled, the user cdpipe exists" disabled
units() { inside sh -euc 'systemd-analyze verify /lib/systemd/system/cdpipe-*.service /lib/systemd/system/cdpipe-*.timer'; }
check "systemd accepts the units" units

# The nightly run. The list can't be read by others than the service's user.
cat >"$root/etc/cdpipe/nightly.yaml" <<'END'
name: nightly
sources: [{ name: marked, path: /etc/cdpipe/marked.zip, region: CN }]
emit: [{ format: store }]
publish: { directory: "${NIGHTLY_DIR}" }
END
cp samples/marked.zip "$root/etc/cdpipe/"
published='test -e /var/lib/cdpipe/public/current/manifest.json && cdpipe verify -q /var/lib/cdpipe/public
  && grep -q "^cdpipe_run_success.* 1" /var/lib/cdpipe/nightly.prom && test -s /var/lib/cdpipe/report.json
  && grep -q "<svg" /var/lib/cdpipe/public/index.html'
failing='journalctl --quiet --identifier=cdpipe | grep -q "status 66" '
if command -v systemd-nspawn >/dev/null; then
  umount "$root/proc"
  cat >"$root/root/night.sh" <<END
#!/bin/sh
# Runs inside of the booted system; its status is the system's.
{
  set -ex
  systemctl enable --now cdpipe-refresh.timer
  systemctl list-timers --all | grep cdpipe-refresh
  systemctl start cdpipe-refresh.service
  ${published//$'\n'/}
  rm /etc/cdpipe/marked.zip
  ! systemctl start cdpipe-refresh.service
  sleep 3
  journalctl --quiet --no-pager -u 'cdpipe-failed@*' -u cdpipe-refresh.service
  ${failing//$'\n'/}
  cdpipe verify -q /var/lib/cdpipe/public
  systemctl disable --now cdpipe-refresh.timer
} >/root/night.log 2>&1 && echo passed >/root/night.status
systemctl poweroff
END
  chmod +x "$root/root/night.sh"
  cat >"$root/etc/systemd/system/night.service" <<'END'
[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/root/night.sh
END
  mkdir -p "$root/etc/systemd/system/default.target.wants"
  ln -s ../night.service "$root/etc/systemd/system/default.target.wants/night.service"
  night() {
    timeout 120 systemd-nspawn --quiet --boot --register=no --keep-unit --private-network --directory "$root" --console=pipe || true
    cat "$root/root/night.log"
    [[ $(cat "$root/root/night.status") == passed ]]
  }
  check "systemd runs the night, publishes, and reports a failed run" night
  rm -rf "$root"/root/night.* "$root"/etc/systemd/system/night.service "$root"/etc/systemd/system/default.target.wants
  mount -t proc proc "$root/proc"
else
  night() {
    inside sh -euc "mkdir -p /var/lib/cdpipe; chown cdpipe: /var/lib/cdpipe
      setpriv --reuid=cdpipe --regid=cdpipe --clear-groups env CDPIPE=/usr/bin/cdpipe REFRESH_REPORT=no \\
        NIGHTLY_DIR=/var/lib/cdpipe/public REFRESH_INDEX=/var/lib/cdpipe/public TMPDIR=/var/lib/cdpipe /usr/libexec/cdpipe/refresh.sh /etc/cdpipe/nightly.yaml \\
        --report /var/lib/cdpipe/report.json --metrics /var/lib/cdpipe/nightly.prom
      ${published//$'\n'/}"
  }
  check "the script of the nightly run publishes, without systemd" night
fi

rm -rf "$root"/tmp/packages "$root"/tmp/job
purge() {
  inside apt-get purge -qy cdpipe cdpipe-server
  inside apt-get autoremove -qy --purge
  if inside getent passwd cdpipe || inside getent group cdpipe; then return 1; fi
  find "$root" -xdev -not -path "$root/proc/*" | sort >"$work/after"
  # The formatted pages are man's own cache.
  if comm -13 "$work/before" "$work/after" | grep -v /var/cache/man/ | grep cdpipe; then return 1; fi
}
check "purge removes everything" purge

echo "$passed passed, $failed failed"
((failed == 0))
