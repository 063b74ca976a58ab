#!/bin/sh
# Make .venv-metaworld, where metaworld is installed as its authors pin it beside Assay itself.
#
# MuJoCo 3.3.0 comes by metaworld's own pin, older than what our worlds use: hence a venv of its own.
# gymnasium imports packaging without asking for it.
# Exit: 0 it is ready, 2 it could not be made.
set -eu
cd "$(dirname "$0")/.."
. scripts/venv.sh

install_packages() {
    install metaworld==3.1.1 gymnasium==1.4.0 numpy==2.4.6 packaging==26.2 -e .
}

ready_venv .venv-metaworld scripts/metaworld_venv.sh "about 500 MB"
