#!/usr/bin/env bash
# Installs cdpipe from the Debian package of a release, if the package has the checksum that the workflow names.
#
# Environment variables: CDPIPE_PACKAGE is the package's URL, CDPIPE_SHA256 its checksum.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
package=$folder/cdpipe.deb
curl --fail --silent --show-error --location --retry 3 --output "$package" "$CDPIPE_PACKAGE"
if ! echo "$CDPIPE_SHA256  $package" | sha256sum --check --status; then
  echo "install_cdpipe.sh: '$CDPIPE_PACKAGE' does not have the checksum CDPIPE_SHA256; nothing was installed" >&2
  echo "  hint: copy the checksum from SHA256SUMS of the release to .github/workflows/publish.yml" >&2
  exit 1
fi
sudo apt-get install --yes --no-install-recommends "$package"
cdpipe --version
