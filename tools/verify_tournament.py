#!/usr/bin/env python3
"""Checks a tournament's ballot or a secret wager, as docs/VERIFY.md describes them.

    verify_tournament.py ballot COMMITMENT SECRET [--added WORDS]... NAME...
    verify_tournament.py form COMMITMENT SALT CONTENT

The first prints the names in the order that was drawn. Exits with 1 if the commitment is not kept.
"""

import argparse
import hashlib
import sys


def sha(*pieces):
    return hashlib.sha256(b"".join(pieces)).digest()


def text(words):
    return words.encode("utf-8")


def stream(seed):
    block = 0
    while True:
        digest = sha(seed, block.to_bytes(4, "big"))
        for at in range(0, 32, 4):
            yield int.from_bytes(digest[at:at + 4], "big")
        block += 1


def below(n, words):
    most = 2**32 - 1 - 2**32 % n
    for word in words:
        if word <= most:
            return word % n


def draw(names, secret, added):
    seed = sha(b"sabot-ballot-1\ndraw\n", text(secret))
    for words in added:
        seed = sha(seed, text(words))
    words = stream(seed)
    names = list(names)
    for i in range(len(names) - 1, 0, -1):
        j = below(i + 1, words)
        names[i], names[j] = names[j], names[i]
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    ballot = commands.add_parser("ballot")
    ballot.add_argument("commitment")
    ballot.add_argument("secret")
    ballot.add_argument("names", nargs="+")
    ballot.add_argument("--added", action="append", default=[])
    form = commands.add_parser("form")
    form.add_argument("commitment")
    form.add_argument("salt")
    form.add_argument("content")
    asked = parser.parse_args()
    if asked.command == "ballot":
        kept = sha(b"sabot-ballot-1\n", text(asked.secret)).hex() == asked.commitment
        if kept:
            print("\n".join(draw(asked.names, asked.secret, asked.added)))
    else:
        kept = sha(b"sabot-secret-1\n", text(asked.salt), b"\n", text(asked.content)).hex() == asked.commitment
        if kept:
            print(f"the form says: {asked.content}")
    if not kept:
        print("that is not what was committed to", file=sys.stderr)
        sys.exit(1)


main()
