"""How the documentation is built: `make docs`, offline, warnings are errors."""

from assay import __version__

project = "Assay"
author = "The Assay developers"
copyright = author
version = release = __version__

# Formulas are plain text in code: typeset ones would fetch a script from another machine.
extensions = ["myst_parser"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "snippets"]

html_theme = "furo"
html_title = f"Assay {version}"
html_copy_source = False
html_show_sphinx = False
