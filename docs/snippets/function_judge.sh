# whiteness.py stands in the current folder.
assay audit pi0=runs/pi0 act=runs/act --judge whiteness:progress --fps 5 --out report-function
