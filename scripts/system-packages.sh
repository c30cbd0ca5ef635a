#!/usr/bin/env bash
# Checks that the system has what cdpipe needs: Swift and some Debian packages, on a Mac some of Homebrew.
#
#   scripts/system-packages.sh [--test | --lint | --bench | --report | --bundle | --test-bundle | --deb | --test-deb]
#
# Prints nothing if all of it is installed. Installs missing packages as root, or with a sudo that needs no password; otherwise,
# and on a Mac, prints the command to type and exits 1. --test adds the programs that the tests use, --lint shellcheck,
# --bench the programs and libraries that the benchmarks compare with, --report the browser that renders report pages,
# --bundle the libraries that the build does not need, --test-bundle what makes the systems in which a bundle is tested,
# --deb what makes Debian packages, --test-deb what checks them, and runs them in a system of their own.
set -euo pipefail

libraries=(libcurl4-openssl-dev libzip-dev zlib1g-dev libyaml-dev libexpat1-dev libsqlite3-dev)
programs=(pkg-config python3 make git)
for_tests=(zip unzip zstd xz bzip2 mawk openssl nginx 7zz zsh fish mandoc)
# Opened at run time, without headers for the build.
opened=(libuchardet0 libzstd1 liblzma5 libbz2-1.0)
case ${1:-} in
  "") ;;
  --test)
    programs+=("${for_tests[@]}")
    libraries+=("${opened[@]}")
    ;;
  --lint) programs+=(shellcheck) ;;
  --report) programs+=(chromium) ;;
  --bundle)
    programs+=(openssl)
    libraries+=("${opened[@]}")
    ;;
  --test-bundle)
    programs+=(openssl zstd xz bzip2)
    # Looked up as packages: programs of root may not be on the PATH, and busybox must be the static one.
    libraries+=("${opened[@]}" debootstrap busybox-static buildah)
    ;;
  --deb)
    programs+=(dpkg-buildpackage dh openssl)
    libraries+=("${opened[@]}")
    ;;
  --test-deb)
    programs+=(lintian promtool systemd-nspawn)
    libraries+=(debootstrap)
    ;;
  --bench)
    programs+=("${for_tests[@]}" g++ jq mlr wrk)
    libraries+=(libphonenumber-dev libsimdjson-dev)
    ;;
  *)
    echo "usage: scripts/system-packages.sh [--test | --lint | --bench | --report | --bundle | --test-bundle | --deb | --test-deb]" >&2
    exit 64
    ;;
esac

# openssl is here for its library, libcrypto, whose package has another name on each system.
swift_series=6.3

if ! command -v swift >/dev/null; then
  echo "Swift $swift_series is missing: see https://www.swift.org/install/" >&2
  exit 1
fi

# The pkg-config name of a library, for systems where another package provides it.
pkg_config_name() {
  case $1 in
    libcurl4-openssl-dev) echo libcurl ;;
    libzip-dev) echo libzip ;;
    zlib1g-dev) echo zlib ;;
    libyaml-dev) echo yaml-0.1 ;;
    libexpat1-dev) echo expat ;;
    libsqlite3-dev) echo sqlite3 ;;
    libuchardet0) echo uchardet ;;
    libzstd1) echo libzstd ;;
    liblzma5) echo liblzma ;;
    libbz2-1.0) echo bzip2 ;;
    libphonenumber-dev) echo libphonenumber ;;
    libsimdjson-dev) echo simdjson ;;
  esac
}

is_installed() {
  [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

# The package of a program, if its name differs.
package_of() {
  case $(uname):$1 in
    Darwin:7zz) echo sevenzip ;;
    Darwin:pkg-config) echo pkgconf ;;
    Linux:7zz) echo 7zip ;;
    Linux:xz) echo xz-utils ;;
    Linux:nginx) echo nginx-light ;;
    Linux:dpkg-buildpackage) echo dpkg-dev ;;
    Linux:dh) echo debhelper ;;
    Linux:promtool) echo prometheus ;;
    Linux:systemd-nspawn) echo systemd-container ;;
    *:mlr) echo miller ;;
    *) echo "$1" ;;
  esac
}

# The package of a library; on a Mac nothing for what Apple's SDK has.
library_package_of() {
  case $(uname):$1 in
    Darwin:libyaml-dev | Darwin:libzip-dev | Darwin:libphonenumber-dev) echo "${1%-dev}" ;;
    Darwin:libsimdjson-dev) echo simdjson ;;
    Darwin:libuchardet0) echo uchardet ;;
    Darwin:libzstd1) echo zstd ;;
    Darwin:liblzma5) echo xz ;;
    Darwin:*) ;;
    *) echo "$1" ;;
  esac
}

missing=()
for program in "${programs[@]}"; do
  command -v "$program" >/dev/null || missing+=("$(package_of "$program")")
done
for library in "${libraries[@]}"; do
  package=$(library_package_of "$library")
  [[ -z $package ]] || is_installed "$library" || pkg-config --exists "$(pkg_config_name "$library")" 2>/dev/null \
    || missing+=("$package")
done
if ((${#missing[@]} == 0)); then exit 0; fi

if [[ $(uname) == Darwin ]]; then
  echo "Some packages are missing. Type this line, then try again:" >&2
  echo "  brew install ${missing[*]}" >&2
  exit 1
fi
# git fetches the Swift packages over https.
if [[ " ${missing[*]-} " == *" git "* ]]; then missing+=(ca-certificates); fi
install="apt-get install -y --no-install-recommends ${missing[*]}"
if ! command -v apt-get >/dev/null; then
  echo "These are missing, by the names of their Debian packages: ${missing[*]}" >&2
  exit 1
fi

as_root=()
if ((EUID != 0)); then
  if ! sudo -n true 2>/dev/null; then
    echo "Some Debian packages are missing. Type this line, then try again:" >&2
    echo "  sudo apt-get update && sudo $install" >&2
    exit 1
  fi
  as_root=(sudo -n)
fi

echo "Installing missing Debian packages: ${missing[*]}" >&2
# Hundreds of lines, which matter only when it fails.
apt() {
  local output
  output=$("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" </dev/null 2>&1) && return
  echo "$output" >&2
  return 1
}
# Without a fresh package list the packages may still be available.
apt update || true
apt install -y --no-install-recommends "${missing[@]}"
