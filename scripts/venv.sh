# Make a virtual environment beside .venv, for what can't be installed there. To be read by `.`, from
# the project's folder, by a script that defines `install_packages`:
#
#   ready_venv .venv-name RECIPE "about 500 MB"
#
# RECIPE is the script that says what goes in. The environment is made anew when that has changed.

fail() {
    echo "$*" >&2
    exit 2
}

# Install packages by pip into the environment that is being made.
install() { "$venv/bin/python" -m pip install -q --disable-pip-version-check "$@"; }

ready_venv() {
    venv=$1
    if cmp -s "$2" "$venv/made-from"; then
        return
    fi
    python=$(scripts/python.sh) ||
        fail "This needs Python 3.11 or newer. Install one, or say PYTHON=/path/to/python3."
    echo "==> Making $venv ($3)"
    { rm -rf "$venv" && "$python" -m venv "$venv" && echo '*' >"$venv/.gitignore" &&
        install_packages; } || fail "$venv could not be made."
    cp "$2" "$venv/made-from"
}
