"""Models behind one request shape: endpoints, local weights, and the ledger of what they said."""
