#!/bin/sh
# Try `assay train progress` on metaworld's ten tasks MT10, and write docs/outside-check.md.
#
#   scripts/metaworld_check.sh [DIR] [--seeds 0 1 2]      (make outside-check)
#
# DIR keeps datasets and judges, by default out/metaworld: a second run takes up the first.
# Metaworld pins an older MuJoCo than our worlds use, so it has .venv-metaworld to itself and is
# installed as its authors pin it; training uses .venv.
# Exit: 0 the goals are reached, 1 one is not, 2 the environment or the datasets could not be made.
set -eu
cd "$(dirname "$0")/.."
sets=out/metaworld
case ${1:-} in
'' | -*) ;;
*)
    sets=$1
    shift
    ;;
esac

. scripts/venv.sh

[ -x .venv/bin/python ] || fail "There is no .venv: run \`make test\` first, which makes it."
scripts/metaworld_venv.sh

echo "==> Recording in $sets"
.venv-metaworld/bin/python scripts/metaworld_demos.py "$sets" || fail "The datasets could not be made."
echo "==> Training and judging"
.venv/bin/python scripts/metaworld_figures.py "$sets" --page docs/outside-check.md "$@"
