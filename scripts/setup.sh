#!/bin/sh
# Get .venv ready: Debian packages, a Python, and the packages that requirements.lock pins.
#
#   scripts/setup.sh base   what a user needs, the worlds and the embedded judge included (make demo)
#   scripts/setup.sh dev    the tests, the checks and the documentation as well (make test)
#
# A second run does nothing unless pyproject.toml, requirements.lock or this folder's place changed.
# Exit: 0 ready, 2 something is missing and was named.
set -eu
cd "$(dirname "$0")/.."

say() { echo "==> $*"; }
fail() {
    echo "$*" >&2
    exit 2
}

# Print the Debian packages that give us a Python with venv, or nothing if there is one.
python_packages() {
    if python=$(scripts/python.sh); then
        # Debian keeps venv's ensurepip in a package of its own, named after the exact version.
        "$python" -c 'import ensurepip, venv' >/dev/null 2>&1 ||
            "$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])'
    elif command -v python3 >/dev/null 2>&1; then
        echo python3.11 python3.11-venv # beside the older one that is there
    else
        echo python3 python3-venv
    fi
}

# Print the package of a browser, or nothing if there is one that the tests can drive.
browser_package() {
    for name in chromium chromium-browser google-chrome; do
        if command -v "$name" >/dev/null 2>&1; then
            return
        fi
    done
    if grep -qs '^ID=ubuntu' /etc/os-release; then
        echo chromium-browser
    else
        echo chromium
    fi
}

make_venv() {
    if [ -e .venv ] && [ ! -w .venv ]; then
        fail ".venv can't be written by $(id -un): remove it, or work in a clone of your own."
    fi
    if ! .venv/bin/python -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        python=$(scripts/python.sh) ||
            fail "Assay needs Python 3.11 or newer. Install one, or say PYTHON=/path/to/python3."
        say "Making .venv with $("$python" --version)"
        "$python" -m venv --clear .venv
        # Python 3.11 puts 10 MB of setuptools into a venv; nothing here builds with it.
        .venv/bin/python -m pip uninstall -qq -y setuptools
    fi
}

install() {
    say "Installing Assay and what it needs into .venv (a few minutes the first time)"
    quiet=-qq
    if [ -t 1 ]; then quiet=; fi
    # The lock binds the build of the package too: older pips read the first variable for that,
    # newer ones the second. No byte-compiling: it costs 60 MB for files that may never be used.
    # shellcheck disable=SC2086  # $quiet is empty or one word
    PIP_CONSTRAINT=requirements.lock PIP_BUILD_CONSTRAINT=requirements.lock \
        .venv/bin/python -m pip install $quiet --disable-pip-version-check --no-compile \
        --editable "$1" || fail "pip could not install Assay. Its own message stands above."
}

what=${1:-base}
# EGL with Mesa's software driver renders the worlds without a graphics card. OSMesa is what they
# fall back to; newer releases have it no more.
gl='libegl1 libegl-mesa0 libgl1-mesa-dri libopengl0 maybe:libosmesa6'
# libatomic1 is for the driver inside the playwright package, which brings no libraries along.
case $what in
    base) target='.[worlds,learned]' extra= ;;
    dev) target='.[dev,docs]' extra="$(browser_package) fonts-dejavu-core git libatomic1" ;;
    *) fail "scripts/setup.sh takes base or dev, not '$what'." ;;
esac

# shellcheck disable=SC2046,SC2086  # lists of package names
scripts/packages.sh ca-certificates $(python_packages) $gl $extra

state=$(cat pyproject.toml requirements.lock | cksum; pwd)
is_ready() { [ -x .venv/bin/python ] && [ "$(cat ".venv/.ready-$1" 2>/dev/null)" = "$state" ]; }
if is_ready "$what" || is_ready dev; then
    say ".venv is up to date"
    exit 0
fi
if [ "$what" = dev ]; then
    say "PyTorch is among it: 190 MB if pip's index has CPU builds, else some 3 GB with CUDA"
fi
make_venv
install "$target"
echo "$state" >".venv/.ready-$what"
