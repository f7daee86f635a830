#!/usr/bin/env python3
"""Verify the record of a shoe that Sabot dealt.

This program follows docs/VERIFY.md, which describes the procedure `sabot-shoe-1`, and was
written from that page alone. It needs nothing but Python 3 and its standard library.

    python3 tools/verify_shoe.py RECORD.json     (or - to read standard input)
    python3 tools/verify_shoe.py --self-test

It exits with

    0  if everything in the record holds; it then says what it checked,
    1  if something does not hold; every fault is printed on standard output, one a line,
    2  if the file cannot be read as a record; the reason is printed on standard error.
"""

import argparse
import hashlib
import json
import struct
import sys
from collections import Counter, namedtuple

PROTOCOL = "sabot-shoe-1"
RANKS = "A23456789TJQK"
SUITS = "hdcs"
DECK = [rank + suit for rank in RANKS for suit in SUITS]
MOST_DECKS = 16
ENTROPY_BYTES = 4096
HASH_BYTES = 32
MOST_NONCES = 64
MOST_NONCE_BYTES = 64

# A real record is well below one MiB. The limits keep a hostile file from using up the machine.
MOST_FILE_BYTES = 16 * 1024 * 1024
MOST_DIGITS = 100

RECORD_FIELDS = (
    "protocol", "decks", "commitment", "nonces", "root", "cut", "dealt", "openings", "entropy",
)
OPENING_FIELDS = ("index", "card", "salt", "path")

Record = namedtuple("Record", RECORD_FIELDS)
Opening = namedtuple("Opening", OPENING_FIELDS)


class FormError(Exception):
    """The file cannot be read as a record."""


class StreamExhausted(Exception):
    """The stream has no word left, so it makes no shoe."""


# ---------------------------------------------------------------------------------------------
# Hashes and ChaCha20
# ---------------------------------------------------------------------------------------------

def sha256(*parts):
    """The SHA-256 of the parts joined."""
    return hashlib.sha256(b"".join(parts)).digest()


def u32(number):
    """A number as four bytes, most significant first."""
    return struct.pack(">I", number)


def _quarter_round(state, a, b, c, d):
    """The quarter round of RFC 8439, 2.1, on four places of the state."""
    for first, second, third, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        state[first] = (state[first] + state[second]) & 0xFFFFFFFF
        mixed = state[third] ^ state[first]
        state[third] = ((mixed << turn) & 0xFFFFFFFF) | (mixed >> (32 - turn))


def chacha20_block(key, counter, nonce):
    """The block function of RFC 8439, 2.3: 64 bytes of key stream."""
    start = struct.unpack("<16I", b"expand 32-byte k" + key + struct.pack("<I", counter) + nonce)
    state = list(start)
    for _ in range(10):
        # Four columns, then four diagonals.
        _quarter_round(state, 0, 4, 8, 12)
        _quarter_round(state, 1, 5, 9, 13)
        _quarter_round(state, 2, 6, 10, 14)
        _quarter_round(state, 3, 7, 11, 15)
        _quarter_round(state, 0, 5, 10, 15)
        _quarter_round(state, 1, 6, 11, 12)
        _quarter_round(state, 2, 7, 8, 13)
        _quarter_round(state, 3, 4, 9, 14)
    return struct.pack("<16I", *((x + y) & 0xFFFFFFFF for x, y in zip(state, start)))


def chacha20_stream(key, length):
    """The first bytes of the key stream for a nonce of zeros and a counter that starts at 0."""
    blocks = (length + 63) // 64
    return b"".join(chacha20_block(key, block, bytes(12)) for block in range(blocks))[:length]


# ---------------------------------------------------------------------------------------------
# The tree
# ---------------------------------------------------------------------------------------------

def leaf_hash(size, position, card, salt):
    """The hash of the leaf at a position of a shoe of so many cards."""
    return sha256(b"\x00", u32(size), u32(position), card.encode("ascii"), salt)


def node_hash(left, right):
    """The hash of the node above two hashes."""
    return sha256(b"\x01", left, right)


