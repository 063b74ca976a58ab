"""Policies that answer from a server: what is sent, what comes back, and what can go wrong."""

__all__: list[str] = []
