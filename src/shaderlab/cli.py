"""The command line of design §3."""


def main() -> int:
    raise SystemExit(2)
