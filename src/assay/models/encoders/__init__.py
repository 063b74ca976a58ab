"""What turns pictures and words into vectors, one encoder a file."""
