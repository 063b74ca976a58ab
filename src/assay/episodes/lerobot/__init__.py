"""LeRobot datasets: `reader` and `writer` are the ways in."""
