# too_dark.py stands in the current folder; every clip of runs/pi0 is darker than 60.
assay diagnose pi0=runs/pi0 act=runs/act --judge too_dark:TooDark --set level=60 --out diagnosed
assay diagnose pi0=runs/pi0 --judge too_dark:TooDark --fail-on "severity>=4" --out checked
