# What is in the folder, and which command audits it?
assay init runs/pi0

# One command, one report: open report/index.html.
assay audit pi0=runs/pi0 act=runs/act --judge recorded --out report

# The table again, as Markdown for a wiki or a paper's appendix.
assay show report --format md
