#!/usr/bin/env bash
# Installs what was built, or removes it again. `make install` and `make uninstall` call it.
#
#   scripts/install.sh [--uninstall] PROGRAM...
#
# The programs are cdpipe, cdpipe-report and cdpipe-server, by their paths; the last two may be left out, with what belongs
# to them. Environment variables:
#
#   PREFIX          where the files belong (default: /usr/local)
#   DESTDIR         a folder in front of all paths, for packages
#   UNITDIR         the folder of systemd's units (default: PREFIX/lib/systemd/system); a Mac gets none
#   ZSHDIR          the folder of zsh's completions (default: PREFIX/share/zsh/site-functions)
#   MAN, COMPLETIONS, LICENCES    folders with manual pages, completion scripts (as under share/), and licences
#
# What is installed is listed in docs/operations/install.md.
set -euo pipefail
umask 022
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
prefix=${PREFIX:-/usr/local}
destination=${DESTDIR:-}
units=${UNITDIR:-$prefix/lib/systemd/system}
zsh=${ZSHDIR:-$prefix/share/zsh/site-functions}

fail() {
  echo "install: $*" >&2
  exit 1
}

is_uninstall=
if [[ ${1:-} == --uninstall ]]; then
  is_uninstall=1
  shift
fi
if (($# == 0)); then
  echo "usage: scripts/install.sh [--uninstall] PROGRAM..." >&2
  exit 64
fi
[[ $prefix == /* && $prefix != *[[:space:]]* ]] || fail "PREFIX must be an absolute path without spaces: '$prefix'"
[[ -z $destination || $destination == /* ]] || fail "DESTDIR must be an absolute path: '$destination'"

# All files are first put into a folder of their own. So a missing file is noticed before anything is installed, and
# the same list serves to remove them.
staged=$(mktemp -d)
trap 'rm -rf "$staged"' EXIT
# put MODE FOLDER FILE...: the folder is relative to the prefix, or absolute.
put() {
  local mode=$1 folder=$2
  shift 2
  [[ $folder == /* ]] || folder=$prefix/$folder
  mkdir -p "$staged$folder"
  install -m "$mode" "$@" "$staged$folder"
}
# Puts text files with the paths of this prefix.
put_configured() {
  local folder=$2 file
  put "$@"
  [[ $folder == /* ]] || folder=$prefix/$folder
  for file in "${@:3}"; do
    sed "s|/usr/local/|$prefix/|g" "$file" >"$staged$folder/$(basename "$file")"
  done
}

# Puts files that only systemd uses.
put_unit() { if [[ $(uname) == Linux ]]; then put_configured 644 "$@"; fi; }

cron=$root/pipelines/cron
for program in "$@"; do
  name=$(basename "$program")
  [[ -x $program ]] || fail "'$program' is not built; type: make programs"
  put 755 bin "$program"
  case $name in
    cdpipe)
      for folder in "${MAN:?}" "${COMPLETIONS:?}" "${LICENCES:?}"; do
        [[ -d $folder ]] || fail "'$folder' is missing; type: make programs"
      done
      # The server's page is with the server.
      for page in "$MAN"/*.1; do [[ $page == */cdpipe-server.1 ]] || put 644 share/man/man1 "$page"; done
      put 644 share/bash-completion/completions "$COMPLETIONS/bash-completion/completions/cdpipe"
      put 644 "$zsh" "$COMPLETIONS/zsh/site-functions/_cdpipe"
      put 644 share/fish/vendor_completions.d "$COMPLETIONS/fish/vendor_completions.d/cdpipe.fish"
      put 644 share/cdpipe/schemas "$root"/docs/formats/*.schema.json
      put_configured 644 share/cdpipe/pipelines "$root"/pipelines/*.yaml "$cron/crontab"
      put 644 share/cdpipe/pipelines/lists "$root"/pipelines/lists/*.yaml
      put 644 share/cdpipe/monitoring "$root"/pipelines/monitoring/*
      put_configured 755 libexec/cdpipe "$cron"/*.sh
      put_unit "$units" "$cron"/*.service "$cron"/*.timer
      put_unit lib/sysusers.d "$root/packaging/sysusers.d/cdpipe.conf"
      put 644 share/doc/cdpipe "$root"/{README,CHANGELOG,SECURITY}.md "$root/LICENSE"
      put 644 share/doc/cdpipe/licences "$LICENCES"/*
      ;;
    cdpipe-server)
      put_unit "$units" "$root/Server/cdpipe-server.service"
      put 644 share/man/man1 "$MAN/cdpipe-server.1"
      ;;
    cdpipe-report) ;;
    *) fail "'$name' is not a program of cdpipe" ;;
  esac
done

# The paths of the files, from the root, each ended by a zero byte; without find's -printf, which macOS lacks.
files() { (cd "$staged" && find . -type f -print0); }
if [[ -n $is_uninstall ]]; then
  files | while IFS= read -r -d '' file; do rm -f "$destination/${file#./}"; done
  # Folders of cdpipe alone; those of others stay.
  for folder in share/cdpipe share/doc/cdpipe libexec/cdpipe; do
    if [[ -d $destination$prefix/$folder ]]; then
      find "$destination$prefix/$folder" -depth -type d -empty -delete
    fi
  done
else
  # A running program is not overwritten but replaced.
  files | while IFS= read -r -d '' file; do
    file=${file#./}
    mkdir -p "$destination/$(dirname "$file")"
    cp -p "$staged/$file" "$destination/$file.new"
    mv -f "$destination/$file.new" "$destination/$file"
  done
fi
