cat > truth.jsonl <<'END'
{"clip": "a", "dataset": "sim", "events": [{"type": "object_floating", "span_s": [1.0, 2.4], "severity": 4, "description": "the red block floats above the table"}]}
{"clip": "b", "dataset": "sim", "events": []}
{"clip": "c", "dataset": "real", "events": [{"type": "blur", "span_s": [0.0, 0.8], "severity": 2, "description": "the first second is blurred"}]}
END
cat > gaze.jsonl <<'END'
{"clip": "a", "dataset": "sim", "events": [{"type": "object_floating", "span_s": [1.2, 2.4], "severity": 3, "description": "a red block floats in the air"}]}
{"clip": "b", "dataset": "sim", "events": []}
{"clip": "c", "dataset": "real", "events": []}
END
assay bench glitches --reports gaze.jsonl --references truth.jsonl --out scored
assay bench glitches --reports gaze.jsonl --references truth.jsonl --format csv
