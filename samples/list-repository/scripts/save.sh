#!/usr/bin/env bash
# Keeps the published folder on the branch 'published', and copies the current version to site/, which becomes the site.
#
# The branch has a single commit without a parent, so that removed versions do not stay in the repository. If the branch
# has changed since restore.sh read it, it is not replaced, and the job fails.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
before=$(git rev-parse --quiet --verify refs/remotes/origin/published || true)
# With an index of its own, and all files whatever .gitignore has.
export GIT_INDEX_FILE=$work/index
git -C public --git-dir="$PWD/.git" --work-tree=. add --force --all . ':(exclude).lock'
tree=$(git write-tree)
commit=$(git -c user.name=publish -c user.email=publish@localhost commit-tree "$tree" -m "The published folder")
git push --quiet --force-with-lease="refs/heads/published:$before" origin "$commit:refs/heads/published"

rm -rf site
cp -RL public/current site
