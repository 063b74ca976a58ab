"""What evaluation harnesses leave behind: results, step by step traces, videos."""
