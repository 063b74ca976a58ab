"""Run the command line as `python -m assay`."""

from assay.cli import main

if __name__ == "__main__":
    main()
