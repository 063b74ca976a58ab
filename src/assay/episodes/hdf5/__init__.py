"""Data in HDF5 files of others: opened, checked and read, and never beyond the file itself."""
