"""Policies that learnt from demonstrations: what they look at, how they learn, how they act."""
