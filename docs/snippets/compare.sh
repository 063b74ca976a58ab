assay audit pi0=runs/pi0 --out report-pi0
assay audit act=runs/act --out report-act
assay compare report-pi0 report-act --metric mp --metric mc@75 --out compared
