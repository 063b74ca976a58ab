"""Ask endpoints over HTTP: one loop in its own thread, bounded, patient, and never twice."""

__all__: list[str] = []
