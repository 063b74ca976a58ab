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
venv=.venv-metaworld
stamp=$venv/made-from
sets=out/metaworld
case ${1:-} in
'' | -*) ;;
*)
    sets=$1
    shift
    ;;
esac

fail() {
    echo "$*" >&2
    exit 2
}

# MuJoCo 3.3.0 comes by metaworld's own pin. gymnasium imports packaging without asking for it.
make_venv() {
    rm -rf "$venv" &&
        "$python" -m venv "$venv" &&
        echo '*' >"$venv/.gitignore" &&
        "$venv/bin/python" -m pip install -q --disable-pip-version-check \
            metaworld==3.1.1 gymnasium==1.4.0 numpy==2.4.6 packaging==26.2 -e .
}

[ -x .venv/bin/python ] || fail "There is no .venv: run \`make test\` first, which makes it."
if ! cmp -s "$0" "$stamp"; then
    python=$(scripts/python.sh) ||
        fail "This needs Python 3.11 or newer. Install one, or say PYTHON=/path/to/python3."
    echo "==> Making $venv (about 500 MB)"
    make_venv || fail "$venv could not be made."
    cp "$0" "$stamp"
fi

echo "==> Recording in $sets"
"$venv/bin/python" scripts/metaworld_demos.py "$sets" || fail "The datasets could not be made."
echo "==> Training and judging"
.venv/bin/python scripts/metaworld_figures.py "$sets" --page docs/outside-check.md "$@"
