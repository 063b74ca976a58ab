cat > labels.csv <<'END'
episode,success
pi0/clip-0,1
pi0/clip-1,0
act/clip-0,0
END
assay audit pi0=runs/pi0 act=runs/act --labels labels.csv --out report-labels
