"""robomimic and LIBERO datasets: what is in a file, and how it becomes episodes."""
