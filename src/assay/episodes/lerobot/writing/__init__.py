"""What the writer of LeRobot datasets is made of, one kind of file each."""
