"""`python -m shaderlab`."""

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[0]  # the folder it was started in, whose files are no modules of ours

from shaderlab.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
