"""What the reader of LeRobot datasets is made of, one kind of file or column each."""
