#!/usr/bin/env python3
"""Verify the record of a shoe that Sabot dealt.

This program follows docs/VERIFY.md, which describes the procedure `sabot-shoe-2` and its weaker
forerunner `sabot-shoe-1`, and was written from that page alone. It needs nothing but Python 3
and its standard library.

    python3 tools/verify_shoe.py RECORD.json     (or - to read standard input)
    python3 tools/verify_shoe.py --self-test

It exits with

    0  if everything in the record holds; it then says what it checked,
    1  if something does not hold; every fault is printed on standard output, one a line,
    2  if the file cannot be read as a record; the reason is printed on standard error.
"""

import argparse
import copy
import hashlib
import hmac
import itertools
import json
import struct
import sys
from collections import Counter, namedtuple

FIRST = "sabot-shoe-1"
SECOND = "sabot-shoe-2"
RANKS = "A23456789TJQK"
SUITS = "hdcs"
DECK = [rank + suit for rank in RANKS for suit in SUITS]
MOST_DECKS = 16
ENTROPY_BYTES = 4096
HASH_BYTES = 32
SIGNATURE_BYTES = 64
MOST_NONCES = 64
MOST_NONCE_BYTES = 64
MOST_PROMISES = 64
MOST_TEXT_BYTES = 100
MOST_NUMBER = 2**32 - 1
CUTTERS = ("player", "staff")

# A real record is well below one MiB. The limits keep a hostile file from using up the machine.
MOST_FILE_BYTES = 16 * 1024 * 1024
MOST_DIGITS = 100

FIRST_FIELDS = (
    "protocol", "decks", "commitment", "nonces", "root", "cut", "dealt", "openings", "entropy",
)
SECOND_FIELDS = (
    "protocol", "decks", "commitment", "binds", "promises", "signature", "firsts", "root",
    "cutter", "cut", "seconds", "dealt", "openings", "entropy",
)
BINDS_FIELDS = ("key", "table", "number", "book", "behind", "least")
PROMISE_FIELDS = ("account", "first", "second")
OPENING_FIELDS = ("index", "card", "salt", "path")

Binds = namedtuple("Binds", BINDS_FIELDS)
Promise = namedtuple("Promise", PROMISE_FIELDS)
Opening = namedtuple("Opening", OPENING_FIELDS)


# A record has the form of one of the procedures whatever its `protocol` says: a record of an
# unknown protocol is read too, so that it can be refused for that and not as unreadable.
class FirstRecord(namedtuple("FirstRecord", FIRST_FIELDS)):
    """A record with the fields of `sabot-shoe-1`."""

    form = FIRST


class SecondRecord(namedtuple("SecondRecord", SECOND_FIELDS)):
    """A record with the fields of `sabot-shoe-2`."""

    form = SECOND


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


def text_bytes(text):
    """A text with its length before it, so that two texts in a row cannot be told otherwise."""
    data = text.encode("utf-8")
    return u32(len(data)) + data


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
# Ed25519
# ---------------------------------------------------------------------------------------------

# The field, the order of the base point and the curve -x*x + y*y = 1 + d*x*x*y*y of RFC 8032.
FIELD = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
CURVE_D = -121665 * pow(121666, -1, FIELD) % FIELD
ROOT_OF_MINUS_ONE = pow(2, (FIELD - 1) // 4, FIELD)

# A point is (X, Y, Z, T) with x = X/Z, y = Y/Z and x*y = T/Z: adding needs no division then.
NEUTRAL = (0, 1, 1, 0)


def point_sum(p, q):
    """The sum of two points, by the formulas of RFC 8032, 5.1.4."""
    a = (p[1] - p[0]) * (q[1] - q[0]) % FIELD
    b = (p[1] + p[0]) * (q[1] + q[0]) % FIELD
    c = 2 * p[3] * q[3] * CURVE_D % FIELD
    d = 2 * p[2] * q[2] % FIELD
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % FIELD, g * h % FIELD, f * g % FIELD, e * h % FIELD)


def point_times(number, point):
    """A point added to itself so many times."""
    result = NEUTRAL
    while number > 0:
        if number % 2 == 1:
            result = point_sum(result, point)
        point = point_sum(point, point)
        number //= 2
    return result


def same_point(p, q):
    """Whether two points are the same; their X, Y and Z may differ by a factor."""
    return (p[0] * q[2] - q[0] * p[2]) % FIELD == 0 and (p[1] * q[2] - q[1] * p[2]) % FIELD == 0


