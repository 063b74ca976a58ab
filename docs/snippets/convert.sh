assay convert pi0=runs/pi0 --to lerobot --out ./pi0-lerobot
assay audit ./pi0-lerobot --judge ramp --out report-converted
