"""Build the stand-ins: `python -m standins [--tag NAME] [--output FILE]` prints the image archive.

Without --output the archive lies beside the program in the user's cache.
"""

import argparse
import sys
from pathlib import Path

from standins import build, image


def main() -> int:
    """Return 0, or 2 with the reason on standard error."""
    parser = argparse.ArgumentParser(prog="python -m standins", description=__doc__)
    parser.add_argument("--tag", default=image.TAG, help="the image's name (%(default)s)")
    parser.add_argument("--output", type=Path, help="where to write the archive")
    arguments = parser.parse_args()
    try:
        program = build.binary()
        archive = arguments.output or program.with_name("image.tar")
        image.write(archive, program, architecture=build.architecture(), tag=arguments.tag)
    except (build.BuildError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    sys.stdout.write(f"{archive}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
