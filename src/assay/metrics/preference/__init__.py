"""Votes in, a ranking with intervals out: counts, groups, tiers, resamples, the next pair."""
