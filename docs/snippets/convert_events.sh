cat > reports.jsonl <<'END'
{"clip": "clip-0", "events": [{"type": "blur", "span_s": [0.2, 0.4], "severity": 2}]}
END
assay convert runs/pi0 --to lerobot --out ./pi0-labelled --events reports.jsonl
