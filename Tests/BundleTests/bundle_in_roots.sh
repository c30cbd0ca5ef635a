#!/usr/bin/env bash
# Runs a bundle in bare systems, and compares what it does with what the program does on this one.
#
#   Tests/BundleTests/bundle_in_roots.sh BUNDLE.tar.gz PROGRAM
#
# The systems are Debian's releases in $RELEASES, without any package that Debian does not require, made by debootstrap
# in $ROOTS and kept there, and one with no C library at all: only busybox, linked statically. PROGRAM is the one in the
# bundle, which this system can run. Needs root, debootstrap, busybox and the network, but not for roots that exist. A
# system that can't be made is skipped, with the reason. With buildah, the image of pipelines/spark/Containerfile is built
# on the first release. Ends in the counts, and with status 1 if anything failed.
set -euo pipefail
export LC_ALL=C.UTF-8

if (($# != 2)); then
  echo "usage: Tests/BundleTests/bundle_in_roots.sh BUNDLE.tar.gz PROGRAM" >&2
  exit 64
fi
archive=$(realpath "$1")
program=$(realpath "$2")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
roots=${ROOTS:-$PWD/.build/roots}
read -ra releases <<<"${RELEASES-bullseye bookworm trixie}"

work=$(mktemp -d)
server=
finish() {
  if [[ -n $server ]]; then kill "$server" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap finish EXIT
passed=0 failed=0 skipped=0
pass() { printf 'passed: %s\n' "$*" && ((passed += 1)); }
fail() { printf 'FAILED: %s\n' "$*" && ((failed += 1)); }
skip() { printf 'skipped: %s\n' "$*" && ((skipped += 1)); }
expect() { if [[ $2 == "$3" ]]; then pass "$1"; else fail "$1: '$2' instead of '$3'"; fi; }

# The lists of main_job.sh, in a folder.
make_lists() {
  local name text=$'13800138000\tspam é ж 骚扰 電話 スパム 스팸 สแปม ספאם ώ\n'
  mkdir -p "$1/lists/encodings"
  cp samples/{marked.zip,phonebook.xml,spam.xlsx,spam.sqlite} "$1/lists/"
  zstd -qc samples/seed.json >"$1/lists/seed.json.zst"
  xz -c samples/seed.json >"$1/lists/seed.json.xz"
  bzip2 -c samples/seed.json >"$1/lists/seed.json.bz2"
  sed -n 's/^{"\([^"]*\)": "\([^"]*\)"},*$/\1\t\2/p' samples/marked.json >"$work/marked.tsv"
  iconv -f UTF-8 -t GB18030 "$work/marked.tsv" >"$1/lists/gb18030.tsv"
  # Greek is recognised only with libuchardet.
  printf 'τηλέφωνο;όνομα\n+302101234567;Διαφήμιση και ενοχλητικές κλήσεις\n+302101234568;Απάτη μέσω τηλεφώνου\n' |
    iconv -f UTF-8 -t ISO-8859-7 >"$1/lists/greek.csv"
  "$program" parse --encodings | awk 'NR > 1 { print $1 }' >"$work/encodings"
  while read -r name; do
    # Characters that the encoding does not have are left out, which iconv reports.
    printf '%s' "$text" | iconv -c -f UTF-8 -t "$name" >"$1/lists/encodings/$name" || [[ -s $1/lists/encodings/$name ]]
  done <"$work/encodings"
  cat >"$1/lists.yaml" <<'END'
sources:
  - { name: zip, path: lists/marked.zip, parse: { format: json }, region: CN }
  - { name: packed, path: "lists/seed.json.*", region: CN }
  - { name: gb18030, path: lists/gb18030.tsv, parse: { encoding: GB18030, number: 1, label: 2 }, region: CN }
  - { name: guessed, path: lists/greek.csv, parse: { encoding: auto, number: τηλέφωνο, label: όνομα }, region: GR }
  - { name: xml, path: lists/phonebook.xml, region: DE }
  - { name: workbook, path: lists/spam.xlsx, region: FR }
  - { name: database, path: lists/spam.sqlite, region: US }
dedupe: { keep: last, conflicts: out/conflicts.tsv }
emit:
  - { path: out/public, format: store, shards: 3, block: ["诈骗*"] }
  - { path: out/list.csv }
  - { path: out/list.jsonl }
  - { path: out/list.plist }
  - { path: out/list.sqlite }
END
}

# A server with a certificate of its own, on this machine.
start_server() {
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
    -keyout "$work/key.pem" -out "$work/certificate.pem" 2>/dev/null
  mkdir "$work/site"
  echo "from https" >"$work/site/list.txt"
  python3 Tests/BundleTests/serve_https.py "$work/site" "$work/certificate.pem" "$work/key.pem" >"$work/port" &
  server=$!
  for _ in {1..100}; do
    if [[ -s $work/port ]]; then break; fi
    sleep 0.1
  done
  url="https://localhost:$(<"$work/port")/list.txt"
}

# Makes a root, or prints why it can't.
make_root() {
  local release=$1 root=$roots/$1
  if [[ -e $root/made ]]; then return; fi
  rm -rf "$root"
  mkdir -p "$root"
  if [[ $release == busybox ]]; then
    if ! command -v busybox >/dev/null || ! file -L "$(command -v busybox)" | grep -q 'statically linked'; then
      echo "no static busybox is installed (busybox-static)" && return 1
    fi
    mkdir -p "$root"/{bin,dev,etc,proc,tmp,var/tmp}
    mknod -m 666 "$root/dev/null" c 1 3 || return 1
    install "$(command -v busybox)" "$root/bin/busybox"
    chroot "$root" /bin/busybox --install -s /bin
  else
    if ! command -v debootstrap >/dev/null; then echo "debootstrap is not installed" && return 1; fi
    if ! debootstrap --variant=minbase "$release" "$root" >"$roots/$release.log" 2>&1; then
      grep '^E:' "$roots/$release.log" | head -n 1
      return 1
    fi
  fi
  chmod 1777 "$root/tmp" "$root/var/tmp"
  echo "127.0.0.1 localhost" >"$root/etc/hosts"
  touch "$root/made"
}

# Runs a command in a root as the user nobody, in its folder /tmp/job, with /proc and a nearly empty environment.
in_root() {
  local root=$1
  shift
  # shellcheck disable=SC2016 # The words are those of the inner shell.
  unshare --mount sh -c 'mount -t proc proc "$0/proc" && root=$0 && exec chroot --userspec=65534:65534 "$root" \
    /bin/sh -c "cd /tmp/job && exec \"\$@\"" sh "$@"' "$root" env -i PATH=/usr/bin:/bin LANG=C "$@"
}

check_root() {
  local root=$roots/$1 reason system
  if ! reason=$(make_root "$1"); then
    skip "$1: $reason"
    return
  fi
  system=$(chroot "$root" getconf GNU_LIBC_VERSION 2>/dev/null) || system="no glibc"
  rm -rf "$root/tmp/job" "$root/tmp/cdpipe"
  mkdir "$root/tmp/cdpipe"
  cp -r "$work/job" "$root/tmp/job"
  cp Tests/BundleTests/main_job.sh "$root/tmp/"
  install -D -m 644 "$work/certificate.pem" "$root/etc/pki/tls/certs/ca-bundle.crt"
  # The root's own tar unpacks the archive.
  chroot "$root" tar -xzf - -C /tmp/cdpipe <"$archive"
  chown -R 65534:65534 "$root/tmp/job"
  if ! in_root "$root" CDPIPE=/tmp/cdpipe/bin/cdpipe URL="$url" sh ../main_job.sh 2>"$work/errors"; then
    fail "$1 ($system): the job ended early: $(tail -n 1 "$work/errors")"
  elif diff -r "$work/reference/out" "$root/tmp/job/out" >"$work/differences"; then
    pass "$1 ($system): $(find "$root/tmp/job/out" -type f | wc -l) files are the same"
  else
    fail "$1 ($system): $(head -n 5 "$work/differences")"
  fi
}

# Builds the image of the recipe on top of a root, and runs it as the recipe's user.
run_image() {
  local container buildah=(buildah --storage-driver vfs --root "$work/images" --runroot "$work/containers")
  local -x BUILDAH_ISOLATION=chroot
  mkdir "$work/context"
  cp "$archive" "$work/context/cdpipe.tar.gz"
  tar -C "$1" --exclude='./proc/*' --exclude='./tmp/*' -cf "$work/base.tar" .
  container=$("${buildah[@]}" from scratch) &&
    "${buildah[@]}" add "$container" "$work/base.tar" / &&
    "${buildah[@]}" commit "$container" localhost/base &&
    "${buildah[@]}" build --file pipelines/spark/Containerfile --build-arg BASE=localhost/base \
      --tag localhost/cdpipe "$work/context" &&
    container=$("${buildah[@]}" from localhost/cdpipe) &&
    "${buildah[@]}" run "$container" -- sh -c "id -u && \$CDPIPE --version" >"$work/answer"
}

check_image() {
  if [[ ! -e $roots/$1/made ]]; then
    skip "image on $1: there is no such root"
  elif ! command -v buildah >/dev/null; then
    skip "image on $1: buildah is not installed"
  elif run_image "$roots/$1" >"$work/image.log" 2>&1; then
    expect "image on $1, its user" "$(xargs <"$work/answer")" "185 $("$program" --version)"
  else
    fail "image on $1: $(tail -n 3 "$work/image.log")"
  fi
}

# The starter: from any folder, by links, with any arguments; statuses, signals, environment.
check_starter() {
  local bundle="$work/a folder/cdpipe" file child status=0 variables
  mkdir -p "$bundle" "$work/links"
  tar -xzf "$archive" -C "$bundle"
  ln -s "$bundle/bin/cdpipe" "$work/links/absolute"
  ln -s "../a folder/cdpipe/bin/cdpipe" "$work/links/cdpipe"
  ln -s absolute "$work/links/twice"
  local version
  version=$("$program" --version)
  expect "started by its path" "$("$bundle/bin/cdpipe" --version)" "$version"
  expect "started by a relative path" "$(cd "$bundle/lib" && ../bin/cdpipe --version)" "$version"
  expect "started by a link" "$("$work/links/absolute" --version)" "$version"
  expect "started by a link to a link" "$("$work/links/twice" --version)" "$version"
  expect "started from the PATH, by a relative link" "$(PATH=$work/links:$PATH && cdpipe --version)" "$version"
  expect "started by a shell" "$(cd "$work/links" && sh cdpipe --version)" "$version"
  expect "an empty environment" "$(env -i "$bundle/bin/cdpipe" --version)" "$version"
  file="$work/it's \"a\" \$list *"
  printf '8613800138000\tspam  two\n' >"$file"
  expect "arguments with spaces and signs" "$("$bundle/bin/cdpipe" sort -- "$file")" "$(<"$file")"
  "$bundle/bin/cdpipe" sort "" >/dev/null 2>&1 || status=$?
  expect "the status of the program" "$status" "$("$program" sort "" >/dev/null 2>&1 || echo "$?")"
  expect "a preloaded library is not loaded" "$(LD_PRELOAD=/absent.so "$bundle/bin/cdpipe" --version 2>&1 |
    grep -v '^ERROR: ld.so: object')" "$version"

  mkfifo "$work/pipe"
  env -u LD_LIBRARY_PATH "$bundle/bin/cdpipe" sort "$work/pipe" >/dev/null 2>&1 &
  child=$!
  exec 7>"$work/pipe"
  variables=$(tr '\0' '\n' <"/proc/$child/environ" | grep -c '^LD_' || true)
  expect "no variable of the loader is passed on" "$variables" 0
  expect "libraries of the system that are mapped" "$(awk '/\.so/ { print $6 $7 }' "/proc/$child/maps" | grep -cv "^$work" || true)" 0
  kill -TERM "$child"
  status=0
  wait "$child" || status=$?
  exec 7>&-
  expect "ended by a signal" "$status" 143

  mkdir "$work/a:b"
  cp -r "$bundle" "$work/a:b/"
  status=0
  "$work/a:b/cdpipe/bin/cdpipe" --version >/dev/null 2>&1 || status=$?
  expect "a folder with a colon is refused" "$status" 64
}

mkdir "$work/job"
make_lists "$work/job"
start_server
cp -r "$work/job" "$work/reference"
(cd "$work/reference" && CDPIPE=$program URL=$url SSL_CERT_FILE=$work/certificate.pem \
  sh "$OLDPWD/Tests/BundleTests/main_job.sh")
# Only what succeeds there can show a difference.
expect "libraries that are opened at run time here" "$(grep -c ' usable$' "$work/reference/out/version.txt")" 5
expect "commands that fail without the bundle" "$(grep -v ' 0$' "$work/reference/out/statuses" | tr '\n' ' ')" \
  "wrong-option 64 no-number 1 "

check_starter
if ((EUID != 0)); then
  for release in busybox "${releases[@]}"; do skip "$release: chroot needs root"; done
else
  for release in busybox "${releases[@]}"; do check_root "$release"; done
  if ((${#releases[@]} > 0)); then check_image "${releases[0]}"; fi
fi
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0))