def tree_root(leaves):
    """The root over a list of leaves that is not empty."""
    level = list(leaves)
    while len(level) > 1:
        above = [node_hash(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
        if len(level) % 2 == 1:
            above.append(level[-1])
        level = above
    return level[0]


def path_end(leaf, position, count, path):
    """Where a path leads from a leaf among `count`; None if the path has the wrong length."""
    ours = leaf
    used = 0
    while count > 1:
        if position % 2 == 1 or position < count - 1:
            if used == len(path):
                return None
            if position % 2 == 1:
                ours = node_hash(path[used], ours)
            else:
                ours = node_hash(ours, path[used])
            used += 1
        position //= 2
        count = (count + 1) // 2
    return ours if used == len(path) else None


# ---------------------------------------------------------------------------------------------
# The order
# ---------------------------------------------------------------------------------------------

def shoe_words(entropy, nonces):
    """The words of the stream that the entropy and the nonces make."""
    key = sha256(b"sabot-shoe-1 nonces", *(bytes([len(nonce)]) + nonce for nonce in nonces))
    pad = chacha20_stream(key, len(entropy))
    stream = bytes(x ^ y for x, y in zip(entropy, pad))
    return struct.unpack(">%dI" % (len(stream) // 4), stream)


def number_below(limit, words):
    """The next number below a limit, from an iterator over words."""
    # Words from here on are forgotten: they would make the small numbers more likely.
    too_big = 2**32 - 2**32 % limit
    for word in words:
        if word < too_big:
            return word % limit
    raise StreamExhausted()


def shuffled(decks, words):
    """The cards of the shoe, before the cut."""
    cards = DECK * decks
    words = iter(words)
    for i in range(len(cards) - 1, 0, -1):
        j = number_below(i + 1, words)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def all_salts(entropy, count):
    """The salts of the positions from 0 to count - 1."""
    salt_key = sha256(b"sabot-shoe-1 salts", entropy)
    return [sha256(salt_key, u32(position)) for position in range(count)]


# ---------------------------------------------------------------------------------------------
# Reading the form
# ---------------------------------------------------------------------------------------------

def _shown(value):
    """Something out of the file, short and in plain ASCII, so that it cannot upset a terminal."""
    text = ascii(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _object_without_repeats(pairs):
    """Make a JSON object; readers disagree on which of two equal keys counts, so neither does."""
    result = {}
    for key, value in pairs:
        if key in result:
            raise FormError("the key %s stands twice in one object" % _shown(key))
        result[key] = value
    return result


def _no_constant(name):
    # Python would take NaN and Infinity, which are not JSON.
    raise FormError("not JSON: %s" % name)


def _short_int(digits):
    if len(digits) > MOST_DIGITS:
        raise FormError("a number has more than %d digits" % MOST_DIGITS)
    return int(digits)


def parse_json(data):
    """The value of a JSON text given as bytes."""
    try:
        return json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_object_without_repeats,
            parse_constant=_no_constant,
            parse_int=_short_int,
        )
    except UnicodeDecodeError as error:
        raise FormError("not JSON: not UTF-8 at byte %d" % error.start) from None
    except ValueError as error:
        raise FormError("not JSON: %s" % error) from None
    except (RecursionError, MemoryError):
        raise FormError("the JSON is nested too deeply or too big") from None


def _fields(value, names, where):
    """The values of an object's fields in the order of the names; no field more or less."""
    if type(value) is not dict:
        raise FormError("%s is not an object" % where)
    for name in names:
        if name not in value:
            raise FormError("%s has no field `%s`" % (where, name))
    for name in value:
        if name not in names:
            raise FormError("%s has an unknown field %s" % (where, _shown(name)))
    return [value[name] for name in names]


def _array(value, where):
    if type(value) is not list:
        raise FormError("%s is not an array" % where)
    return value


def _text(value, where):
    if type(value) is not str:
        raise FormError("%s is not a text" % where)
    # JSON can spell half of a character (a lone surrogate), which is no text.
    if any("\ud800" <= char <= "\udfff" for char in value):
        raise FormError("%s is not valid Unicode" % where)
    return value


def _whole_number(value, where):
    # Compared by type because true and false count as integers in Python.
    if type(value) is not int:
        raise FormError("%s is not a whole number" % where)
    return value


def _bytes(value, least, most, where):
    """The bytes that a lower-case hexadecimal text stands for."""
    text = _text(value, where)
    # Checked by hand because bytes.fromhex also takes upper case and spaces.
    if any(char not in "0123456789abcdef" for char in text):
        raise FormError("%s is not lower-case hexadecimal" % where)
    if len(text) % 2 == 1:
        raise FormError("%s has an odd number of hexadecimal digits" % where)
    if not least <= len(text) // 2 <= most:
        wanted = str(least) if least == most else "%d to %d" % (least, most)
        raise FormError("%s has %d bytes instead of %s" % (where, len(text) // 2, wanted))
    return bytes.fromhex(text)


def _hash(value, where):
    return _bytes(value, HASH_BYTES, HASH_BYTES, where)


def _card(value, where):
    text = _text(value, where)
    if text not in DECK:
        raise FormError("%s is not a card: %s" % (where, _shown(text)))
    return text


def read_opening(value, where):
    """An opening, from its JSON value."""
    index, card, salt, path = _fields(value, OPENING_FIELDS, where)
    index = _whole_number(index, where + ".index")
    if index < 0:
        raise FormError("%s.index is less than 0" % where)
    return Opening(
        index=index,
        card=_card(card, where + ".card"),
        salt=_hash(salt, where + ".salt"),
        path=[
            _hash(item, "%s.path[%d]" % (where, i))
            for i, item in enumerate(_array(path, where + ".path"))
        ],
    )


def read_record(value):
    """A record, from its JSON value. Whether what it says holds is not looked at here."""
    (protocol, decks, commitment, nonces, root, cut, dealt, openings, entropy) = _fields(
        value, RECORD_FIELDS, "the record"
    )
    nonces = _array(nonces, "nonces")
    if len(nonces) > MOST_NONCES:
        raise FormError("there are %d nonces, more than %d" % (len(nonces), MOST_NONCES))
    return Record(
        protocol=_text(protocol, "protocol"),
        decks=_whole_number(decks, "decks"),
        commitment=_hash(commitment, "commitment"),
        nonces=[
            _bytes(nonce, 1, MOST_NONCE_BYTES, "nonces[%d]" % i)
            for i, nonce in enumerate(nonces)
        ],
        root=None if root is None else _hash(root, "root"),
        cut=None if cut is None else _whole_number(cut, "cut"),
        dealt=[_text(item, "dealt[%d]" % i) for i, item in enumerate(_array(dealt, "dealt"))],
        openings=[
            read_opening(item, "openings[%d]" % i)
            for i, item in enumerate(_array(openings, "openings"))
        ],
        entropy=(
            None if entropy is None
            else _bytes(entropy, ENTROPY_BYTES, ENTROPY_BYTES, "entropy")
        ),
    )


def read_file(name):
    """The bytes of a file, or of standard input if the name is -."""
    try:
        if name == "-":
            if sys.stdin is None:
                raise FormError("there is no standard input")
            data = sys.stdin.buffer.read(MOST_FILE_BYTES + 1)
        else:
            with open(name, "rb") as file:
                data = file.read(MOST_FILE_BYTES + 1)
    except OSError as error:
        raise FormError("cannot read: %s" % error) from None
    if len(data) > MOST_FILE_BYTES:
        raise FormError("the file is bigger than %d bytes" % MOST_FILE_BYTES)
    return data


# ---------------------------------------------------------------------------------------------
# Checking what the record says
# ---------------------------------------------------------------------------------------------

def find_faults(record):
    """Everything in the record that does not hold, each as one line of text."""
    faults = []
    if record.protocol != PROTOCOL:
        faults.append("protocol is %s, not '%s'" % (_shown(record.protocol), PROTOCOL))

    # Where a number that other checks build on is out of range, it stays None below and those
    # checks are left out: the record is refused for the number, and they would have no meaning.
    size = None
    if 1 <= record.decks <= MOST_DECKS:
        size = len(DECK) * record.decks
    else:
        faults.append("decks is %d, not from 1 to %d" % (record.decks, MOST_DECKS))
    cut = None
    if record.cut is not None:
        if record.cut < 0 or (size is not None and record.cut >= size):
            last = "N - 1" if size is None else str(size - 1)
            faults.append("cut is %d, not from 0 to %s" % (record.cut, last))
        else:
            cut = record.cut

    faults += _faults_of_stage(record, size)
    faults += _faults_of_openings(record, size, cut)
    if record.entropy is not None:
        faults += _faults_of_entropy(record, size, cut)
    return faults


def _faults_of_stage(record, size):
    """Check 1: nothing is there before what it needs, and not too much is dealt."""
    faults = []
    if record.cut is not None and record.root is None:
        faults.append("there is a cut but no root")
    if record.dealt and record.cut is None:
        faults.append("cards are dealt but there is no cut")
    if record.openings and record.cut is None:
        faults.append("cards are opened but there is no cut")
    if size is not None and len(record.dealt) > size:
        faults.append(
            "%d cards are dealt from a shoe of %d" % (len(record.dealt), size)
        )
    return faults


def _name_of(place, opening):
    return "openings[%d] (index %d, %s)" % (place, opening.index, opening.card)


def _faults_of_openings(record, size, cut):
    """Checks 2, 3 and 4."""
    faults = []
    seen = set()
    for place, opening in enumerate(record.openings):
        name = _name_of(place, opening)
        if opening.index >= len(record.dealt):
            faults.append("%s: only %d cards are dealt" % (name, len(record.dealt)))
        if opening.index in seen:
            faults.append("%s: this index is opened more than once" % name)
        seen.add(opening.index)
        if size is not None and cut is not None and record.root is not None:
            position = (cut + opening.index) % size
            leaf = leaf_hash(size, position, opening.card, opening.salt)
            end = path_end(leaf, position, size, opening.path)
            if end is None:
                faults.append("%s: the path has too many or too few hashes" % name)
            elif end != record.root:
                faults.append("%s: the path does not lead to the root" % name)
    if size is not None:
        times = Counter(opening.card for opening in record.openings)
        for card in DECK:
            if times[card] > record.decks:
                faults.append(
                    "%s is opened %d times, but the number of decks is %d"
                    % (card, times[card], record.decks)
                )
    return faults


def _faults_of_entropy(record, size, cut):
    """Checks 5, 6 and 7."""
    faults = []
    if sha256(record.entropy) != record.commitment:
        faults.append("the entropy is not what the commitment commits to")
    # Without a root no order was made, and there is none to compare with.
    if size is None or record.root is None:
        return faults
    try:
        cards = shuffled(record.decks, shoe_words(record.entropy, record.nonces))
    except StreamExhausted:
        faults.append("the entropy and the nonces make no order: the stream has no word left")
        return faults
    salts = all_salts(record.entropy, size)
    leaves = [leaf_hash(size, i, card, salt) for i, (card, salt) in enumerate(zip(cards, salts))]
    if tree_root(leaves) != record.root:
        faults.append("the order made from the entropy and the nonces has another root")
    if cut is None:
        return faults
    for place, opening in enumerate(record.openings):
        position = (cut + opening.index) % size
        if opening.card != cards[position]:
            faults.append(
                "%s: the order has %s at this place"
                % (_name_of(place, opening), cards[position])
            )
        if opening.salt != salts[position]:
            faults.append("%s: this is not the salt of its position" % _name_of(place, opening))
    return faults


def what_was_checked(record):
    """What to say about a record that holds, as lines."""
    lines = [
        "The record holds: %s, decks: %d, cards: %d, nonces: %d, cut: %s."
        % (
            PROTOCOL, record.decks, len(DECK) * record.decks, len(record.nonces),
            "not yet" if record.cut is None else record.cut,
        ),
        "Cards dealt: %d. Cards proved by their path to the root: %d. Cards not opened: %d."
        % (
            len(record.dealt), len(record.openings), len(record.dealt) - len(record.openings),
        ),
    ]
    if record.entropy is None:
        lines.append(
            "The entropy is not out: the commitment and the whole order cannot be checked yet."
        )
    elif record.root is None:
        lines.append(
            "The entropy is out and is what was committed to; no order was made from it."
        )
    else:
        lines.append(
            "The entropy is out and is what was committed to; the whole order was recomputed"
            " and has this root."
        )
    lines.append("Compare with what you wrote down before the cut:")
    lines.append("  commitment " + record.commitment.hex())
    lines.append("  root       " + ("none" if record.root is None else record.root.hex()))
    return lines


# ---------------------------------------------------------------------------------------------
# The self-test and the command line
# ---------------------------------------------------------------------------------------------

def _test_chacha20():
    """The test vector of RFC 8439, 2.3.2, and the first two of its appendix A.1."""
    block = chacha20_block(bytes(range(32)), 1, bytes.fromhex("000000090000004a00000000"))
    expected = (
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"
    )
    stream = chacha20_stream(bytes(32), 128)
    expected_stream = (
        "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
        "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"
        "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
        "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f"
    )
    return block.hex() == expected and stream.hex() == expected_stream


def _test_small_trees():
    """Roots of small trees, joined here by hand."""
    a, b, c, d, e, f, g = (bytes([i]) * HASH_BYTES for i in range(7))
    join = node_hash
    return (
        tree_root([a]) == a
        and tree_root([a, b]) == join(a, b)
        and tree_root([a, b, c]) == join(join(a, b), c)
        and tree_root([a, b, c, d]) == join(join(a, b), join(c, d))
        and tree_root([a, b, c, d, e]) == join(join(join(a, b), join(c, d)), e)
        and tree_root([a, b, c, d, e, f]) == join(join(join(a, b), join(c, d)), join(e, f))
        and tree_root([a, b, c, d, e, f, g])
        == join(join(join(a, b), join(c, d)), join(join(e, f), g))
    )


def _test_small_paths():
    """Paths in a tree of five, written down by hand; any other length is refused."""
    a, b, c, d, e = leaves = [bytes([i]) * HASH_BYTES for i in range(5)]
    ab, cd = node_hash(a, b), node_hash(c, d)
    root = tree_root(leaves)
    paths = [[b, cd, e], [a, cd, e], [d, ab, e], [c, ab, e], [node_hash(ab, cd)]]
    for position, path in enumerate(paths):
        leaf = leaves[position]
        if path_end(leaf, position, 5, path) != root:
            return False
        if path_end(leaf, position, 5, path[:-1]) is not None:
            return False
        if path_end(leaf, position, 5, path + [a]) is not None:
            return False
    return path_end(a, 0, 1, []) == a and path_end(a, 0, 2, [c]) == node_hash(a, c) != root


def _test_numbers():
    """Words at and above the limit are forgotten, the last one below it counts."""
    # 2**32 mod 7 is 4, so the last four words are forgotten.
    words = iter([2**32 - 1, 2**32 - 4, 2**32 - 5, 2**32 - 1])
    if number_below(7, words) != 6:
        return False
    if number_below(8, words) != 7:
        return False
    try:
        number_below(2, words)
    except StreamExhausted:
        return True
    return False


def _test_shuffle():
    """With only zeros every card in turn changes places with the first: all move up by one."""
    if len(set(DECK)) != 52 or DECK[:5] != ["Ah", "Ad", "Ac", "As", "2h"] or DECK[-1] != "Ks":
        return False
    return shuffled(1, [0] * 51) == DECK[1:] + DECK[:1]


def self_test():
    """Run the tests of the parts; the exit code."""
    tests = (
        ("ChaCha20 (RFC 8439, 2.3.2 and A.1)", _test_chacha20),
        ("roots of trees of 1 to 7 leaves", _test_small_trees),
        ("paths in small trees", _test_small_paths),
        ("numbers below n", _test_numbers),
        ("order of the cards and change of places", _test_shuffle),
    )
    failed = False
    for name, test in tests:
        good = test()
        print("%s: %s" % ("ok" if good else "FAILED", name))
        failed = failed or not good
    return 1 if failed else 0


def main(arguments=None):
    """The command line; the exit code."""
    parser = argparse.ArgumentParser(
        description="Verify the record of a shoe, as docs/VERIFY.md describes it.",
        epilog="Exit codes: 0 the record holds, 1 it does not hold, 2 it cannot be read as a"
        " record.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "record", metavar="RECORD.json", nargs="?", help="the record, or - for standard input"
    )
    parser.add_argument(
        "--self-test", action="store_true", help="check this program's parts, read no record"
    )
    options = parser.parse_args(arguments)
    if options.self_test == (options.record is not None):
        parser.error("name one record, or use --self-test without one")
    if options.self_test:
        return self_test()

    try:
        record = read_record(parse_json(read_file(options.record)))
    except FormError as error:
        print("not a record: %s" % error, file=sys.stderr)
        return 2
    faults = find_faults(record)
    if faults:
        for fault in faults:
            print("does not hold: " + fault)
        return 1
    print("\n".join(what_was_checked(record)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
