"""What episodes can be written as: one file each, and nothing else."""
