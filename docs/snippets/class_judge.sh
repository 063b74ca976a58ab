# white_block.py stands in the current folder; --set gives an option of the judge.
assay audit pi0=runs/pi0 --judge white_block:WhiteBlock --set threshold=70 --out report-class
