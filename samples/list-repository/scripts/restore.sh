#!/usr/bin/env bash
# Restores the published folder, public/, from the branch 'published', where save.sh keeps it.
#
# If there is no such branch, there is no folder afterwards, and publish.sh decides. Any other failure ends the job.
set -euo pipefail

status=0
git ls-remote --exit-code origin refs/heads/published >/dev/null || status=$?
# 2: the server has answered, and there is no such branch.
if ((status == 2)); then
  echo "The branch 'published' does not exist."
  exit 0
fi
((status == 0)) || exit "$status"

git fetch --quiet --depth=1 origin +refs/heads/published:refs/remotes/origin/published
mkdir public
git archive origin/published | tar -x -C public
# Fails if nothing is published in it.
cdpipe rollback --list public