def read_point(data):
    """The point that 32 bytes stand for (RFC 8032, 5.1.3); None if they stand for none."""
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number % 2**255
    if y >= FIELD:
        return None
    square = (y * y - 1) * pow(CURVE_D * y * y + 1, -1, FIELD) % FIELD
    x = pow(square, (FIELD + 3) // 8, FIELD)
    if x * x % FIELD != square:
        x = x * ROOT_OF_MINUS_ONE % FIELD
    if x * x % FIELD != square or (x == 0 and sign == 1):
        return None
    if x % 2 != sign:
        x = FIELD - x
    return (x, y, 1, x * y % FIELD)


BASE = read_point((4 * pow(5, -1, FIELD) % FIELD).to_bytes(32, "little"))


def scalar_of_hash(*parts):
    """The SHA-512 of the parts joined, as a number below the order of the base point."""
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % ORDER


def signature_holds(key, message, signature):
    """Whether a signature of a message is by this key (RFC 8032, 5.1.7)."""
    key_point, r_point = read_point(key), read_point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if key_point is None or r_point is None or s >= ORDER:
        return False
    # For the eight points of small order there are signatures that hold for any message at all.
    if any(same_point(point_times(8, point), NEUTRAL) for point in (key_point, r_point)):
        return False
    k = scalar_of_hash(signature[:32], key, message)
    # Without the factor 8 that the RFC leaves to choice: what holds here holds with it too.
    return same_point(point_times(s, BASE), point_sum(r_point, point_times(k, key_point)))


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
# Commitment, promises and words of `sabot-shoe-2`
# ---------------------------------------------------------------------------------------------

def commitment_to(binds, decks, entropy):
    """What commits to the entropy and to everything else that was settled before."""
    return sha256(
        b"sabot-shoe-2 commitment", binds.key, text_bytes(binds.table), u32(binds.number),
        u32(decks), binds.book, u32(binds.behind), u32(binds.least), entropy,
    )


def promise_of(which, commitment, account, word):
    """The promise of a word; `which` is first or second."""
    start = b"sabot-shoe-2 " + which.encode("ascii")
    return sha256(start, commitment, text_bytes(account), word)


def signed_list(commitment, promises):
    """The bytes that the house signs when it closes the list of promises."""
    items = (text_bytes(item.account) + item.first + item.second for item in promises)
    return b"".join([b"sabot-shoe-2 list", commitment, u32(len(promises)), *items])


def words_in_order(promises, words):
    """The words that were opened, each behind its first promise, in the order of those."""
    pairs = [(item.first, word) for item, word in zip(promises, words) if word is not None]
    return b"".join(promise + word for promise, word in sorted(pairs))


# ---------------------------------------------------------------------------------------------
# The order
# ---------------------------------------------------------------------------------------------

def first_stream(entropy, nonces):
    """The stream that the entropy and the nonces of `sabot-shoe-1` make."""
    key = sha256(b"sabot-shoe-1 nonces", *(bytes([len(nonce)]) + nonce for nonce in nonces))
    pad = chacha20_stream(key, len(entropy))
    return bytes(x ^ y for x, y in zip(entropy, pad))


def second_stream(entropy, commitment, words):
    """The stream that the entropy and the first words of `sabot-shoe-2`, in order, make."""
    start = b"sabot-shoe-2 stream" + commitment + sha256(b"sabot-shoe-2 words", words)
    return b"".join(
        hmac.digest(entropy[32 * i:32 * i + 32], start + u32(i), "sha256")
        for i in range(len(entropy) // 32)
    )


def words_of(stream):
    """The words of four bytes of a stream."""
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


def all_salts(form, entropy, count):
    """The salts of the positions from 0 to count - 1."""
    salt_key = sha256(form.encode("ascii") + b" salts", entropy)
    return [sha256(salt_key, u32(position)) for position in range(count)]


def all_leaves(cards, salts):
    """The leaves of the tree over the cards in their order."""
    size = len(cards)
    return [leaf_hash(size, i, card, salt) for i, (card, salt) in enumerate(zip(cards, salts))]


def computed_cut(commitment, root, words, size, least):
    """The depth of the cut that nobody chooses, from the second words in order."""
    seed = sha256(b"sabot-shoe-2 cut", commitment, root, words)
    # This stream has no end.
    blocks = (words_of(sha256(seed, u32(i))) for i in itertools.count())
    return least + number_below(size - 2 * least + 1, itertools.chain.from_iterable(blocks))


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


def _items(value, reader, where):
    """The items of an array, each read by the reader."""
    return [reader(item, "%s[%d]" % (where, i)) for i, item in enumerate(_array(value, where))]


def _or_null(value, reader, where):
    return None if value is None else reader(value, where)


def _text(value, where):
    if type(value) is not str:
        raise FormError("%s is not a text" % where)
    # JSON can spell half of a character (a lone surrogate), which is no text.
    if any("\ud800" <= char <= "\udfff" for char in value):
        raise FormError("%s is not valid Unicode" % where)
    return value


def _short_text(value, where):
    text = _text(value, where)
    length = len(text.encode("utf-8"))
    if not 1 <= length <= MOST_TEXT_BYTES:
        raise FormError("%s has %d bytes instead of 1 to %d" % (where, length, MOST_TEXT_BYTES))
    return text


def _whole_number(value, where):
    # Compared by type because true and false count as integers in Python.
    if type(value) is not int:
        raise FormError("%s is not a whole number" % where)
    if value < 0:
        raise FormError("%s is less than 0" % where)
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


def _nonce(value, where):
    return _bytes(value, 1, MOST_NONCE_BYTES, where)


def _signature(value, where):
    return _bytes(value, SIGNATURE_BYTES, SIGNATURE_BYTES, where)


def _entropy(value, where):
    return _bytes(value, ENTROPY_BYTES, ENTROPY_BYTES, where)


def _card(value, where):
    text = _text(value, where)
    if text not in DECK:
        raise FormError("%s is not a card: %s" % (where, _shown(text)))
    return text


def _cutter(value, where):
    text = _text(value, where)
    if text not in CUTTERS:
        raise FormError("%s is neither `player` nor `staff`: %s" % (where, _shown(text)))
    return text


def _words(value, where):
    """First or second words: an array in which null stands for a word that was not opened."""
    return _items(value, lambda item, place: _or_null(item, _hash, place), where)


def read_opening(value, where):
    """An opening, from its JSON value."""
    index, card, salt, path = _fields(value, OPENING_FIELDS, where)
    return Opening(
        index=_whole_number(index, where + ".index"),
        card=_card(card, where + ".card"),
        salt=_hash(salt, where + ".salt"),
        path=_items(path, _hash, where + ".path"),
    )


def read_binds(value, where):
    """What the commitment binds besides the entropy, from its JSON value."""
    key, table, number, book, behind, least = _fields(value, BINDS_FIELDS, where)
    return Binds(
        key=_hash(key, where + ".key"),
        table=_short_text(table, where + ".table"),
        number=_whole_number(number, where + ".number"),
        book=_hash(book, where + ".book"),
        behind=_whole_number(behind, where + ".behind"),
        least=_whole_number(least, where + ".least"),
    )


def read_promise(value, where):
    """A promise, from its JSON value."""
    account, first, second = _fields(value, PROMISE_FIELDS, where)
    return Promise(
        account=_short_text(account, where + ".account"),
        first=_hash(first, where + ".first"),
        second=_hash(second, where + ".second"),
    )


def _form_of(value):
    """By which form to read a record; one of an unknown protocol goes by the fields it has."""
    if type(value) is not dict:
        raise FormError("the record is not an object")
    if "protocol" not in value:
        raise FormError("the record has no field `protocol`")
    protocol = _text(value["protocol"], "protocol")
    if protocol in (FIRST, SECOND):
        return protocol
    return FIRST if "nonces" in value else SECOND


def _common_fields(value):
    """The fields that both forms have, by their names."""
    return {
        "protocol": _text(value["protocol"], "protocol"),
        "decks": _whole_number(value["decks"], "decks"),
        "commitment": _hash(value["commitment"], "commitment"),
        "root": _or_null(value["root"], _hash, "root"),
        "cut": _or_null(value["cut"], _whole_number, "cut"),
        "dealt": _items(value["dealt"], _text, "dealt"),
        "openings": _items(value["openings"], read_opening, "openings"),
        "entropy": _or_null(value["entropy"], _entropy, "entropy"),
    }


def _at_most(value, most, where):
    """An array that is not too long, looked at before its items are read."""
    if len(_array(value, where)) > most:
        raise FormError("there are %d %s, more than %d" % (len(value), where, most))
    return value


def _read_first(value):
    _fields(value, FIRST_FIELDS, "the record")
    nonces = _at_most(value["nonces"], MOST_NONCES, "nonces")
    return FirstRecord(nonces=_items(nonces, _nonce, "nonces"), **_common_fields(value))


def _read_second(value):
    _fields(value, SECOND_FIELDS, "the record")
    promises = _at_most(value["promises"], MOST_PROMISES, "promises")
    return SecondRecord(
        binds=read_binds(value["binds"], "binds"),
        promises=_items(promises, read_promise, "promises"),
        signature=_or_null(value["signature"], _signature, "signature"),
        firsts=_or_null(value["firsts"], _words, "firsts"),
        cutter=_or_null(value["cutter"], _cutter, "cutter"),
        seconds=_or_null(value["seconds"], _words, "seconds"),
        **_common_fields(value)
    )


def read_record(value):
    """A record, from its JSON value. Whether what it says holds is not looked at here."""
    return _read_first(value) if _form_of(value) == FIRST else _read_second(value)


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
    if record.protocol != record.form:
        faults.append("protocol is %s, not '%s'" % (_shown(record.protocol), record.form))

    # Where a number that other checks build on is out of range, it stays None below and those
    # checks are left out: the record is refused for the number, and they would have no meaning.
    size = None
    if 1 <= record.decks <= MOST_DECKS:
        size = len(DECK) * record.decks
    else:
        faults.append("decks is %d, not from 1 to %d" % (record.decks, MOST_DECKS))
    cut = None
    if record.cut is not None:
        if size is not None and record.cut >= size:
            faults.append("cut is %d, not from 0 to %d" % (record.cut, size - 1))
        else:
            cut = record.cut

    faults += _faults_of_stage(record, size)
    if record.form == SECOND:
        faults += _faults_of_binds(record.binds, size)
        faults += _faults_of_second_stage(record)
        faults += _faults_of_promises(record)
        faults += _faults_of_words(record)
        faults += _faults_of_cut(record, size, cut)
    faults += _faults_of_openings(record, size, cut)
    if record.entropy is not None:
        faults += _faults_of_entropy(record, size, cut)
    return faults


def _faults_of_stage(record, size):
    """Check 1, of both forms: nothing is there before what it needs, not too much is dealt."""
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


def _faults_of_binds(binds, size):
    """Check 1, of the numbers in `binds`."""
    faults = []
    # The commitment has the number in four bytes, so no bigger one can be bound.
    if not 1 <= binds.number <= MOST_NUMBER:
        faults.append("binds.number is %d, not from 1 to %d" % (binds.number, MOST_NUMBER))
    if size is not None and binds.behind >= size:
        faults.append("binds.behind is %d, not less than %d" % (binds.behind, size))
    if binds.least < 1:
        faults.append("binds.least is 0, and a cut leaves a card on either side at least")
    if size is not None and 2 * binds.least > size:
        faults.append("binds.least is %d, more than half of %d" % (binds.least, size))
    return faults


def _faults_of_second_stage(record):
    """Check 1, of what only the second form has: nothing is there before what it needs."""
    faults = []
    if record.firsts is not None and record.signature is None:
        faults.append("there are first words but no signature")
    if (record.root is None) != (record.firsts is None):
        faults.append("of root and firsts, one is there without the other")
    if (record.cutter is None) != (record.cut is None):
        faults.append("of cutter and cut, one is there without the other")
    if record.seconds is None and record.cutter == "staff":
        faults.append("staff cut but there are no second words")
    if record.seconds is not None and record.cutter != "staff":
        faults.append("there are second words but staff did not cut")
    return faults


def _faults_of_promises(record):
    """Check 1, of the list of promises, and check 2."""
    faults = []
    for account, times in Counter(item.account for item in record.promises).items():
        if times > 1:
            faults.append("%s promised %d times" % (_shown(account), times))
    for first, times in Counter(item.first for item in record.promises).items():
        if times > 1:
            faults.append("the first promise %s stands there %d times" % (first.hex(), times))
    if record.signature is not None:
        message = signed_list(record.commitment, record.promises)
        if not signature_holds(record.binds.key, message, record.signature):
            faults.append("the signature of the list of promises does not hold")
    return faults


def _fits(record, words):
    """Whether there are words, one item for each promise; nothing is made from others."""
    return words is not None and len(words) == len(record.promises)


def _faults_of_words(record):
    """Check 1, of the number of words, and check 3."""
    faults = []
    for which, words in (("first", record.firsts), ("second", record.seconds)):
        if words is not None and not _fits(record, words):
            faults.append(
                "%ss has %d items for %d promises" % (which, len(words), len(record.promises))
            )
            continue
        for i, (promise, word) in enumerate(zip(record.promises, words or [])):
            if word is None:
                continue
            wanted = promise.first if which == "first" else promise.second
            if promise_of(which, record.commitment, promise.account, word) != wanted:
                faults.append("%ss[%d] does not keep its promise" % (which, i))
    # Who did not open the first word is left out of this shoe, and so of its cut.
    if _fits(record, record.firsts) and _fits(record, record.seconds):
        for i, (first, second) in enumerate(zip(record.firsts, record.seconds)):
            if first is None and second is not None:
                faults.append("seconds[%d] is opened, but firsts[%d] was not" % (i, i))
    return faults


def _faults_of_cut(record, size, cut):
    """Check 4."""
    least = record.binds.least
    if size is None or cut is None or 2 * least > size:
        return []
    if record.cutter == "player" and not least <= cut <= size - least:
        return ["a player cut at %d, not from %d to %d" % (cut, least, size - least)]
    if record.cutter == "staff" and record.root is not None and _fits(record, record.seconds):
        words = words_in_order(record.promises, record.seconds)
        depth = computed_cut(record.commitment, record.root, words, size, least)
        if cut != depth:
            return ["staff cut at %d, but root and second words make %d" % (cut, depth)]
    return []


def _name_of(place, opening):
    return "openings[%d] (index %d, %s)" % (place, opening.index, opening.card)


def _faults_of_openings(record, size, cut):
    """Checks 5, 6 and 7."""
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


def _commitment_faults(record, size):
    """Check 8."""
    if record.form == FIRST:
        made = sha256(record.entropy)
    elif size is None or _faults_of_binds(record.binds, size):
        return []
    else:
        made = commitment_to(record.binds, record.decks, record.entropy)
    if made != record.commitment:
        return ["the entropy is not what the commitment commits to"]
    return []


def _stream_of(record):
    """The stream that makes the order of a record with entropy; None if words are missing."""
    if record.form == FIRST:
        return first_stream(record.entropy, record.nonces)
    if not _fits(record, record.firsts):
        return None
    words = words_in_order(record.promises, record.firsts)
    return second_stream(record.entropy, record.commitment, words)


def _faults_of_entropy(record, size, cut):
    """Checks 8, 9 and 10."""
    faults = _commitment_faults(record, size)
    # Without a root no order was made, and there is none to compare with.
    if size is None or record.root is None:
        return faults
    others = "nonces" if record.form == FIRST else "first words"
    stream = _stream_of(record)
    if stream is None:
        return faults
    try:
        cards = shuffled(record.decks, words_of(stream))
    except StreamExhausted:
        faults.append(
            "the entropy and the %s make no order: the stream has no word left" % others
        )
        return faults
    salts = all_salts(record.form, record.entropy, size)
    if tree_root(all_leaves(cards, salts)) != record.root:
        faults.append("the order made from the entropy and the %s has another root" % others)
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


def _about_words(which, words, promised, why_none):
    """How many words were promised, opened and not opened, as one line."""
    opened = sum(word is not None for word in words or [])
    return "%s words promised: %d, opened: %d, promised and not opened: %d%s." % (
        which, promised, opened, promised - opened, " (%s)" % why_none if words is None else "",
    )


def _about_second(record):
    """What to say about a record that holds by the second procedure only, as lines."""
    binds = record.binds
    lines = [
        "Table: %s, shoe: %d, cards behind the cutting card: %d, least depth of a cut: %d."
        % (_shown(binds.table), binds.number, binds.behind, binds.least),
        "The list of promises is not closed yet." if record.signature is None
        else "The signature of the list of promises holds; every opened word keeps its promise.",
        _about_words("First", record.firsts, len(record.promises), "no order was made"),
        _about_words("Second", record.seconds, len(record.promises), "no cut was computed"),
    ]
    if record.cutter == "staff":
        lines.append("Staff cut, at the depth that the second words and the root make.")
    elif record.cutter == "player":
        lines.append("A player cut, within the bounds.")
    if not any(word is not None for word in record.firsts or []):
        lines.append(
            "The shoe is unwitnessed%s: no first word was opened."
            % (" so far" if record.firsts is None else "")
        )
    return lines


def what_was_checked(record):
    """What to say about a record that holds, as lines."""
    first = record.form == FIRST
    lines = [
        "The record holds: %s, decks: %d, cards: %d, %s: %d, cut: %s."
        % (
            record.form, record.decks, len(DECK) * record.decks,
            "nonces" if first else "promises", len(record.nonces if first else record.promises),
            "not yet" if record.cut is None else record.cut,
        ),
    ]
    if first:
        lines.append("It holds by the first procedure, which is weaker.")
    else:
        lines += _about_second(record)
    lines.append(
        "Cards dealt: %d. Cards proved by their path to the root: %d. Cards not opened: %d."
        % (
            len(record.dealt), len(record.openings), len(record.dealt) - len(record.openings),
        )
    )
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
    if not first:
        lines.append("  house key  " + record.binds.key.hex())
        lines.append("  book       " + record.binds.book.hex())
        lines.append(
            "  signature  " + ("none" if record.signature is None else record.signature.hex())
        )
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


def _sign(seed, message):
    """The public key of a secret seed and its signature of a message (RFC 8032, 5.1.6)."""
    digest = hashlib.sha512(seed).digest()
    secret = int.from_bytes(digest[:32], "little") % 2**254 // 8 * 8 + 2**254
    key = _point_bytes(point_times(secret, BASE))
    nonce = scalar_of_hash(digest[32:], message)
    r = _point_bytes(point_times(nonce, BASE))
    s = (nonce + scalar_of_hash(r, key, message) * secret) % ORDER
    return key, r + s.to_bytes(32, "little")


def _point_bytes(point):
    """The 32 bytes that stand for a point."""
    inverse = pow(point[2], -1, FIELD)
    x, y = point[0] * inverse % FIELD, point[1] * inverse % FIELD
    return (y + x % 2 * 2**255).to_bytes(32, "little")


ED25519_TESTS = (
    # The seed, the public key, the message and the signature of tests 1 and 3 of RFC 8032, 7.1.
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
        "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
)


def _test_ed25519():
    """Test vectors of RFC 8032, 7.1, for signing and for checking, each with faults put in."""
    for test in ED25519_TESTS:
        seed, key, message, signature = (bytes.fromhex(text) for text in test)
        if _sign(seed, message) != (key, signature) or not signature_holds(key, message, signature):
            return False
        if signature_holds(key, message + b"x", signature):
            return False
        for place in (0, 31, 32, 63):
            wrong = bytearray(signature)
            wrong[place] ^= 1
            if signature_holds(key, message, bytes(wrong)):
                return False
        # The same s but for a multiple of the order, which makes a second signature of it.
        s = int.from_bytes(signature[32:], "little") + ORDER
        if signature_holds(key, message, signature[:32] + s.to_bytes(32, "little")):
            return False
    return True


def _test_points():
    """Bytes that stand for no point, in more than one way or for a point of small order."""
    top = 2**255
    # Not below the field (y = 0 and 1 once more), x = 0 with a sign, and y with no x at all.
    for number in (FIELD, FIELD + 1, top - 1, 1 + top, FIELD - 1 + top, 2, 2 + top):
        if read_point(number.to_bytes(32, "little")) is not None:
            return False
    if read_point(_point_bytes(BASE)) != BASE or not same_point(point_times(ORDER, BASE), NEUTRAL):
        return False
    # With the neutral point as the key, R = s * base would hold for every message.
    neutral = _point_bytes(NEUTRAL)
    forged = _point_bytes(point_times(5, BASE)) + (5).to_bytes(32, "little")
    return read_point(neutral) == NEUTRAL and not signature_holds(neutral, b"any", forged)


# What the records of the self-test are made of. Nothing in it is random, so that they are always
# the same.
SAMPLE_SEED = bytes(range(32))
SAMPLE_ENTROPY = b"".join(sha256(b"entropy", u32(i)) for i in range(ENTROPY_BYTES // 32))
SAMPLE_DEALT = ["burn", "burn, unseen", "coup 1: player", "coup 1: banker"]
SAMPLE_BINDS = Binds(
    key=bytes.fromhex("03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8"),
    table="Salon bleu \u2116 1", number=3, book=sha256(b"book"), behind=14, least=10,
)


def _path(leaves, position):
    """The path from a leaf to the root."""
    path, level = [], leaves
    while len(level) > 1:
        if position ^ 1 < len(level):
            path.append(level[position ^ 1])
        # The tree over two or one is the node or the hash that goes up as it is.
        level = [tree_root(level[i:i + 2]) for i in range(0, len(level), 2)]
        position //= 2
    return path


def _sample_openings(cards, salts, cut):
    """Openings of all cards in SAMPLE_DEALT but the unseen one, the last one shown first."""
    leaves = all_leaves(cards, salts)
    openings = []
    for index in (3, 0, 2):
        position = (cut + index) % len(cards)
        openings.append(
            Opening(index, cards[position], salts[position], _path(leaves, position))
        )
    return openings


def _sample_first():
    """A record of the first procedure."""
    nonces = [b"red", b"\x00" * MOST_NONCE_BYTES]
    cards = shuffled(1, words_of(first_stream(SAMPLE_ENTROPY, nonces)))
    salts = all_salts(FIRST, SAMPLE_ENTROPY, len(cards))
    # With this cut the shoe goes round from its last position to the first.
    cut = 50
    return FirstRecord(
        protocol=FIRST, decks=1, commitment=sha256(SAMPLE_ENTROPY), nonces=nonces,
        root=tree_root(all_leaves(cards, salts)), cut=cut, dealt=SAMPLE_DEALT,
        openings=_sample_openings(cards, salts, cut), entropy=SAMPLE_ENTROPY,
    )


def _sample_second(cutter="staff", first_opened=(True, False), second_opened=(True, False)):
    """A record of the second procedure; who of two people opened which word is given."""
    commitment = commitment_to(SAMPLE_BINDS, 1, SAMPLE_ENTROPY)
    promises, firsts, seconds = [], [], []
    for account, one, two in zip(("zo\u00eb", "anna"), first_opened, second_opened):
        words = {which: sha256(account.encode(), which.encode()) for which in ("first", "second")}
        made = {which: promise_of(which, commitment, account, words[which]) for which in words}
        promises.append(Promise(account, **made))
        firsts.append(words["first"] if one else None)
        seconds.append(words["second"] if two else None)
    stream = second_stream(SAMPLE_ENTROPY, commitment, words_in_order(promises, firsts))
    cards = shuffled(1, words_of(stream))
    salts = all_salts(SECOND, SAMPLE_ENTROPY, len(cards))
    root = tree_root(all_leaves(cards, salts))
    cut = SAMPLE_BINDS.least
    if cutter == "staff":
        drawn = words_in_order(promises, seconds)
        cut = computed_cut(commitment, root, drawn, len(cards), SAMPLE_BINDS.least)
    return SecondRecord(
        protocol=SECOND, decks=1, commitment=commitment, binds=SAMPLE_BINDS, promises=promises,
        signature=_sign(SAMPLE_SEED, signed_list(commitment, promises))[1], firsts=firsts,
        root=root, cutter=cutter, cut=cut, seconds=seconds if cutter == "staff" else None,
        dealt=SAMPLE_DEALT, openings=_sample_openings(cards, salts, cut), entropy=SAMPLE_ENTROPY,
    )


def _as_json(value):
    """A record or a part of it as the JSON value that stands for it."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, tuple):
        return {name: _as_json(item) for name, item in value._asdict().items()}
    if isinstance(value, list):
        return [_as_json(item) for item in value]
    return value


def _verdict(value):
    """The exit code for a JSON value."""
    try:
        record = read_record(parse_json(json.dumps(value).encode("ascii")))
    except FormError:
        return 2
    return 1 if find_faults(record) else 0


def _with(value, place, new):
    """A JSON value in which something else stands at a place, given as keys in a row."""
    value = copy.deepcopy(value)
    inner = value
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = new
    return value


def _leaves(value, place=()):
    """Every place in a JSON value that holds neither an object nor an array, and what is there."""
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from _leaves(value[key], place + (key,))
    else:
        yield place, value


def _falsified(value):
    """Other values, of the same kind where that is possible, for a place in a record."""
    if value is None:
        return ["00" * HASH_BYTES]
    if type(value) is int:
        return [value + 1, value - 1]
    if value in DECK:
        return [DECK[DECK.index(value) - 1]]
    if value in CUTTERS:
        return [CUTTERS[1 - CUTTERS.index(value)]]
    # The last character also of hexadecimal text.
    return [value[:-1] + ("1" if value[-1] == "0" else "0")]


def _free_fields(value):
    """The fields of a record that holds in which a falsification is not found."""
    free = set()
    for place, old in _leaves(value):
        for new in _falsified(old):
            if _verdict(_with(value, place, new)) == 0:
                # Without the places in an array.
                free.add(".".join(key for key in place if isinstance(key, str)))
    return free


def _test_known_values():
    """Values of a record that another program made, with another implementation of Ed25519."""
    record = _sample_second("staff", (True, True), (True, True))
    # The order of the words counts only if it is not that of the list.
    return (
        record.promises[0].first > record.promises[1].first
        and record.commitment.hex()
        == "1b8d12931309b63f5c75d441e1205bdc0f76045a327a3e0929a1b0e6684d984c"
        and record.signature.hex()
        == "674e8fd3fa8a1a7cb2a7b543b736a6de9140af370416b40c033f17e0bfc44c56"
        "119beb0618db5f01757941ff6aad6d84acce0fbcd4b111bde1c3c1b05c063c05"
        and record.root.hex()
        == "7662e3ec1bbe23979e97541bac41fc58cdf2c422d4215067efe0442d9535e143"
        and record.cut == 34
    )


def _test_every_field():
    """Every value in a record is bound, but for those that the procedure leaves free."""
    # The notes in `dealt` are checked with the log. What the commitment binds besides promises
    # and cards shows when the entropy is out.
    binds = {"binds.table", "binds.number", "binds.book", "binds.behind"}
    cases = (
        (_sample_first(), {"commitment", "nonces"}),
        (_sample_second("staff"), binds),
        # One card less on either side is within the bounds of this cut too.
        (_sample_second("player"), binds | {"binds.least"}),
    )
    for record, free in cases:
        if _free_fields(_as_json(record)) != {"dealt"}:
            return False
        if _free_fields(_as_json(record._replace(entropy=None))) != free | {"dealt"}:
            return False
    return True


def _test_null_and_missing():
    """Null is found wherever it does not belong, and so is a field too few or too many."""
    for record in (_sample_first(), _sample_second("staff"), _sample_second("player")):
        value = _as_json(record)
        for place, old in _leaves(value):
            wrong = old is not None and place != ("entropy",)
            if _verdict(_with(value, place, None)) == 0 and wrong:
                return False
        for name in value:
            if _verdict({key: value[key] for key in value if key != name}) != 2:
                return False
        if _verdict(dict(value, more=1)) != 2:
            return False
    return True


# Changes to the record of a cut by staff, with the exit code that each has to give.
FALSIFICATIONS = (
    (1, ("protocol",), "sabot-shoe-3"),
    (2, ("protocol",), FIRST),
    (2, ("protocol",), None),
    (1, ("decks",), 0),
    (1, ("decks",), 17),
    (2, ("decks",), -1),
    (2, ("decks",), 1.0),
    (2, ("decks",), True),
    (2, ("binds",), None),
    (1, ("binds", "number"), 0),
    (1, ("binds", "number"), 2**32),
    (2, ("binds", "number"), -1),
    (2, ("binds", "table"), ""),
    (2, ("binds", "table"), "\u00eb" * 51),
    (1, ("binds", "behind"), 52),
    (1, ("binds", "least"), 27),
    (1, ("binds", "least"), 10**50),
    (2, ("promises",), None),
    (1, ("promises",), []),
    (2, ("promises", 0, "account"), ""),
    (2, ("promises", 0, "account"), "\ud800"),
    (1, ("promises", 0, "account"), "anna"),
    (1, ("signature",), None),
    (2, ("signature",), "00" * 63),
    (1, ("signature",), "00" * 64),
    (1, ("firsts",), None),
    (1, ("firsts",), []),
    (1, ("firsts",), [None, None, None]),
    (2, ("firsts", 0), "00" * 31),
    (1, ("root",), None),
    (1, ("cutter",), None),
    (1, ("cutter",), "player"),
    (2, ("cutter",), "house"),
    (1, ("cut",), None),
    (1, ("cut",), 52),
    (2, ("cut",), -1),
    (1, ("seconds",), None),
    (1, ("seconds",), []),
    (1, ("seconds",), [None, None]),
    (1, ("dealt",), []),
    (1, ("dealt",), ["burn"] * 53),
    (2, ("dealt",), [1]),
    (1, ("openings", 0, "index"), 0),
    (1, ("openings", 0, "index"), 4),
    (2, ("openings", 0, "index"), -1),
    (2, ("openings", 0, "card"), "10h"),
    (1, ("openings", 0, "path"), []),
    (1, ("openings", 0, "path"), ["00" * 32] * 7),
    (2, ("entropy",), "00" * 4095),
    (1, ("entropy",), "00" * 4096),
)


def _test_falsifications():
    """Changes of every kind give the exit code that they should."""
    value = _as_json(_sample_second("staff"))
    for code, place, new in FALSIFICATIONS:
        if _verdict(_with(value, place, new)) != code:
            return False
    first = _as_json(_sample_first())
    if _verdict(dict(first, protocol="sabot-shoe-3")) != 1:
        return False
    if _verdict(dict(first, protocol=SECOND)) != 2 or _verdict(dict(first, cut=52)) != 1:
        return False
    too_many = [dict(value["promises"][0], account=str(i)) for i in range(MOST_PROMISES + 1)]
    return _verdict(dict(value, promises=too_many)) == 2


def _test_unreadable():
    """Bytes that are not JSON or that readers could take differently."""
    good = json.dumps(_as_json(_sample_second("staff"))).encode("ascii")
    key = SAMPLE_BINDS.key.hex().encode("ascii")
    changes = (
        (b'"decks": 1,', b'"decks": 1, "decks": 1,'),
        (b'"decks": 1,', b'"decks": NaN,'),
        (b'"decks": 1,', b'"decks": ' + b"1" * (MOST_DIGITS + 1) + b","),
        (b'"coup 1: player"', b'"\xff"'),
        (b'"coup 1: player"', b"[" * 100000),
        (key, key.upper()),
        (key, key[:-1]),
        (good, good + b"}"),
        (good, b"[" + good + b"]"),
        (good, b"1"),
    )
    for old, new in changes:
        try:
            read_record(parse_json(good.replace(old, new, 1)))
        except FormError:
            continue
        return False
    return True


def _test_faults():
    """Faults that seldom come alone are found each for itself."""
    staff, player = _sample_second("staff"), _sample_second("player")
    early = player._replace(cutter=None, cut=None, dealt=[], openings=[])
    wrong_card = staff.openings[0]._replace(card=staff.openings[1].card)
    wrong_salt = staff.openings[0]._replace(salt=bytes(32))
    cases = (
        (early._replace(dealt=["burn"]), "cards are dealt but there is no cut"),
        (early._replace(openings=player.openings), "cards are opened but there is no cut"),
        (early._replace(root=bytes(32)), "has another root"),
        (staff._replace(binds=staff.binds._replace(behind=52)), "binds.behind is 52"),
        (staff._replace(openings=staff.openings[:1] * 2), "this index is opened more than once"),
        (staff._replace(openings=staff.openings[:1] * 2), "is opened 2 times"),
        (staff._replace(openings=[wrong_card]), "the order has "),
        (staff._replace(openings=[wrong_salt]), "not the salt of its position"),
    )
    return all(any(said in fault for fault in find_faults(record)) for record, said in cases)


def _test_list():
    """A list that the house signed again, with a promise that it must not have."""
    for field in ("account", "first"):
        record = _sample_second("staff")
        one, two = record.promises
        two = two._replace(**{field: getattr(one, field)})
        message = signed_list(record.commitment, [one, two])
        signature = _sign(SAMPLE_SEED, message)[1]
        wrong = record._replace(promises=[one, two], signature=signature)
        if len(find_faults(wrong)) != 1:
            return False
    # In another order the promises are the same, but not the list.
    record = _sample_second("player", (True, True))
    turned = record._replace(promises=record.promises[::-1], firsts=record.firsts[::-1])
    return len(find_faults(turned)) == 1


def _test_cuts():
    """The bounds of a cut by a player, and words in a cut by staff that have no part in it."""
    record = _sample_second("player")._replace(dealt=[], openings=[])
    for cut, good in ((9, False), (10, True), (42, True), (43, False)):
        if (not find_faults(record._replace(cut=cut))) != good:
            return False
    # The second one did not open the first word and so cannot open the second.
    late = _sample_second("staff", (True, False), (True, True))
    if find_faults(late) != ["seconds[1] is opened, but firsts[1] was not"]:
        return False
    # Cuts from 26 to 26 and from 0 to 52 out of the same stream.
    seed = sha256(b"sabot-shoe-2 cut", bytes(32), bytes(32))
    word = words_of(sha256(seed, u32(0)))[0]
    return (
        computed_cut(bytes(32), bytes(32), b"", 52, 26) == 26
        and computed_cut(bytes(32), bytes(32), b"", 52, 0) == word % 53
    )


def _test_stages():
    """Records of every stage of a shoe hold, with and without entropy, and say what they are."""
    none = _sample_second("staff", (False, False), (False, False))
    early = none._replace(
        firsts=None, root=None, cutter=None, cut=None, seconds=None, dealt=[], openings=[]
    )
    all_first = _sample_second("staff", (True, True), (False, True))
    cases = (
        (_sample_first(), "by the first procedure, which is weaker"),
        (_sample_second(), "First words promised: 2, opened: 1, promised and not opened: 1."),
        (_sample_second("player"), "A player cut, within the bounds."),
        (all_first, "Second words promised: 2, opened: 1, promised and not opened: 1."),
        (none, "The shoe is unwitnessed: "),
        (early, "The shoe is unwitnessed so far: "),
        (early._replace(signature=None, promises=[]), "The list of promises is not closed yet."),
    )
    for record, said in cases:
        unwitnessed = record.form == SECOND and not any(record.firsts or [])
        for shown in (record, record._replace(entropy=None)):
            text = "\n".join(what_was_checked(shown))
            if _verdict(_as_json(shown)) != 0 or said not in text:
                return False
            if ("unwitnessed" in text) != unwitnessed:
                return False
    return True


def self_test():
    """Run the tests of the parts; the exit code."""
    tests = (
        ("ChaCha20 (RFC 8439, 2.3.2 and A.1)", _test_chacha20),
        ("roots of trees of 1 to 7 leaves", _test_small_trees),
        ("paths in small trees", _test_small_paths),
        ("numbers below n", _test_numbers),
        ("order of the cards and change of places", _test_shuffle),
        ("Ed25519 (RFC 8032, 7.1)", _test_ed25519),
        ("points that Ed25519 must refuse", _test_points),
        ("values of a record that were computed otherwise", _test_known_values),
        ("records of every stage", _test_stages),
        ("a list of promises that must not be", _test_list),
        ("cuts", _test_cuts),
        ("falsifications of every field", _test_every_field),
        ("null, missing and unknown fields", _test_null_and_missing),
        ("falsifications with their exit codes", _test_falsifications),
        ("faults that seldom come alone", _test_faults),
        ("bytes that are no record", _test_unreadable),
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
