"""One use case per file: settings in, result out, run directory written."""
