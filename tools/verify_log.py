#!/usr/bin/env python3
"""Verify a log of Sabot: chains, checkpoints, signatures, books, shoes and every payment.

This program follows docs/LOG.md and docs/VERIFY.md, with the shapes of docs/reference/facts.md,
and was written from these pages alone. It needs nothing but Python 3.9 and its standard library,
and the file verify_shoe.py beside it, which checks the record of each shoe. SQLite has to be
3.37 or newer to open a log; an export needs none.

    python3 tools/verify_log.py LOG.sabot [--head NUMBER:HASH] [--key PUBLIC]
    python3 tools/verify_log.py EXPORT.jsonl [--head NUMBER:HASH] [--key PUBLIC]
    python3 tools/verify_log.py --self-test [LOG]

LOG.sabot is the SQLite file, which is opened for reading only; EXPORT.jsonl is what
`sabot audit log --books` prints (- reads it from standard input). `--head` is a head that was
kept outside the file, `--key` is the house's public key, in hexadecimal. With a log,
`--self-test` also falsifies that log in memory, in every way it knows.

    python3 tools/verify_log.py --events EVENTS.jsonl BOOK.json ...

takes events without a chain, one {"schema": ..., "body": ...} a line, and checks their money by
the book whose canonical text is in one of the files.

It exits with

    0  if everything that a head covers holds; it then says what it checked, and how many records
       lie behind the last head, which covers none of them,
    1  if something does not hold; every fault is printed on standard output, one a line, with
       stream and version and the check that found it,
    2  if the file cannot be read as a log; the reason is printed on standard error.
"""

import argparse
import copy
import hashlib
import importlib.util
import itertools
import json
import os
import pathlib
import re
import sqlite3
import struct
import sys
import tempfile
from collections import Counter, deque, namedtuple
from fractions import Fraction

APPLICATION_ID = 1396785743
HASH_BYTES = 32
ZERO_HASH = bytes(HASH_BYTES)
MOST_STREAM_BYTES = 79
MOST_NAME_BYTES = 100
MOST_BODY_BYTES = 4 * 1024 * 1024
MOST_INTEGER = 2**63 - 1
MOST_DIGITS = 100
RANKS = "A23456789TJQK"
SUITS = "hdcs"
CARDS = frozenset(rank + suit for rank in RANKS for suit in SUITS)
SIDES = ("player", "banker")

COLUMNS = ("stream", "version", "at", "actor", "key", "schema", "body", "hash")
COLUMN_TYPES = ("text", "integer", "integer", "text", "text", "text", "text", "blob")
Row = namedtuple("Row", COLUMNS)

# The tables of both forms with their columns, as docs/LOG.md lists them.
FIRST_TABLES = {
    "log": set(COLUMNS),
    "command": {"actor", "key", "payload", "stream", "first", "last"},
    "book": {"sha256", "canonical"},
    "sealed": {"name", "box"},
}
SECOND_TABLES = {
    "log": set(COLUMNS),
    "command": FIRST_TABLES["command"] | {"number", "name", "parts", "mac"},
    "book": {"sha256", "canonical", "files"},
    "person": {"account", "name"},
    "snapshot": {"stream", "version", "hash", "state", "mac"},
    "sealed": {"name", "box"},
    "balance": {"account", "version", "cents"},
}
MIGRATIONS = "_sqlx_migrations"
# How the tables were made: by number, the SHA-384 of what made them.
STEPS = (
    (1, "ac0e9bed051f745d5803c37a6ca468555513545b63c84e65856b59e683d0aadd"
        "be7744bd72d52aa68db1007b829a0b73"),
    (2, "70b34229b99bb4700a1b9d1383aa6f2c0a16331ca49b54390092658e58f60651"
        "a0f54a8a63ae8339b9a9e8349a4af06b"),
)
TRIGGER_NAMES = {"log_is_never_changed", "log_is_never_replaced", "log_is_never_shortened"}
SECOND_INDEXES = {"command_by_name", "command_of_the_first_form"}

# The schemas that this program reads, by what stands before the slash. A record of any other is
# a fault: what cannot be read cannot be checked.
SCHEMAS = {
    "book": (1, 2), "line": (1,), "table": (1, 2, 3), "tournament": (1, 2), "shoe": (1, 2),
    "answer": (1,), "checkpoint": (1, 2), "key": (1,), "restored": (1,), "setup": (1,),
    "act": (1,), "refused": (1,), "proposed": (1,), "tournament-act": (1,),
    "tournament-refused": (1,), "account": (1,), "table-shoe": (1,),
}
STREAM_KINDS = (
    ("checkpoint", {"checkpoint"}),
    ("house", {"key", "restored"}),
    ("drill", {"answer"}),
    ("account", {"account"}),
    ("tournament", {"book", "line", "tournament", "tournament-act", "tournament-refused", "setup",
                    "table-shoe"}),
    ("table", {"book", "line", "table", "shoe", "setup", "act", "refused", "proposed"}),
)
# Who promised a word and did not open it takes no part so long, in microseconds.
BARRED = 24 * 3600 * 1000000


class Unreadable(Exception):
    """The file cannot be read as a log."""


class Wrong(Exception):
    """Something in a record does not hold; the text says what."""


# What Python says if a value of another kind stands where the page says what must stand: it is
# a fault of the record, not of this program.
MALFORMED = (TypeError, KeyError, AttributeError, IndexError, ValueError, OverflowError)


def said_of(error):
    """The words for a fault."""
    if isinstance(error, Wrong):
        return str(error)
    return "the record has not the form that it should have (%s)" % type(error).__name__


def same(one, other):
    """Whether two JSON values are the same; Python would take true for 1."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


class Fault(namedtuple("Fault", ("stream", "version", "check", "text"))):
    """Something that does not hold, where, and which check found it."""

    def __str__(self):
        place = "the file" if self.stream is None else _shown(self.stream)
        if self.version is not None:
            place += " version %s" % self.version
        return "%s: %s: %s" % (place, self.check, self.text)


class Log:
    """What was read: the form, the rows by stream, the books, the commands, faults so far."""

    def __init__(self, form):
        self.form = form
        self.rows = []
        self.books = {}
        self.commands = None
        self.faults = []

    def streams(self):
        """The rows of every stream, in the order of the versions."""
        result = {}
        for row in self.rows:
            result.setdefault(row.stream, []).append(row)
        for rows in result.values():
            rows.sort(key=lambda row: row.version)
        return result


def load_verify_shoe():
    """The program beside this one that verifies the record of a shoe, as a module."""
    path = pathlib.Path(__file__).resolve().parent / "verify_shoe.py"
    spec = importlib.util.spec_from_file_location("verify_shoe", str(path))
    if spec is None or not path.is_file():
        raise Unreadable("there is no verify_shoe.py beside this program")
    module = importlib.util.module_from_spec(spec)
    # Nothing is left beside the programs: the folder may be somebody else's.
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = writes
    return module


_SHOES = []


def shoes():
    """verify_shoe.py, loaded once."""
    if not _SHOES:
        _SHOES.append(load_verify_shoe())
    return _SHOES[0]


# ---------------------------------------------------------------------------------------------
# JSON and small things
# ---------------------------------------------------------------------------------------------

def _shown(value):
    """Something out of the file, short and in plain ASCII, so that it cannot upset a terminal."""
    text = ascii(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _object_without_repeats(pairs):
    # Readers disagree on which of two equal keys counts, so neither does.
    result = dict(pairs)
    if len(result) != len(pairs):
        raise Wrong("a key stands twice in one object")
    return result


def _no_number(text):
    # All numbers of a log are whole; Python would also take NaN and Infinity.
    raise Wrong("%s is not a whole number" % _shown(text))


def _short_int(digits):
    if len(digits) > MOST_DIGITS:
        raise Wrong("a number has more than %d digits" % MOST_DIGITS)
    return int(digits)


def parse_json(text):
    """The value of a JSON text; Wrong if it is none, or if readers could take it differently."""
    try:
        return _DECODER.decode(text)
    except ValueError as error:
        raise Wrong("not JSON: %s" % error) from None
    except RecursionError:
        raise Wrong("the JSON is nested too deeply") from None


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object_without_repeats, parse_float=_no_number,
    parse_constant=_no_number, parse_int=_short_int,
)


def u32(number):
    """A number as four bytes, most significant first."""
    return struct.pack(">I", number)


def u64(number):
    """A number as eight bytes, most significant first."""
    return struct.pack(">Q", number)


def text_bytes(text):
    """A text with its length before it."""
    data = text.encode("utf-8")
    return u32(len(data)) + data


def fields(value, names, what, may_lack=()):
    """The values of an object's fields in the order of the names; no field more or less."""
    if type(value) is not dict:
        raise Wrong("%s is not an object" % what)
    for name in names:
        if name not in value and name not in may_lack:
            raise Wrong("%s has no field `%s`" % (what, name))
    for name in value:
        if name not in names:
            raise Wrong("%s has an unknown field %s" % (what, _shown(name)))
    return [value.get(name) for name in names]


def array(value, what):
    """An array."""
    if type(value) is not list:
        raise Wrong("%s is not an array" % what)
    return value


def text(value, what):
    """A text."""
    if type(value) is not str:
        raise Wrong("%s is not a text" % what)
    return value


def whole(value, what):
    """A whole number, not below zero. Compared by type because true counts as 1 in Python."""
    if type(value) is not int or value < 0:
        raise Wrong("%s is not a whole number from 0 on" % what)
    return value


def balance(value, what):
    """A whole number of cents, which may be below zero."""
    if type(value) is not int:
        raise Wrong("%s is not a whole number" % what)
    return value


def flag(value, what):
    """True or false."""
    if type(value) is not bool:
        raise Wrong("%s is neither true nor false" % what)
    return value


def hexadecimal(value, length, what):
    """The bytes that a lower-case hexadecimal text stands for."""
    if type(value) is not str or not re.fullmatch("[0-9a-f]{%d}" % (2 * length), value):
        raise Wrong("%s is not %d bytes in lower-case hexadecimal" % (what, length))
    return bytes.fromhex(value)


def card(value, what="the card"):
    """A card such as Th."""
    if type(value) is not str or value not in CARDS:
        raise Wrong("%s is not a card: %s" % (what, _shown(value)))
    return value


def card_or_null(value, what="the card"):
    """A card, or nothing if it lay face down."""
    return None if value is None else card(value, what)


def side(value):
    """The name of a hand."""
    if type(value) is not str or value not in SIDES:
        raise Wrong("%s is not a hand" % _shown(value))
    return value


def kind_of(fact):
    """The name of a fact and what it says."""
    if type(fact) is str:
        return fact, None
    if type(fact) is dict and len(fact) == 1:
        return next(iter(fact.items()))
    raise Wrong("a fact is neither a text nor an object with one field")


# ---------------------------------------------------------------------------------------------
# Reading a file
# ---------------------------------------------------------------------------------------------

def _row_faults(row):
    """What a row has that the table's description rules out, apart from its hash."""
    faults = []
    for name, most in (
        ("stream", MOST_STREAM_BYTES), ("actor", MOST_NAME_BYTES), ("key", MOST_NAME_BYTES)
    ):
        length = len(getattr(row, name).encode("utf-8"))
        if not 1 <= length <= most:
            faults.append("%s has %d bytes, not 1 to %d" % (name, length, most))
    if not 1 <= row.version <= MOST_INTEGER:
        faults.append("version is not a number from 1 on")
    if not 0 <= row.at <= MOST_INTEGER:
        faults.append("at is not a time since 1970")
    if row.stream != "checkpoint" and len(row.body.encode("utf-8")) > MOST_BODY_BYTES:
        faults.append("the body has more than %d bytes" % MOST_BODY_BYTES)
    if len(row.hash) != HASH_BYTES:
        faults.append("hash has %d bytes, not %d" % (len(row.hash), HASH_BYTES))
    return faults


def _open(path):
    """A connection that only reads. SQLite may need to make files beside the log for that."""
    quoted = pathlib.Path(path).resolve().as_uri()
    try:
        connection = sqlite3.connect(quoted + "?mode=ro", uri=True)
        connection.execute("select count(*) from sqlite_master").fetchone()
        return connection
    except sqlite3.OperationalError as error:
        # `immutable` does not look at the journal beside the log, and the newest records may be
        # in it: a check without them would be a check of something else.
        journal = str(path) + "-wal"
        if os.path.exists(journal) and os.path.getsize(journal) > 0:
            raise Unreadable(
                "%s, and there is a -wal file beside it: copy both to another place" % error
            ) from None
    try:
        connection = sqlite3.connect(quoted + "?mode=ro&immutable=1", uri=True)
        connection.execute("select count(*) from sqlite_master").fetchone()
        return connection
    except sqlite3.Error as error:
        raise Unreadable("cannot open: %s" % error) from None


def _names(rows):
    return ", ".join(sorted(_shown(name) for name in rows))


def _check_form(connection, log):
    """Check tables, columns and triggers; sets the form of the log."""
    version = connection.execute("pragma user_version").fetchone()[0]
    number = connection.execute("pragma application_id").fetchone()[0]
    # The names come as bytes if they are not UTF-8; then they are none of ours.
    master = connection.execute("select type, name, tbl_name, sql from sqlite_master").fetchall()
    tables = {name for type_, name, _, _ in master if type_ == "table"}
    if "log" not in tables:
        raise Unreadable("there is no table `log`")
    if version not in (0, 2):
        raise Unreadable("user_version is %d, neither 0 (first form) nor 2 (second)" % version)
    log.form = 1 if version == 0 else 2
    wanted = FIRST_TABLES if log.form == 1 else SECOND_TABLES

    def fault(said):
        log.faults.append(Fault(None, None, "form", said))

    if number != (0 if log.form == 1 else APPLICATION_ID):
        fault("application_id is %d" % number)
    lacking = set(wanted) | {MIGRATIONS}
    if lacking - tables:
        fault("tables are missing: %s" % _names(lacking - tables))
    if tables - lacking:
        fault("tables that do not belong there: %s" % _names(tables - lacking))
    # SQLite's own indexes go with their tables.
    indexes = {name for type_, name, _, _ in master
               if type_ == "index" and not str(name).startswith("sqlite_autoindex_")}
    due = SECOND_INDEXES if log.form == 2 else set()
    if indexes != due:
        fault("its indexes are %s" % (_names(indexes) or "none"))
    named = {name for type_, name, _, _ in master if type_ == "trigger"}
    if named != TRIGGER_NAMES:
        fault("its triggers are %s" % (_names(named) or "none"))
    for name in sorted(tables & set(wanted)):
        found = connection.execute("select name, type from pragma_table_info(?)", (name,))
        columns = {column: declared for column, declared in found.fetchall()}
        if set(columns) != wanted[name]:
            if name == "log":
                raise Unreadable("the table `log` has other columns")
            fault("the table %s has other columns: %s" % (_shown(name), _names(columns)))
        if name == "log":
            for column, type_ in zip(COLUMNS, COLUMN_TYPES):
                if columns[column].lower() != type_:
                    fault("log.%s is declared %s" % (column, _shown(columns[column])))
    for type_, name, table, sql in master:
        if type_ == "view":
            fault("there is a view: %s" % _shown(name))
        if type_ == "trigger" and table != "log":
            fault("there is a trigger on %s" % _shown(table))
    triggers = " ".join(
        str(sql).lower() for type_, _, table, sql in master if type_ == "trigger" and table == "log"
    )
    for event in ("update", "delete", "insert"):
        if not re.search(r"before\s+%s\s" % event, triggers):
            fault("no trigger refuses `%s` in log" % event)
    if MIGRATIONS in tables:
        try:
            made = connection.execute(
                "select version, success, lower(hex(checksum)) from %s order by version"
                % MIGRATIONS
            ).fetchall()
        except sqlite3.OperationalError:
            made = []
        if made != [(step, 1, sum_) for step, sum_ in STEPS[:log.form]]:
            fault("%s is %s" % (MIGRATIONS, _shown(made)))
    said = connection.execute("pragma integrity_check").fetchall()
    if said != [("ok",)]:
        fault("SQLite finds the file damaged: %s" % _shown(said[0][0]))
    return tables


def _cells(connection, table, columns, types, log):
    """The rows of a table with every cell of its type; texts that are not UTF-8 are faults."""
    query = "select %s, %s from %s" % (
        ", ".join('"%s"' % name for name in columns),
        ", ".join('typeof("%s")' % name for name in columns), table,
    )
    count = len(columns)
    wanted = tuple(type_.encode() for type_ in types)
    for found in connection.execute(query):
        cells, stored = found[:count], found[count:]
        bad = None
        if stored != wanted:
            bad = ["%s is %s" % (name, is_.decode()) for name, is_, as_ in
                   zip(columns, stored, wanted) if is_ != as_]
        values = []
        for name, type_, cell in zip(columns, types, cells):
            if not bad and type_ == "text":
                try:
                    cell = cell.decode("utf-8")
                except UnicodeDecodeError:
                    bad = ["%s is not UTF-8" % name]
            values.append(cell)
        if bad:
            log.faults.append(
                Fault(None, None, "form", "%s, a row: %s (%s)" % (
                    table, "; ".join(bad), _shown(cells[:2])))
            )
        else:
            yield values


def read_sqlite(path):
    """A log from its file."""
    log = Log(None)
    connection = _open(path)
    try:
        # All that is read is as of one moment: the log may be in use.
        connection.execute("begin")
        tables = _check_form(connection, log)
        # As bytes, because Python would refuse a whole answer for one text that is not UTF-8.
        connection.text_factory = bytes
        # Without `order by`: in a damaged file an order that is taken from an index could leave
        # rows out. The streams are put in order later.
        for values in _cells(connection, "log", COLUMNS, COLUMN_TYPES, log):
            log.rows.append(Row(*values))
        if "book" in tables:
            for sha256, canonical in _cells(
                connection, "book", ("sha256", "canonical"), ("blob", "text"), log
            ):
                _add_book(log, sha256, canonical)
        if "command" in tables:
            log.commands = _read_commands(connection, log)
    except sqlite3.DatabaseError as error:
        raise Unreadable("not a log: %s" % error) from None
    finally:
        connection.close()
    return log


def _add_book(log, sha256, canonical):
    if sha256 in log.books:
        log.faults.append(Fault(None, None, "book", "the book %s is there twice" % sha256.hex()))
    log.books[sha256] = canonical


Command = namedtuple("Command", ("actor", "key", "stream", "first", "last", "number", "parts"))


def _read_commands(connection, log):
    columns = ["actor", "key", "stream", "first", "last"]
    types = ["text", "text", "text", "integer", "integer"]
    result = [
        Command(*values, None, None) for values in
        _cells(connection, "command", columns, types, log)
    ]
    if log.form == 2:
        # Commands of the first form in a log of the second have a number below zero, and no parts.
        extra = {}
        for actor, key, number, parts in connection.execute(
            "select actor, key, number, parts from command where number > 0"
        ):
            extra[(actor, key)] = (number, parts)
        result = [
            item._replace(number=extra[(item.actor.encode(), item.key.encode())][0],
                          parts=extra[(item.actor.encode(), item.key.encode())][1])
            if (item.actor.encode(), item.key.encode()) in extra else item
            for item in result
        ]
    return result


def read_export(data):
    """A log from what `sabot audit log --books` printed."""
    log = Log(None)
    try:
        lines = data.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise Unreadable("not UTF-8 at byte %d" % error.start) from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = parse_json(line)
            if type(value) is dict and "canonical" in value:
                sha256, canonical = fields(value, ("sha256", "canonical"), "a book")
                canonical = text(canonical, "canonical")
                canonical.encode("utf-8")
                _add_book(log, hexadecimal(sha256, HASH_BYTES, "sha256"), canonical)
            else:
                log.rows.append(_exported_row(value))
        except UnicodeEncodeError:
            raise Unreadable("line %d: not valid Unicode" % number) from None
        except Wrong as error:
            raise Unreadable("line %d: %s" % (number, error)) from None
    if not log.rows:
        raise Unreadable("there is no record in it")
    return log


def _exported_row(value):
    values = fields(value, COLUMNS, "a record")
    for name, type_, cell in zip(COLUMNS, COLUMN_TYPES, values):
        if type_ == "text":
            text(cell, name).encode("utf-8")
        elif type_ == "integer":
            balance(cell, name)
    return Row(*values[:-1], hexadecimal(values[-1], HASH_BYTES, "hash"))


def read_log(path):
    """A log from a file of either kind."""
    try:
        if path == "-":
            return read_export(sys.stdin.buffer.read())
        with open(path, "rb") as file:
            start = file.read(16)
            if start == b"SQLite format 3\x00":
                return read_sqlite(path)
            return read_export(start + file.read())
    except OSError as error:
        raise Unreadable("cannot read: %s" % error) from None


# ---------------------------------------------------------------------------------------------
# Chains
# ---------------------------------------------------------------------------------------------

def record_hash(previous, row):
    """The hash of a record, from itself and the hash of the record before it."""
    return hashlib.sha256(b"".join((
        previous, struct.pack(">QQ", row.version, row.at), text_bytes(row.stream),
        text_bytes(row.actor), text_bytes(row.key), text_bytes(row.schema),
        text_bytes(row.body),
    ))).digest()


def check_chain(stream, rows, fault):
    """Check that the versions are 1, 2, 3 and so on and that every hash is the right one."""
    previous, due = ZERO_HASH, 1
    for row in rows:
        wrong = _row_faults(row)
        for said in wrong:
            fault(stream, row.version, "form", said)
        if row.version != due:
            fault(stream, row.version, "chain", "the version after %d is missing or there twice"
                  % (due - 1))
        due = row.version + 1
        if not wrong and record_hash(previous, row) != row.hash:
            fault(stream, row.version, "chain", "the hash is not the one of this record")
        previous = row.hash if len(row.hash) == HASH_BYTES else ZERO_HASH


def schema_of(row):
    """The name and the version of a row's schema; Wrong if this program does not know it."""
    name, slash, number = row.schema.partition("/")
    if not slash or number not in (str(known) for known in SCHEMAS.get(name, ())):
        raise Wrong("the schema %s is not one that can be read" % _shown(row.schema))
    return name, int(number)


def check_commands_of_stream(stream, rows, fault):
    """What one command brought stands together; its actor is the one who acted, and a command of
    the house's own has a key that names its first record."""
    seen = set()
    last = None
    judged = bool(rows) and rows[0].schema.startswith("book/")
    for row in rows:
        command = (row.actor, row.key)
        if command == last:
            continue
        last = command
        if command in seen:
            fault(stream, row.version, "command", "the command %s goes on after another one"
                  % _shown(row.key))
        seen.add(command)
        said = _wrong_name(stream, row) if judged else None
        if said:
            fault(stream, row.version, "command", said)


# Who acts for the house.
ROLES = frozenset((
    "player", "players", "dealer", "device", "supervisor", "inspector", "management", "operator",
    "director", "regulator", "clock",
))
# The records that an act comes in, each with the field that has it.
ACTS = {
    "act/1": None, "proposed/1": None, "refused/1": "asked", "tournament-act/1": None,
    "tournament-refused/1": "asked",
}


def _wrong_name(stream, row):
    """What is wrong with the actor or the key of a command whose first record this is."""
    try:
        who, due = _speaker(row)
    except (Wrong, *MALFORMED):
        # That it cannot be read is told elsewhere.
        return None
    if who is not None:
        return None if row.actor == who else "the actor is %s, though %s acted" % (
            _shown(row.actor), _shown(who))
    if row.key == "%s %d" % (stream, row.version):
        return None if due in (None, row.actor) else "the actor is %s, though %s acted" % (
            _shown(row.actor), _shown(due))
    # Whoever opens a table has a key of their own for it, and so has who asks for a step of the
    # house's own; a role asks for nothing.
    steps = row.schema.startswith(("shoe/", "table-shoe/")) or row.schema in ACTS
    if row.schema.startswith("book/") or steps and row.actor not in ROLES | {due}:
        return None
    return "the key of the command is %s" % _shown(row.key)


def _speaker(row):
    """The person who sent a command, or None; and who of the house did it, or None."""
    name = row.schema.partition("/")[0]
    if row.schema in ACTS:
        value = parse_json(row.body)
        value = value[ACTS[row.schema]] if ACTS[row.schema] else value
        role, player = value["by"]["role"], value["by"].get("name")
        due = player if role == "player" and player else " ".join(filter(None, (role, player)))
        # Where two people were needed, the second one sent it.
        return value.get("second") or value.get("who"), due
    return None, {"book": "operator", "shoe": "dealer", "table-shoe": "dealer"}.get(name)


def check_commands(log, streams, fault):
    """Every row of `command` has its records. Nothing is proved by it, but a cut shows."""
    numbers = []
    for command in log.commands or ():
        rows = streams.get(command.stream, [])
        span = rows[max(command.first - 1, 0):max(command.last, 0)]
        if command.first < 1 or command.last < command.first or (
            len(span) != command.last - command.first + 1
        ):
            fault(command.stream, command.first, "command", "the records of the command %s up to"
                  " %d are not all there" % (_shown(command.key), command.last))
        elif any((row.actor, row.key) != (command.actor, command.key) for row in span):
            fault(command.stream, command.first, "command",
                  "a record of the command %s is of another" % _shown(command.key))
        if command.number is None:
            continue
        numbers.append(command.number)
        try:
            _check_parts(command, streams)
        except (Wrong, *MALFORMED) as error:
            fault(command.stream, command.last, "command", "command %s: %s"
                  % (_shown(command.number), said_of(error)))
    if sorted(numbers, key=str) != sorted(range(1, len(numbers) + 1), key=str):
        fault(None, None, "command", "the numbers of the commands are not 1, 2, 3 and so on")


def _check_parts(command, streams):
    if type(command.parts) is not bytes:
        raise Wrong("there are no parts")
    for part in array(parse_json(command.parts.decode("utf-8")), "parts"):
        stream, version, hash_ = read_head(part)
        rows = streams.get(stream, [])
        if not (1 <= version <= len(rows) and rows[version - 1].hash == hash_):
            raise Wrong("the record %s %d of its parts is not there" % (_shown(stream), version))


# ---------------------------------------------------------------------------------------------
# The house, checkpoints and the head
# ---------------------------------------------------------------------------------------------

class House:
    """The keys of the house and how often the log was restored, by versions of its stream."""

    def __init__(self):
        self.keys = []
        self.epochs = []
        self.lost = False
        # For every stream the versions up to which an older copy had it.
        self.restored = {}

    def key_at(self, version):
        """The newest key up to a version of the stream; None if there is none."""
        found = [key for at, key, _ in self.keys if at <= version]
        return found[-1] if found else None

    def keys_between(self, first, last):
        """The keys that were the newest one at some time between two versions."""
        newest = self.key_at(first)
        return [newest] + [key for at, key, _ in self.keys if first < at <= last]

    def epoch_at(self, version):
        """How often the log was restored up to a version of the stream."""
        found = [epoch for at, epoch in self.epochs if at <= version]
        return found[-1] if found else 0


def read_head(value):
    """Stream, version and hash of a head."""
    stream, version, hash_ = fields(value, ("stream", "version", "hash"), "a head")
    return text(stream, "stream"), whole(version, "version"), hexadecimal(hash_, 32, "hash")


def read_heads(value, streams):
    """The heads of a checkpoint or a restored log; Wrong if the log has not their records."""
    heads = {}
    last = None
    for item in array(value, "heads"):
        stream, version, hash_ = read_head(item)
        if stream == "checkpoint":
            raise Wrong("the checkpoints are among the heads")
        if last is not None and stream.encode() <= last.encode():
            raise Wrong("the heads are not in the order of their names")
        last = stream
        rows = streams.get(stream, [])
        if not 1 <= version <= len(rows):
            raise Wrong("%s version %d is missing" % (_shown(stream), version))
        if rows[version - 1].version != version or rows[version - 1].hash != hash_:
            raise Wrong("%s version %d is another record" % (_shown(stream), version))
        heads[stream] = version
    return heads


def read_house(rows, streams, fault):
    """Read the stream `house` and check the change of keys."""
    house = House()
    for row in rows:
        try:
            name, _ = schema_of(row)
            value = parse_json(row.body)
            if name == "key":
                _read_key(house, row, value)
            elif not house.keys:
                raise Wrong("the first record of the house is not its key")
            elif name == "restored":
                _read_restored(house, row, value, streams)
            else:
                raise Wrong("a record of the schema %s" % _shown(row.schema))
        except (Wrong, *MALFORMED) as error:
            fault(row.stream, row.version, "key", said_of(error))
    return house


def _read_key(house, row, value):
    public, former = fields(value, ("public", "former"), "the key", ("former",))
    public = hexadecimal(public, 32, "public")
    before = house.keys[-1][1] if house.keys else None
    # The key counts from here on, whatever speaks for it: signatures are checked against it, and
    # if nothing speaks for it, that is a fault or is said.
    house.keys.append((row.version, public, former is not None))
    if former is None:
        if before is not None:
            house.lost = True
        return
    if before is None:
        raise Wrong("the first key has a former one")
    old, signature = fields(former, ("public", "signature"), "former")
    if hexadecimal(old, 32, "the former key") != before:
        raise Wrong("the former key is not the one before")
    signature = hexadecimal(signature, 64, "the signature")
    if not shoes().signature_holds(before, b"sabot-key-1" + before + public, signature):
        raise Wrong("the former key did not sign the new one")


def _read_restored(house, row, value, streams):
    epoch, known, found, heads = fields(
        value, ("epoch", "known", "found", "heads"), "the record"
    )
    heads = read_heads(heads, streams)
    if whole(epoch, "epoch") <= house.epoch_at(row.version):
        raise Wrong("the epoch is %d and does not grow" % epoch)
    house.epochs.append((row.version, epoch))
    # They are the same if what was kept beside the key was missing.
    if whole(found, "found") > whole(known, "known"):
        raise Wrong("the log has more commands than were known")
    for stream, version in heads.items():
        house.restored.setdefault(stream, []).append(version)


class Covered:
    """What the checkpoints cover."""

    def __init__(self):
        self.heads = {}
        self.number = 0
        self.hash = None
        self.signed = 0
        self.key = None
        self.commands = 0
        # The heads of every checkpoint that holds: between two of them lies what is new.
        self.history = []
        # The same by the number of the checkpoint.
        self.by_number = {}
        # The heads of the first checkpoint that is signed; None if none is.
        self.first_signed = None

    def span(self, stream, version):
        """From which version of the house on, and up to which, a record may have been made."""
        before = [heads.get("house", 0) for heads in self.history
                  if heads.get(stream, 0) < version]
        after = [heads.get("house", 0) for heads in self.history
                 if heads.get(stream, 0) >= version]
        return max(before, default=0), min(after, default=MOST_INTEGER)


def check_checkpoints(rows, streams, house, fault):
    """Check every checkpoint; what the last one covers."""
    covered = Covered()
    commands = 0
    previous = ZERO_HASH
    for row in rows:
        covered.number, covered.hash = row.version, row.hash
        try:
            name, number = schema_of(row)
            if name != "checkpoint":
                raise Wrong("a record of the schema %s" % _shown(row.schema))
            value = parse_json(row.body)
            if row.actor != "store":
                raise Wrong("the actor is %s, not store" % _shown(row.actor))
            if number == 1:
                heads = _read_unsigned(value, covered, streams)
            else:
                heads, commands = _read_signed(value, covered, streams, commands)
            for stream, version in covered.heads.items():
                if heads.get(stream, 0) < version:
                    raise Wrong("%s had come to %d before" % (_shown(stream), version))
            covered.heads, covered.commands = heads, commands
            covered.history.append(heads)
            covered.by_number[row.version] = heads
        except (Wrong, *MALFORMED) as error:
            fault(row.stream, row.version, "checkpoint", said_of(error))
            previous = row.hash
            continue
        if number == 2:
            try:
                _check_signature(row, value, previous, heads, house)
                covered.signed += 1
                if covered.first_signed is None:
                    covered.first_signed = heads
                covered.key = bytes.fromhex(value["key"])
            except (Wrong, *MALFORMED) as error:
                fault(row.stream, row.version, "signature", said_of(error))
        previous = row.hash
    return covered


def _read_unsigned(value, covered, streams):
    (heads,) = fields(value, ("heads",), "the checkpoint")
    heads = read_heads(heads, streams)
    # A log that has a key signs. Otherwise whoever has no key could go on with the old form.
    if covered.signed or "house" in heads:
        raise Wrong("it is not signed, though the house has a key by now")
    return heads


def _read_signed(value, covered, streams, commands):
    heads, count, epoch, key, signature = fields(
        value, ("heads", "commands", "epoch", "key", "signature"), "the checkpoint"
    )
    hexadecimal(key, 32, "key")
    hexadecimal(signature, 64, "signature")
    whole(epoch, "epoch")
    if whole(count, "commands") < commands:
        raise Wrong("there were %d commands before, and now %d" % (commands, count))
    return read_heads(heads, streams), count


def _check_signature(row, value, previous, heads, house):
    start, comma, end = row.body.rpartition(',"signature":')
    if not comma or end != '"%s"}' % value["signature"]:
        raise Wrong("the signature is not the last field")
    key = bytes.fromhex(value["key"])
    if house.key_at(heads.get("house", 0)) != key:
        raise Wrong("the key is not the newest one of the house")
    if value["epoch"] != house.epoch_at(heads.get("house", 0)):
        raise Wrong("the epoch is %d, not that of the house" % value["epoch"])
    message = b"".join((
        b"sabot-checkpoint-2", previous, u64(row.version), u64(row.at), start.encode("utf-8"),
    ))
    if not shoes().signature_holds(key, message, bytes.fromhex(value["signature"])):
        raise Wrong("the signature does not hold")


def check_head(head, rows, fault):
    """Check a head that was kept outside the file."""
    number, hash_ = head
    if number > len(rows):
        fault("checkpoint", None, "head", "checkpoint %d of the head that was given is missing:"
              " the log ends with %d" % (number, len(rows)))
    elif rows[number - 1].version != number or rows[number - 1].hash != hash_:
        fault("checkpoint", number, "head", "it is not the one of the head that was given")


def check_given_key(key, house, covered, fault):
    """Check that the key that was given is the house's, and speaks for the newest one."""
    places = [i for i, (_, public, _) in enumerate(house.keys) if public == key]
    if not places:
        fault("house", None, "key", "the key that was given is not among the house's keys")
    elif not covered.signed:
        fault("checkpoint", None, "key", "a key was given, but no checkpoint is signed")
    else:
        for version, _, vouched in house.keys[places[-1] + 1:]:
            if not vouched:
                fault("house", version, "key", "the key was lost: the one that was given does"
                      " not speak for the new one")


# ---------------------------------------------------------------------------------------------
# The book: what a wager pays
# ---------------------------------------------------------------------------------------------

ITEM = re.compile(r'([a-z_]+) = ("[^"]*"|\[[^\]]*\]|[0-9]+|true)')
PRICE = re.compile(r"([0-9]+):([0-9]+)(?: less ([0-9]+(?:\.[0-9]+)?)%)?")
CONDITIONS = frozenset((
    "winner", "player", "banker", "player_cards", "banker_cards", "cards", "natural", "margin",
    "sum", "pair", "kind",
))
OUTCOMES = frozenset(("pays", "kept", "lost"))
KINDS = ("mixed", "red", "black", "coloured", "suited")
RED = "hd"


def read_row(line):
    """Conditions and outcome of a row of a pay table."""
    items, place = {}, 0
    while True:
        match = ITEM.match(line, place)
        if match is None or match.group(1) in items:
            raise Wrong("the book has a row that cannot be read: %s" % _shown(line))
        value = parse_json(match.group(2))
        items[match.group(1)] = value if type(value) is list else [value]
        place = match.end()
        if not line.startswith(", ", place):
            break
        place += 2
    if line[place:] and not re.fullmatch(r" \[.*\]", line[place:], re.DOTALL):
        raise Wrong("the book has a row that cannot be read: %s" % _shown(line))
    outcomes = OUTCOMES & set(items)
    if len(outcomes) != 1 or set(items) - CONDITIONS - OUTCOMES:
        raise Wrong("the book has a row with something unknown: %s" % _shown(line))
    (outcome,) = outcomes
    value = items.pop(outcome)
    if outcome != "pays" and value != [True]:
        raise Wrong("the book has a row that cannot be read: %s" % _shown(line))
    return items, outcome, value[0] if outcome == "pays" else None


def winnings(price, stake):
    """Net and commission of a stake that wins at a price, in cents."""
    match = PRICE.fullmatch(price) if type(price) is str else None
    if match is None or int(match.group(2)) == 0:
        raise Wrong("the book has a price that cannot be read: %s" % _shown(price))
    gross = Fraction(stake * int(match.group(1)), int(match.group(2)))
    commission = gross * Fraction(match.group(3) or 0) / 100
    if gross.denominator != 1 or commission.denominator != 1:
        raise Wrong("%d at %s is not whole cents" % (stake, price))
    return {"won": {"net": int(gross - commission), "commission": int(commission)}}


class Book:
    """The decisions of a rulebook."""

    def __init__(self, canonical):
        value = parse_json(canonical)
        if type(value) is not dict or type(value.get("decisions")) is not dict:
            raise Wrong("the canonical text of the book has no decisions")
        self.name = value.get("book")
        self.decisions = value["decisions"]
        self._rows = {}
        ace, tens = self.number("cards.ace"), self.number("cards.tens")
        self.points = {rank: int(rank) for rank in "23456789"}
        self.points["A"] = ace
        self.points.update({rank: tens for rank in "TJQK"})
        self.naturals = self._naturals()

    def has(self, path):
        """Whether the book decides something."""
        return path in self.decisions

    def value(self, path):
        """What the book decides."""
        decision = self.decisions.get(path)
        if type(decision) is not dict or "is" not in decision:
            raise Wrong("the book does not say `%s`" % path)
        return decision["is"]

    def number(self, path):
        """What the book decides, as a number."""
        return whole(self.value(path), path)

    def bounds(self):
        """How deep a cut is at least, and the fewest cards behind the cutting card; None where
        the text of the book does not say it."""
        depth = self.number("cut.depth") if self.has("cut.depth") else None
        if not self.has("cut.behind"):
            return depth, None
        behind = self.value("cut.behind")
        if type(behind) is int:
            return depth, behind
        match = re.fullmatch(r"(?:at least )?([0-9]+)(?: to [0-9]+)?", text(behind, "cut.behind"))
        if match is None:
            raise Wrong("the book says `cut.behind` in words that are not known: %s"
                        % _shown(behind))
        return depth, int(match.group(1))

    def _naturals(self):
        value = self.value("tableau.natural")
        if type(value) is int:
            return {value}
        match = re.fullmatch(r"([0-9]) to ([0-9])", text(value, "tableau.natural"))
        if match is None:
            raise Wrong("the book has a natural that cannot be read: %s" % _shown(value))
        return set(range(int(match.group(1)), int(match.group(2)) + 1))

    def rows(self, path):
        """The rows of a pay table."""
        if path not in self._rows:
            self._rows[path] = [read_row(text(line, path)) for line in
                                array(self.value(path), path)]
        return self._rows[path]

    def total(self, cards):
        """The total of a hand."""
        return sum(self.points[one[0]] for one in cards) % 10

    def ties_kept(self, spot):
        """Whether a wager on a hand is kept on equal totals."""
        value = self.value(spot + ".ties")
        if value not in ("kept", "lost"):
            raise Wrong("`%s.ties` is %s" % (spot, _shown(value)))
        return value == "kept"


class Coup:
    """The hands of a coup with what the rows of a pay table ask of them."""

    def __init__(self, book, player, banker):
        self.hands = {"player": player, "banker": banker}
        self.totals = {name: book.total(hand) for name, hand in self.hands.items()}
        two = len(player) == 2 and len(banker) == 2
        self.naturals = {
            name: two and book.total(hand) in book.naturals for name, hand in self.hands.items()
        }
        difference = self.totals["player"] - self.totals["banker"]
        self.winner = "tie" if difference == 0 else "player" if difference > 0 else "banker"
        self.margin = abs(difference)

    def pair(self, name):
        """Whether the first two cards of a hand are of one rank."""
        hand = self.hands[name]
        return hand[0][0] == hand[1][0]

    def pair_is(self, name, kinds):
        """Whether a hand has a pair of one of the kinds; of any, if none are named."""
        if not self.pair(name):
            return False
        if kinds is None:
            return True
        one, two = (one[1] for one in self.hands[name][:2])
        if one == two:
            is_ = {"suited"}
        elif (one in RED) != (two in RED):
            is_ = {"mixed"}
        else:
            is_ = {"red" if one in RED else "black", "coloured"}
        return bool(is_ & set(kinds))

    def holds(self, conditions):
        """Whether all conditions of a row hold."""
        return all(self._holds(name, values, conditions) for name, values in conditions.items())

    def _holds(self, name, values, conditions):
        if name == "winner":
            return self.winner in values
        if name in SIDES:
            return self.totals[name] in values
        if name in ("player_cards", "banker_cards"):
            return len(self.hands[name.partition("_")[0]]) in values
        if name == "cards":
            return sum(len(hand) for hand in self.hands.values()) in values
        if name == "margin":
            return self.margin in values
        if name == "sum":
            return sum(self.totals.values()) in values
        if name == "natural":
            return any(_whose(who, lambda one: self.naturals[one]) for who in values)
        kinds = conditions.get("kind")
        if kinds is not None and set(kinds) - set(KINDS):
            raise Wrong("the book has a kind of pair that is unknown: %s" % _shown(kinds))
        if name == "kind":
            # Looked at together with the pair that it is of.
            if "pair" not in conditions:
                raise Wrong("the book has a kind without a pair")
            return True
        return any(_whose(who, lambda one: self.pair_is(one, kinds)) for who in values)


def _whose(who, has):
    """Whether player, banker, either or both of the hands have something."""
    if who in SIDES:
        return has(who)
    if who == "either":
        return has("player") or has("banker")
    if who == "both":
        return has("player") and has("banker")
    raise Wrong("the book has a hand that is unknown: %s" % _shown(who))


# ---------------------------------------------------------------------------------------------
# A table: its chips, its cards, its wagers
# ---------------------------------------------------------------------------------------------

# The side bets of `table/2` and before, which had words of their own and no `side_bets`.
OLD_SPOTS = {"pairs": ("banker-pair", "player-pair"), "dragon": ("banker-dragon", "player-dragon")}


class Card:
    """A card of the table, with the card of the shoe that it is."""

    __slots__ = ("card", "side", "shoe", "index")

    def __init__(self, value, side_):
        self.card = value
        self.side = side_
        self.shoe = None
        self.index = None


def read_legs(value):
    """The postings of an event, cents by account."""
    legs = {}
    for item in array(value, "postings"):
        account, cents = fields(item, ("account", "cents"), "a posting")
        if type(account) is dict and len(account) == 1:
            name, number = next(iter(account.items()))
            account = (name, whole(number, "an account"))
        else:
            account = (text(account, "an account"), None)
        if account in legs:
            raise Wrong("an account stands twice in the postings")
        if balance(cents, "cents") == 0:
            raise Wrong("the postings have an item of zero")
        legs[account] = cents
    if sum(legs.values()) != 0:
        raise Wrong("the postings sum to %d, not to zero" % sum(legs.values()))
    return legs


LAYOUT, FLOAT, OUTSIDE, COMMISSION = (
    (name, None) for name in ("layout", "float", "outside", "commission")
)


def account_name(account):
    """An account in words."""
    name, number = account
    return name if number is None else "%s %d" % (name, number)


def legs_text(legs):
    """Postings in words, in the order of their accounts."""
    if not legs:
        return "nothing"
    order = sorted(legs.items(), key=lambda item: (item[0][0], item[0][1] or 0))
    return ", ".join("%s %+d" % (account_name(account), cents) for account, cents in order)


class Table:
    """The state of a table, which every event is checked against and then changes."""

    def __init__(self, book, tournament=False, book_name=None):
        self.book = book
        self.tournament = tournament
        self.book_name = book_name
        self.opened = False
        self.decks = None
        self.method = None
        self.offers = {}
        self.spots = {}
        self.accounts = Counter()
        self.players = []
        self.seats = []
        self.wagers = {}
        self.lying = set()
        self.at = 0
        self.number = None
        self.newest = 0
        self.cards = []
        self.loose = []
        self.waiting = []
        self.ended = {}
        self.running = False
        self.result = None
        self.void = set()
        self.deciding = False
        self.gains = {}
        # What the command so far asks of the shoe; emptied by whoever compares it.
        self.asks = []
        self.drawn_to = None
        self.settled = 0
        # Whether the next shoe is to be prepared and not shuffled yet, and whether the table is
        # closed. Cards that were checked after that are shuffled before it opens again.
        self.preparing = False
        self.closed = False
        self.checked = False

    # -- events ---------------------------------------------------------------------------------

    def apply(self, event, schema):
        """Check an event and let it happen. Wrong is raised after as much as can happen did."""
        at, fact, clauses, legs = fields(
            event, ("at", "fact", "clauses", "postings"), "the event"
        )
        array(clauses, "clauses")
        name, value = kind_of(fact)
        legs = read_legs(legs)
        wrong = []
        if whole(at, "at") < self.at:
            wrong.append("the time of the table goes back")
        self.at = max(self.at, at)
        if not self.opened and name != "opened":
            wrong.append("the table is not open yet")
        do = FACTS.get(name)
        if do is None:
            raise Wrong("an unknown fact: %s" % _shown(name))
        # Whether this follows from a decision, such as that the wagers of one player are void.
        if name not in FOLLOWING:
            self.deciding = name in DECISIONS
        self._prepare(name, value)
        before = dict(self.accounts)
        for account, cents in legs.items():
            self._touch(account, wrong)
            self.accounts[account] += cents
        try:
            wanted = do(self, value, legs, before, schema)
            # A fact that moves no chips has no postings: otherwise any word could carry some.
            if wanted is not None and legs != {a: c for a, c in wanted.items() if c != 0}:
                wrong.append("the postings of `%s` are %s, but should be %s" % (
                    name, legs_text(legs),
                    legs_text({a: c for a, c in wanted.items() if c != 0})))
        except (Wrong, *MALFORMED) as error:
            wrong.append(said_of(error))
        for account in legs:
            if account[0] in ("stack", "layout") and self.accounts[account] < 0:
                wrong.append("%s falls to %d" % (account_name(account), self.accounts[account]))
        if self.accounts[LAYOUT] != sum(self.wagers.values()):
            wrong.append("the layout holds %d, but the wagers are %d" % (
                self.accounts[LAYOUT], sum(self.wagers.values())))
            # Said once, where it began.
            self.accounts[LAYOUT] = sum(self.wagers.values())
        if wrong:
            raise Wrong("; ".join(wrong))

    def _prepare(self, name, value):
        """Follow what becomes of the shoe: whether it is over, and the next one is prepared."""
        if name in ("opened", "shuffle-due"):
            self.preparing = True
        elif name == "shoe-ready" or (name, value) in (
            ("prepared", "shuffled"), ("prepared", "pre-shuffled")
        ):
            self.preparing = False
        elif name == "checked-by":
            self.checked = True
        elif name == "replaced":
            self.checked = False
        elif name == "closed":
            self.closed = True
        elif name == "opened-again":
            self.closed = False
            self.preparing = self.preparing or self.checked

    def _touch(self, account, wrong):
        name, number = account
        if name in ("stack", "receivable"):
            if number is None or number >= len(self.players) + 1:
                wrong.append("an account of nobody: %s" % _shown(account))
        elif account not in (LAYOUT, FLOAT, OUTSIDE, COMMISSION):
            wrong.append("an unknown account: %s" % _shown(account))

    def player(self, value):
        """The number of a player who came."""
        if whole(value, "player") >= len(self.players):
            raise Wrong("player %d did not arrive" % value)
        return value

    def purse(self, player):
        """Where the chips of a player are: what was owed to somebody who left is a debt."""
        return ("stack" if self.players[player] else "receivable", player)

    def nothing(self, value, legs, before, schema):
        """A fact that changes nothing of what is checked here."""
        return {}

    # -- opening and sign -----------------------------------------------------------------------

    def do_opened(self, value, legs, before, schema):
        """The table opens; in a tournament perhaps for another session, with nothing on it."""
        if self.opened and not self.tournament:
            raise Wrong("the table opens a second time")
        at = self.at
        self.__init__(self.book, self.tournament, self.book_name)
        self.at = at
        self.opened = self.preparing = True
        names = ("book", "base", "with", "options", "side_bets")
        book, base, sheets, options, bets = fields(value, names, "opened", ("with", "side_bets"))
        self._check_name(book, base, sheets or [])
        if type(options) is not dict:
            raise Wrong("options is not an object")
        self.decks = whole(options.get("decks"), "decks")
        self.method = text(options.get("method"), "method")
        if schema < 3 and "side_bets" not in options:
            for group, spots in OLD_SPOTS.items():
                self._old_line(group, options.get(group))
            return {}
        for item in array(bets, "side_bets"):
            offer, _, _, spots = fields(item, ("offer", "group", "name", "spots"), "a side bet")
            self.spots[text(offer, "offer")] = [text(spot, "a spot") for spot in
                                                array(spots, "spots")]
        for offer in array(options.get("side_bets"), "the side bets"):
            self._offer(offer)
        return {}

    def _check_name(self, book, base, sheets):
        """The names in `opened` are those of the book record; a book's folder is not told."""
        if self.book_name is None:
            return
        name, *found = self.book_name.split("+")
        name, _, under = name.partition("@")
        if (name.rpartition("/")[2], found) != (book, array(sheets, "with")) or (
            under and under.rpartition("/")[2] != base
        ):
            raise Wrong("the table opens under %s, but the book is %s" % (
                _shown(book), _shown(self.book_name)))

    def _offer(self, offer):
        group = text(offer, "an offer").partition("=")[0]
        if offer not in self.spots:
            raise Wrong("the book has no side bet %s" % _shown(offer))
        self.offers[group] = offer

    def _old_line(self, group, value):
        """`pairs` with a pay table or nothing, `dragon` with true or false."""
        self.offers.pop(group, None)
        if value is None or value is False:
            return
        offer = group if value is True else "%s=%s" % (group, text(value, group))
        self.spots[offer] = OLD_SPOTS[group]
        self.offers[group] = offer

    def do_sign(self, value, legs, before, schema):
        """A line of the sign that counts from here on."""
        if type(value) is str:
            return {}
        name, line = kind_of(value)
        if name == "method":
            self.method = text(line, "method")
        elif name == "offer":
            self._offer(line)
        elif name == "withdraw":
            self.offers.pop(text(line, "withdraw").partition("=")[0], None)
        elif name in OLD_SPOTS and schema < 3:
            self._old_line(name, line)
        return {}

    # -- players --------------------------------------------------------------------------------

    def do_arrived(self, value, legs, before, schema):
        """A player comes with chips."""
        player, _, seat, _, chips = fields(
            value, ("player", "name", "seat", "standing", "chips"), "arrived"
        )
        if whole(player, "player") != len(self.players):
            raise Wrong("player %d arrives, but %d is the next number"
                        % (player, len(self.players)))
        self.players.append(True)
        self.seats.append(seat)
        return {OUTSIDE: -whole(chips, "chips"), ("stack", player): chips}

    def do_left(self, value, legs, before, schema):
        """A player leaves with all chips."""
        player = self.player(value)
        self.players[player] = False
        chips = before.get(("stack", player), 0)
        return {("stack", player): -chips, OUTSIDE: chips}

    def do_in_again(self, value, legs, before, schema):
        """A player of a tournament is back, with chips from outside."""
        player = self.player(value)
        if not self.tournament:
            raise Wrong("`in-again` is of tournaments only")
        self.players[player] = True
        cents = legs.get(("stack", player), 0)
        if cents < 0:
            raise Wrong("player %d comes back and loses chips" % player)
        return {("stack", player): cents, OUTSIDE: -cents}

    def do_adjusted(self, value, legs, before, schema):
        """A rule of a tournament gives chips or takes them; a debt may be written off with it."""
        player, cents = fields(value, ("player", "cents"), "adjusted")
        player = self.player(player)
        balance(cents, "cents")
        if not self.tournament:
            raise Wrong("`adjusted` is of tournaments only")
        # Which amount is right is a matter of the conditions of the tournament. What can be said
        # is where it comes from, and that a debt goes nowhere but outside.
        debt = legs.get(("receivable", player), 0)
        if debt and OUTSIDE in legs:
            return {("stack", player): cents, FLOAT: -cents,
                    ("receivable", player): debt, OUTSIDE: -debt}
        return {("stack", player): cents - debt, ("receivable", player): debt, FLOAT: -cents}

    # -- wagers ---------------------------------------------------------------------------------

    def _wager(self, value, names, what):
        found = fields(value, names, what)
        values = dict(zip(names, found))
        player = self.player(values["player"])
        key = (player, text(values.get("spot", values.get("from")), "spot"),
               whole(values["place"], "place"))
        return values, player, key

    def _lay(self, key, amount):
        self.wagers[key] = self.wagers.get(key, 0) + amount

    def _take(self, key, amount, what):
        """Take chips off a wager; it must be there."""
        there = self.wagers.get(key, 0)
        if amount > there:
            self.wagers.pop(key, None)
            raise Wrong("%s of %d, but %d lies on %s" % (what, amount, there, key[1]))
        if amount == there:
            self.wagers.pop(key, None)
        else:
            self.wagers[key] = there - amount

    def do_placed(self, value, legs, before, schema):
        """A wager is placed or raised."""
        names = ("player", "spot", "place", "amount", "unnoticed")
        values, player, key = self._wager(value, names, "placed")
        amount = whole(values["amount"], "amount")
        self._lay(key, amount)
        self._not_too_late()
        if not self.players[player]:
            raise Wrong("player %d has left" % player)
        self._known_spot(key[1])
        return {self.purse(player): -amount, LAYOUT: amount}

    def do_returned(self, value, legs, before, schema):
        """Chips go back to a player."""
        names = ("player", "spot", "place", "amount", "why")
        values, player, key = self._wager(value, names, "returned")
        amount = whole(values["amount"], "amount")
        self._take(key, amount, "a return")
        return {LAYOUT: -amount, self.purse(player): amount}

    def do_moved(self, value, legs, before, schema):
        """Chips move from one spot to another."""
        names = ("player", "from", "to", "place", "amount")
        values, player, key = self._wager(value, names, "moved")
        amount = whole(values["amount"], "amount")
        self._take(key, amount, "a move")
        self._lay((player, text(values["to"], "to"), key[2]), amount)
        self._known_spot(values["to"])
        self._not_too_late()
        return {}

    def do_relaid(self, value, legs, before, schema):
        """A wager of a reopened coup is laid again, on credit if the chips are gone."""
        values, player, key = self._wager(value, ("player", "spot", "place", "stake"), "relaid")
        stake = whole(values["stake"], "stake")
        self._lay(key, stake)
        self._not_too_late()
        debt = legs.get(("receivable", player), 0)
        if debt > 0 or (debt and self.accounts[("stack", player)] != 0):
            raise Wrong("a wager is laid on credit, though there are chips")
        if not self.players[player] and -debt != stake:
            raise Wrong("a wager is laid from the stack of somebody who left")
        return {("stack", player): -stake - debt, ("receivable", player): debt, LAYOUT: stake}

    def do_wager_corrected(self, value, legs, before, schema):
        """A wager that was recorded wrongly is set right."""
        names = ("player", "spot", "place", "from", "to")
        values, player, key = self._wager(value, names, "wager-corrected")
        old, new = whole(values["from"], "from"), whole(values["to"], "to")
        there = self.wagers.pop(key, 0)
        if new:
            self.wagers[key] = new
        self._known_spot(key[1])
        self._not_too_late()
        if there != old:
            raise Wrong("it corrects a wager of %d, but %d lies there" % (old, there))
        return {self.purse(player): old - new, LAYOUT: new - old}

    def do_seat_corrected(self, value, legs, before, schema):
        """A seat that was recorded wrongly is set right; wagers at the old one go with it."""
        player, seat = fields(value, ("player", "seat"), "seat-corrected")
        player, seat = self.player(player), whole(seat, "seat")
        if not self.tournament:
            raise Wrong("`seat-corrected` is of tournaments only")
        old, self.seats[player] = self.seats[player], seat
        for key in [key for key in self.wagers if key[0] == player and key[2] == old]:
            stake = self.wagers.pop(key)
            self._lay((player, key[1], seat), stake)
        self.lying = {(one, spot, seat if (one, place) == (player, old) else place)
                      for one, spot, place in self.lying}
        return {}

    def _not_too_late(self):
        """Chips are laid before the result is known."""
        if self.running and self.result is not None:
            raise Wrong("a wager is laid when the result is known")

    def _known_spot(self, spot):
        if spot not in ("banker", "player", "tie"):
            self._pay_table(spot)

    def _pay_table(self, spot):
        """The path of the rows of a side bet that is on offer."""
        for offer in self.offers.values():
            if spot in self.spots[offer]:
                table = offer.partition("=")[2]
                return "side_bet.%s (%s)" % (spot, table) if table else "side_bet.%s" % spot
        raise Wrong("the spot %s is not on offer" % _shown(spot))

    # -- cards ----------------------------------------------------------------------------------

    def hands(self):
        """The cards of both hands; Wrong if one is not known."""
        hands = {"player": [], "banker": []}
        for one in self.cards:
            if one.side is None:
                continue
            if one.card is None:
                raise Wrong("a card of the %s hand is not known" % one.side)
            hands[one.side].append(one.card)
        return hands["player"], hands["banker"]

    def coup(self):
        """The hands as they lie, two or three cards each."""
        hands = self.hands()
        if not all(2 <= len(hand) <= 3 for hand in hands):
            raise Wrong("the hands have %d and %d cards" % tuple(len(hand) for hand in hands))
        return Coup(self.book, *hands)

    def _need_coup(self):
        if not self.running:
            raise Wrong("there is no coup")

    def do_coup_began(self, value, legs, before, schema):
        """A coup begins on an empty table."""
        number, _, _ = fields(value, ("number", "no_bet", "last"), "coup-began")
        was, self.running, self.result = self.running, True, None
        former, self.newest = self.newest, whole(number, "number")
        self.number = number
        self.cards, self.loose = [], []
        self.lying = set()
        if was:
            raise Wrong("a coup begins before the one before has ended")
        if number != former + 1:
            raise Wrong("coup %d comes after coup %d" % (number, former))
        return {}

    def do_dealt(self, value, legs, before, schema):
        """A card goes to a hand, from the shoe or from what waited."""
        to, found, shown = fields(value, ("side", "card", "shown"), "dealt")
        self._need_coup()
        found = card_or_null(found)
        if flag(shown, "shown") and found is None:
            raise Wrong("a card that lies face up is not told")
        if not self.cards and not self.loose and self.waiting:
            one = self.waiting.pop(0)
            former, one.card = one.card, found if found is not None else one.card
            one.side = side(to)
            self.asks.append(("waited", one, former))
        else:
            one = Card(found, side(to))
            # Where the table puts a card to another hand, it left the shoe for the one it was
            # drawn to.
            drawn, self.drawn_to = self.drawn_to or side(to), None
            self.asks.append(("hand", one, (self.number, drawn, found)))
        self.cards.append(one)
        self.result = None
        return {}

    def _at_index(self, value):
        if whole(value, "index") >= len(self.cards):
            raise Wrong("the coup has no card %d" % value)
        return self.cards[value]

    def do_turned(self, value, legs, before, schema):
        """A card that lay face down is turned."""
        index, found = fields(value, ("index", "card"), "turned")
        one = self._at_index(index)
        former, one.card = one.card, card(found)
        self.asks.append(("turned", one, former))
        # A card that waited may have been seen, by staff or in the excess fact, and still be
        # turned; but it does not become another one.
        if former is not None and former != one.card:
            raise Wrong("%s is turned and becomes %s" % (former, one.card))
        return {}

    def do_card_corrected(self, value, legs, before, schema):
        """A card that was recorded wrongly."""
        index, found = fields(value, ("index", "card"), "card-corrected")
        one = self._at_index(index)
        one.card = card(found)
        self.asks.append(("corrected", one, None))
        self.result = None
        return {}

    def do_reconstructed(self, value, legs, before, schema):
        """The first four cards belong to Player, Banker, Player, Banker."""
        for one, to in zip(self.cards[:4], itertools.cycle(SIDES)):
            one.side = to
        self.result = None
        return {}

    def do_rearranged(self, value, legs, before, schema):
        """The cards of the coup anew, each with its former index and its hand."""
        former, used = self.cards, set()
        cards = []
        for item in array(value, "rearranged"):
            if len(array(item, "an item")) != 2:
                raise Wrong("an item is not an index and a hand")
            one = self._at_index(item[0])
            if item[0] in used:
                raise Wrong("the card %d is listed twice" % item[0])
            used.add(item[0])
            cards.append((one, side(item[1])))
        for one, to in cards:
            one.side = to
        self.cards = [one for one, _ in cards]
        for index, one in enumerate(former):
            if index not in used:
                one.side = None
                self.loose.append(one)
        self.result = None
        return {}

    def do_third_moved(self, value, legs, before, schema):
        """The fifth card of the coup belongs to this side."""
        if len(self.cards) < 5:
            raise Wrong("the coup has no fifth card")
        self.cards[4].side = side(value)
        self.result = None
        return {}

    def do_given_to_banker(self, value, legs, before, schema):
        """The next card was drawn to Player, and is Banker's."""
        self.drawn_to = "player"
        return {}

    def do_out_of_sequence(self, value, legs, before, schema):
        """The next card was drawn to this hand."""
        self.drawn_to = side(value)
        return {}

    def do_excess(self, value, legs, before, schema):
        """A card in excess: it waits for the next coup."""
        (found,) = fields(value, ("card",), "excess")
        found = card_or_null(found)
        for one in self.loose:
            # It lay in a hand of the coup that is judged again, and belongs to none now.
            if found is None or one.card == found:
                self.loose.remove(one)
                self.waiting.append(one)
                return {}
        one = Card(found, None)
        self.waiting.append(one)
        self.asks.append(("excess", one, found))
        return {}

    def do_excess_not_used(self, value, legs, before, schema):
        """A card in excess is taken away."""
        found = card_or_null(value)
        if not self.waiting:
            # It left the shoe just now, and is taken away at once.
            self.asks.append(("excess", Card(found, None), found))
            return {}
        one = self.waiting.pop(0)
        if found is not None and one.card is not None and found != one.card:
            raise Wrong("%s is not used, but %s was in excess" % (found, one.card))
        if found is not None and one.card is None:
            former, one.card = one.card, found
            self.asks.append(("turned", one, former))
        return {}

    def do_burned(self, value, legs, before, schema):
        """Cards are burnt; the first one may be shown."""
        shown, further = fields(value, ("shown", "further"), "burned")
        shown = card_or_null(shown)
        self.asks.append(("burn", shown, None))
        self.asks += [("burn", None, None)] * whole(further, "further")
        return {}

    def do_burned_more(self, value, legs, before, schema):
        """More cards are burnt, unseen."""
        self.asks += [("burn", None, None)] * whole(value, "burned-more")
        return {}

    def do_cut(self, value, legs, before, schema):
        """The cards are cut."""
        by, depth = fields(value, ("by", "depth"), "cut")
        who, which = kind_of(by)
        if who not in ("player", "staff"):
            raise Wrong("the cut is by %s" % _shown(by))
        self.asks.append(("cut", who, whole(depth, "depth")))
        if who == "player" and not self.players[self.player(which)]:
            raise Wrong("the cut is by player %d, who has left" % which)
        return {}

    def do_cutting_card(self, value, legs, before, schema):
        """The cutting card is placed."""
        self.asks.append(("behind", whole(value, "cutting-card-placed"), None))
        return {}

    # -- judging --------------------------------------------------------------------------------

    def do_totals(self, value, legs, before, schema):
        """The totals of the hands."""
        found = dict(zip(SIDES, fields(value, SIDES, "totals")))
        totals = self.coup().totals
        if not same(found, totals):
            raise Wrong("the totals are %s, not %s" % (totals, found))
        return {}

    def do_pairs_judged(self, value, legs, before, schema):
        """Which hands have a pair."""
        found = fields(value, SIDES, "pairs-judged")
        coup = self.coup()
        if not same(found, [coup.pair(name) for name in SIDES]):
            raise Wrong("the pairs are judged wrongly")
        return {}

    def do_natural(self, value, legs, before, schema):
        """A natural: there is one, and no third card."""
        if not any(self.coup().naturals.values()):
            raise Wrong("there is no natural")
        return {}

    def do_result(self, value, legs, before, schema):
        """The result of the coup."""
        self._need_coup()
        coup = self.coup()
        due = "tie" if coup.winner == "tie" else {"won": coup.winner}
        self.result = due
        if not same(value, due):
            raise Wrong("the result is %s, but the hands have %d and %d" % (
                _shown(value), coup.totals["player"], coup.totals["banker"]))
        return {}

    def _verdict(self, spot, stake):
        """What the rules make of the cards, the spot and the stake."""
        book, path = self.book, None
        if spot not in ("player", "banker", "tie"):
            path = self._pay_table(spot)
        early = path is not None and all(
            set(conditions) <= {"pair", "kind"} for conditions, _, _ in book.rows(path)
        )
        # Only a wager on pairs can be judged by the first two cards of the hands.
        if self.result is None and not early:
            raise Wrong("a wager on %s is settled before the result" % _shown(spot))
        coup = self.coup()
        if path is not None:
            return self._by_rows(path, coup, stake)
        price = "methods.%s.%s" % (self.method, spot)
        if spot == "tie":
            return winnings(book.value(price), stake) if coup.winner == "tie" else "lost"
        if coup.winner == "tie":
            return "kept" if book.ties_kept(spot) else "lost"
        if coup.winner != spot:
            return "lost"
        rows = "side_bet.banker (%s)" % self.method
        if spot == "banker" and book.has(rows):
            found = self._by_rows(rows, coup, stake, may_lack=True)
            if found is not None:
                return found
        return winnings(book.value(price), stake)

    def _by_rows(self, path, coup, stake, may_lack=False):
        for conditions, outcome, price in self.book.rows(path):
            if coup.holds(conditions):
                return winnings(price, stake) if outcome == "pays" else outcome
        if may_lack:
            return None
        raise Wrong("no row of `%s` holds" % path)

    def do_settled(self, value, legs, before, schema):
        """A wager is settled: verdict and postings are recomputed."""
        names = ("player", "spot", "place", "stake", "verdict")
        values, player, key = self._wager(value, names, "settled")
        stake = whole(values["stake"], "stake")
        self.settled += 1
        self._need_coup()
        # The sums that a void takes back are those of the postings as they are; what they
        # should be is compared below.
        gains = self.gains.setdefault((self.number, player), Counter())
        for account, cents in legs.items():
            gains[account] += cents
        lay = self.wagers.pop(key, 0)
        if lay != stake:
            raise Wrong("a stake of %d is settled, but %d lies on %s" % (stake, lay, key[1]))
        verdict = self._verdict(key[1], stake)
        if not same(values["verdict"], verdict):
            raise Wrong("the verdict on %d on %s is %s, but should be %s" % (
                stake, _shown(key[1]), _shown(values["verdict"]), _shown(verdict)))
        purse = self.purse(player)
        if verdict == "lost":
            return {LAYOUT: -stake, FLOAT: stake}
        if verdict == "kept":
            return {LAYOUT: -stake, purse: stake}
        net, commission = verdict["won"]["net"], verdict["won"]["commission"]
        return {LAYOUT: -stake, purse: stake + net, COMMISSION: commission,
                FLOAT: -net - commission}

    def do_lies(self, value, legs, before, schema):
        """A wager stays for the next coup."""
        values, _, key = self._wager(value, ("player", "spot", "place", "stake"), "lies")
        self._need_coup()
        if self.wagers.get(key) != whole(values["stake"], "stake"):
            raise Wrong("a stake of %d stays, but %d lies on %s" % (
                values["stake"], self.wagers.get(key, 0), key[1]))
        self.lying.add(key)
        if key[1] not in SIDES or not self.book.ties_kept(key[1]):
            raise Wrong("a wager on %s stays on the layout" % _shown(key[1]))
        if self.result is None or self.coup().winner != "tie":
            raise Wrong("a wager stays on the layout, but the totals are not equal")
        return {}

    def do_coup_ended(self, value, legs, before, schema):
        """The coup is over."""
        names = ("number", "outcome", "pairs", "natural")
        number, outcome, pairs, natural = fields(value, names, "coup-ended")
        running, self.running = self.running, False
        lying, self.lying = self.lying, set()
        result, self.result = self.result, None
        if not running or number != self.number:
            raise Wrong("coup %s ends, which is not being dealt" % _shown(number))
        self.ended[number] = [(one, one.card, one.side) for one in self.cards]
        if outcome is None:
            if number not in self.void:
                raise Wrong("a coup that is not void ends without an outcome")
            return {}
        if not same(outcome, result):
            raise Wrong("the outcome is %s, but the result was %s"
                        % (_shown(outcome), _shown(result)))
        coup = self.coup()
        if not same(pairs, [coup.pair(name) for name in SIDES]):
            raise Wrong("the pairs are %s" % _shown(pairs))
        if natural is not any(coup.naturals.values()):
            raise Wrong("natural is %s" % _shown(natural))
        left = sorted(set(self.wagers) - lying)
        if left:
            raise Wrong("a wager of player %d on %s is not settled" % left[0][:2])
        return {}

    def do_voided(self, value, legs, before, schema):
        """A coup is void."""
        number, _ = fields(value, ("number", "why"), "voided")
        number = whole(number, "number")
        if not (self.running and number == self.number) and number not in self.ended:
            raise Wrong("coup %d is void, which was not dealt" % number)
        self.void.add(number)
        return {}

    def do_reopened(self, value, legs, before, schema):
        """A coup that was settled is judged again, with the cards as they lay when it ended."""
        (number,) = fields(value, ("number",), "reopened")
        was, self.running, self.result = self.running, True, None
        if number not in self.ended:
            raise Wrong("coup %s was not dealt" % _shown(number))
        self.number = number
        self.cards = []
        for one, found, to in self.ended[number]:
            one.card, one.side = found, to
            self.cards.append(one)
        self.loose = []
        if was:
            raise Wrong("a coup is reopened while another is dealt")
        return {}

    def do_reversed(self, value, legs, before, schema):
        """A void takes back what a coup brought a player."""
        player, number = fields(value, ("player", "number"), "reversed")
        player = self.player(player)
        gains = self.gains.pop((whole(number, "number"), player), None)
        if number not in self.void and not self.deciding and not (
            self.running and number == self.number
        ):
            raise Wrong("coup %d is neither void nor judged again, and nobody decided" % number)
        if gains is None:
            raise Wrong("coup %s brought player %d nothing that can be taken back"
                        % (_shown(number), player))
        stack, debt = ("stack", player), ("receivable", player)
        # The stakes went off the layout and are with the player again.
        brought = gains[stack] + gains[debt] + gains[LAYOUT]
        part = legs.get(debt, 0)
        return {stack: -brought - part, debt: part, FLOAT: -gains[FLOAT],
                COMMISSION: -gains[COMMISSION]}


DECISIONS = ("decided", "dispute-decided", "dispute-reviewed")
FOLLOWING = ("reversed", "returned", "excluded")
# The facts that say how a coup ended and what it paid; the others are about chips and wagers.
JUDGED = frozenset((
    "totals", "pairs-judged", "natural", "result", "settled", "lies", "coup-ended", "reversed",
))
FACTS = {name: Table.nothing for name in (
    "kept", "ticked", "sign", "notice-given", "consented", "personal-limits", "excluded",
    "vacated", "riffle-asked", "riffle-approved", "checked-by", "prepared", "cut-offered",
    "cut-declined", "burn-short", "burn-skipped", "shoe-ready", "replaced", "shuffle-due",
    "let-stand", "claim-waived", "dragon-waived", "advised", "both-sides-approved",
    "no-bet-asked", "no-bet-answered", "no-bet-directed", "optional-coups", "face-down-asked",
    "management-informed", "surveillance-informed", "called", "bets-opened", "bets-closed",
    "passed", "cards-refused", "three-already", "stands", "given-to-banker", "out-of-sequence",
    "suspended", "resumed", "found-face-up", "error-found", "cutting-card-out", "coups-left",
    "one-more-round", "no-more-round", "cutting-card-seen", "disputed", "dispute-decided",
    "dispute-reviewed", "decided", "rules-asked", "rules-given", "inspector-left",
    "inspector-back", "closed", "away", "back", "opened-again",
)}
FACTS.update({
    "opened": Table.do_opened, "posted": Table.do_sign, "took-effect": Table.do_sign,
    "arrived": Table.do_arrived, "left": Table.do_left, "seat-required": Table.do_left,
    "in-again": Table.do_in_again, "adjusted": Table.do_adjusted, "placed": Table.do_placed,
    "returned": Table.do_returned, "moved": Table.do_moved, "relaid": Table.do_relaid,
    "wager-corrected": Table.do_wager_corrected,
    "seat-corrected": Table.do_seat_corrected, "coup-began": Table.do_coup_began,
    "dealt": Table.do_dealt, "turned": Table.do_turned,
    "card-corrected": Table.do_card_corrected, "reconstructed": Table.do_reconstructed,
    "rearranged": Table.do_rearranged, "third-moved": Table.do_third_moved,
    "given-to-banker": Table.do_given_to_banker, "out-of-sequence": Table.do_out_of_sequence,
    "excess": Table.do_excess, "excess-not-used": Table.do_excess_not_used,
    "burned": Table.do_burned, "burned-more": Table.do_burned_more, "cut": Table.do_cut,
    "cutting-card-placed": Table.do_cutting_card, "totals": Table.do_totals,
    "pairs-judged": Table.do_pairs_judged, "natural": Table.do_natural,
    "result": Table.do_result, "settled": Table.do_settled, "lies": Table.do_lies,
    "coup-ended": Table.do_coup_ended, "voided": Table.do_voided,
    "reopened": Table.do_reopened, "reversed": Table.do_reversed,
})


# ---------------------------------------------------------------------------------------------
# Shoes
# ---------------------------------------------------------------------------------------------

COUP_WORDS = re.compile(r"coup ([0-9]+): (player|banker)")


class Shoe:
    """What was published of a shoe, and what the table says of it."""

    def __init__(self, version, number, protocol, decks, commitment, binds):
        self.version = version
        self.number = number
        self.protocol = protocol
        self.decks = decks
        self.commitment = commitment
        self.binds = binds
        self.promises = None
        self.signature = None
        self.firsts = None
        self.nonces = None
        self.root = None
        self.cutter = None
        self.cut = None
        self.seconds = None
        self.behind = None
        self.dealt = []
        self.openings = []
        self.shown = {}
        self.entropy = None
        self.abandoned = False
        self.lost = False

    def second(self):
        """Whether it is by the second procedure."""
        return self.protocol == shoes().SECOND

    def record(self):
        """The record of docs/VERIFY.md, as its JSON value."""
        value = {
            "protocol": self.protocol, "decks": self.decks, "commitment": self.commitment,
            "root": self.root, "cut": self.cut, "dealt": self.dealt, "openings": self.openings,
            "entropy": self.entropy,
        }
        if self.second():
            value.update({
                "binds": self.binds, "promises": self.promises or [],
                "signature": self.signature, "firsts": self.firsts, "cutter": self.cutter,
                "seconds": self.seconds,
            })
        else:
            value["nonces"] = self.nonces or []
        return value

    def faults(self):
        """What does not hold in the record, as lines."""
        try:
            return shoes().find_faults(shoes().read_record(self.record()))
        except shoes().FormError as error:
            return ["the record cannot be read: %s" % error]


class TableStream:
    """A table and its shoes: of a stream of its own, or one of a tournament's."""

    def __init__(self, stream, book_hash, table, house, covered, fault):
        self.stream = stream
        # What its shoes are bound to, and what is said of it before a fault.
        self.bound = stream
        self.called = ""
        self.covered = covered
        self.book_hash = book_hash
        self.table = table
        self.house = house
        # Whether cards may be keyed in, as long as the house has committed to no shoe here.
        self.keyed = False
        # Every commitment so far.
        self.commitments = set()
        self.restored = house.restored.get(stream, [])
        self.fault = fault
        self.shoe = None
        self.count = 0
        self.over = []
        self.second_seen = False
        self.command_dealt = []
        self.command_opened = {}
        self.command_seconds = False
        # What was published of shoes in this command, by kind, and what was revealed.
        self.command_facts = []
        self.command_revealed = None
        # Until when an account takes no part.
        self.barred = {}

    def wrong(self, version, check, said):
        """Report a fault of this stream."""
        self.fault(self.stream, version, check, self.called + said)

    # -- facts of the shoe ----------------------------------------------------------------------

    def shoe_fact(self, row, value, schema):
        """A fact that was published of the shoe, in its order in time."""
        name, said = kind_of(value)
        self.command_facts.append(name)
        if name == "committed":
            self._committed(row, said, schema)
            return
        if self.shoe is None:
            raise Wrong("`%s`, but there is no shoe" % name)
        if name in ("listed", "ordered", "cut-by-chance", "abandoned") and schema < 2:
            raise Wrong("`%s` is not of shoe/1" % name)
        if name != "revealed":
            if self.shoe.abandoned:
                raise Wrong("`%s`, but the shoe is abandoned" % name)
            if name != "abandoned" and any(
                self.shoe.version <= at < row.version for at in self.restored
            ):
                raise Wrong("`%s` after the log was restored, in which the shoe was open" % name)
        do = {
            "listed": self._listed, "ordered": self._ordered, "mixed": self._mixed,
            "cut-by-chance": self._by_chance, "dealt": self._dealt, "opened": self._opened,
            "abandoned": self._abandoned, "revealed": self._revealed,
        }.get(name)
        if do is None:
            raise Wrong("an unknown fact of a shoe: %s" % _shown(name))
        do(said, row)

    def _committed(self, row, said, schema):
        protocol, decks, commitment, binds = fields(
            said, ("protocol", "decks", "commitment", "binds"), "committed", ("binds",)
        )
        if self.shoe is not None:
            unfinished = not self.shoe.lost
            self.finish()
            if unfinished:
                self.wrong(row.version, "shoe", "a shoe is committed to, but the one before was"
                           " not revealed")
        self.count += 1
        self.table.waiting = []
        self.shoe = Shoe(row.version, self.count, protocol, decks, commitment, binds)
        if protocol not in (shoes().FIRST, shoes().SECOND):
            raise Wrong("the procedure is %s" % _shown(protocol))
        if schema < 2 and (self.shoe.second() or "binds" in said):
            raise Wrong("shoe/1 is of the first procedure only")
        if commitment in self.commitments:
            raise Wrong("a commitment that was used before")
        self.commitments.add(commitment)
        # Otherwise the house could go back to the procedure that binds it less. A house that
        # signs has the second one.
        signed = self.covered.first_signed
        late = signed is not None and row.version > signed.get(self.stream, 0)
        if not self.shoe.second() and (schema > 1 or self.second_seen or late):
            raise Wrong("a new shoe by the first procedure, which is weaker")
        if decks != self.table.decks:
            raise Wrong("the shoe has %s decks, the table %s" % (decks, self.table.decks))
        if self.shoe.second():
            self.second_seen = True
            self._check_binds(binds, row.version)

    def _check_binds(self, binds, version):
        key, table, number, book, behind, least = fields(
            binds, ("key", "table", "number", "book", "behind", "least"), "binds"
        )
        span = self.covered.span(self.stream, version)
        if hexadecimal(key, 32, "key") not in self.house.keys_between(*span):
            raise Wrong("the commitment binds a key that is not the house's newest one")
        if table != self.bound:
            raise Wrong("the commitment binds the table %s" % _shown(table))
        if number != self.count:
            raise Wrong("the commitment binds the number %s, but this is shoe %d"
                        % (_shown(number), self.count))
        if hexadecimal(book, 32, "book") != self.book_hash:
            raise Wrong("the commitment binds another book")
        depth, fewest = self.table.book.bounds()
        if depth is not None and whole(least, "least") != depth:
            raise Wrong("the commitment binds a cut of at least %d cards, the book says %d"
                        % (least, depth))
        if fewest is not None and whole(behind, "behind") < fewest:
            raise Wrong("the commitment binds %d cards behind the cutting card, the book says %d"
                        " at least" % (behind, fewest))

    def _only(self, second, name):
        if self.shoe.second() != second:
            raise Wrong("`%s` is not of the procedure %s" % (name, self.shoe.protocol))

    def _listed(self, said, row):
        self._only(True, "listed")
        if self.shoe.signature is not None:
            raise Wrong("the list is closed a second time")
        self.shoe.promises, self.shoe.signature = fields(
            said, ("promises", "signature"), "listed"
        )
        for promise in array(self.shoe.promises, "promises"):
            if self.barred.get(promise.get("account"), 0) > row.at:
                self.wrong(row.version, "shoe", "%s takes part within a day of a word that was"
                           " promised and not opened" % _shown(promise.get("account")))
        if self.shoe.root is not None:
            raise Wrong("the list is closed when the order is made")

    def _ordered(self, said, row):
        self._only(True, "ordered")
        if self.shoe.root is not None:
            raise Wrong("the order is made a second time")
        self.shoe.firsts, self.shoe.root = fields(said, ("firsts", "root"), "ordered")
        self._bar(self.shoe.firsts, row)
        if self.shoe.signature is None:
            raise Wrong("the order is made before the list is closed")

    def _bar(self, words, row):
        """Who promised a word and did not open it takes no part for a day."""
        for promise, word in zip(self.shoe.promises or [], array(words, "the words")):
            if word is None:
                self.barred[promise.get("account")] = row.at + BARRED

    def _mixed(self, said, row):
        self._only(False, "mixed")
        if self.shoe.root is not None:
            raise Wrong("the order is made a second time")
        self.shoe.nonces, self.shoe.root = fields(said, ("nonces", "root"), "mixed")
        if self.shoe.cut is not None:
            raise Wrong("the order is made after the cut")

    def _by_chance(self, said, row):
        self._only(True, "cut-by-chance")
        if self.shoe.seconds is not None:
            raise Wrong("the second words are opened a second time")
        (self.shoe.seconds,) = fields(said, ("seconds",), "cut-by-chance")
        self._bar(self.shoe.seconds, row)
        self.command_seconds = True
        if self.shoe.root is None or self.shoe.dealt:
            raise Wrong("the second words are opened before the order or after a card")

    def _dealt(self, said, row):
        index, what, opening = fields(said, ("index", "what", "opening"), "dealt")
        shoe = self.shoe
        place = len(shoe.dealt)
        shoe.dealt.append(text(what, "what"))
        self.command_dealt.append((shoe, place, what, opening, row.version))
        if opening is not None:
            self._add_opening(opening)
            if opening.get("index") != index:
                raise Wrong("the opening is of card %s" % _shown(opening.get("index")))
        if index != place:
            raise Wrong("card %s leaves the shoe, but %d is next" % (_shown(index), place))
        if shoe.cut is None:
            raise Wrong("a card leaves the shoe before the cut")

    def _add_opening(self, opening):
        if type(opening) is not dict:
            raise Wrong("an opening is not an object")
        self.shoe.openings.append(opening)
        self.shoe.shown[opening.get("index")] = opening.get("card")

    def _opened(self, said, row):
        self._add_opening(said)
        self.command_opened[said.get("index")] = (said.get("card"), row.version)

    def _abandoned(self, said, row):
        if said not in ("left", "restored", "key-changed", "secret-lost"):
            raise Wrong("the shoe is abandoned because of %s" % _shown(said))
        self.shoe.abandoned = True
        self.shoe.lost = said == "secret-lost"
        if said == "restored" and not any(
            self.shoe.version <= at < row.version for at in self.restored
        ):
            raise Wrong("the shoe is abandoned because the log was restored, and it was not")
        if said == "key-changed":
            first, last = (self.covered.span(self.stream, at)
                           for at in (self.shoe.version, row.version))
            if self.shoe.signature is not None or (
                len(set(self.house.keys_between(first[0], last[1]))) < 2
            ):
                raise Wrong("the shoe is abandoned because the key was changed, and it was not")
        if said == "left" and any(self.table.players):
            raise Wrong("the shoe is abandoned because everybody had left, and somebody was there")

    def _revealed(self, said, row):
        (self.shoe.entropy,) = fields(said, ("entropy",), "revealed")
        if self.shoe.entropy is None:
            raise Wrong("nothing is revealed")
        self.command_revealed = (self.shoe, row.version)
        self.finish()

    def finish(self):
        """The shoe is over, or the stream is: check its record."""
        shoe, self.shoe = self.shoe, None
        self.over.append(shoe)
        for said in shoe.faults():
            self.wrong(shoe.version, "shoe", "shoe %d: %s" % (shoe.number, said))
        if shoe.second() and shoe.dealt:
            if type(shoe.binds) is dict and shoe.behind != shoe.binds.get("behind"):
                self.wrong(shoe.version, "shoe", "shoe %d: the cutting card was placed with %s"
                           " cards behind it, the commitment binds %s" % (
                               shoe.number, shoe.behind, _shown(shoe.binds.get("behind"))))

    # -- how cards of the shoe become cards of the table ----------------------------------------

    def table_fact(self, event, schema, version):
        """An event of the table; what it says of the cut counts at once, before any card."""
        known = len(self.table.asks)
        try:
            self.table.apply(event, schema)
        finally:
            for kind, one, two in self.table.asks[known:]:
                if self.keyed and not self.count:
                    continue
                if kind == "cut":
                    self._cut(one, two, version)
                elif kind == "behind":
                    self._behind(one, version)

    def _cut(self, who, depth, version):
        shoe = self.shoe
        if shoe is None or shoe.root is None:
            self.wrong(version, "shoe", "the cards are cut before their order is made")
        elif shoe.cut is not None:
            self.wrong(version, "shoe", "the cards are cut a second time")
        elif shoe.abandoned:
            self.wrong(version, "shoe", "the cards are cut, but the shoe is abandoned")
        if shoe is not None and shoe.cut is None:
            shoe.cut, shoe.cutter = depth, who

    def _behind(self, count, version):
        if self.shoe is None:
            self.wrong(version, "shoe", "the cutting card is placed, but in no shoe")
        elif self.shoe.dealt:
            self.wrong(version, "shoe", "the cutting card is placed when cards are dealt")
        else:
            self.shoe.behind = count

    def end_command(self, version):
        """Compare what a command brought at the table and in the shoe."""
        asks, self.table.asks = self.table.asks, []
        self.table.drawn_to = None
        if self.keyed and not self.count:
            return
        dealt, self.command_dealt = self.command_dealt, []
        opened, self.command_opened = self.command_opened, {}
        seconds, self.command_seconds = self.command_seconds, False
        self._check_pace(version)
        due = {"hand": deque(), "excess": deque(), "burn": deque()}
        for kind, one, two in asks:
            if kind in due:
                due[kind].append((one, two))
            elif kind == "cut":
                if self.shoe is not None and self.shoe.second() and (one == "staff") != seconds:
                    self.wrong(version, "shoe", "the cut is by %s, and the second words are %s" % (
                        one, "opened" if seconds else "not opened"))
                seconds = False
        if seconds:
            self.wrong(version, "shoe", "the second words are opened, but there is no cut")
        for shoe, place, what, opening, at in dealt:
            said = self._match(shoe, place, what, opening, due)
            if said:
                self.wrong(at, "cards", "card %d of the shoe, `%s`: %s"
                           % (place, _shown(what)[1:-1], said))
        for _, (number, to, _) in due["hand"]:
            self.wrong(version, "cards", "coup %s: a card at the %s hand did not come from the"
                       " shoe" % (number, to))
        for _ in due["excess"]:
            self.wrong(version, "cards", "a card in excess did not come from the shoe")
        if due["burn"]:
            self.wrong(version, "cards", "burnt cards that did not come from the shoe: %d"
                       % len(due["burn"]))
        self._check_opened(asks, opened, version)

    def _check_pace(self, version):
        """Nobody is passed over: what others must see first is not followed in one command, and
        a shoe is revealed when it is over."""
        facts, self.command_facts = self.command_facts, []
        revealed, self.command_revealed = self.command_revealed, None
        if "committed" in facts and len(facts) > 1:
            self.wrong(version, "shoe", "the house committed to a shoe and went on in one command:"
                       " nobody could take part")
        elif "listed" in facts and "ordered" in facts:
            self.wrong(version, "shoe", "the list is closed and used in one command: nobody could"
                       " see it")
        if revealed is None or revealed[0].abandoned:
            return
        shoe, at = revealed
        table = self.table
        nobody = table.closed or not any(table.players)
        if not (table.preparing or nobody):
            self.wrong(at, "shoe", "shoe %d is revealed while it is in use" % shoe.number)
        elif not shoe.dealt and not nobody:
            self.wrong(at, "shoe", "shoe %d is revealed before it was used" % shoe.number)

    def is_over(self, alone):
        """Whether the shoe is over at the end of the log, and its secret is still to be told."""
        if self.shoe.entropy is not None or self.shoe.abandoned:
            return False
        table = self.table
        left = alone and not any(table.players)
        return table.closed or left or (table.preparing and bool(self.shoe.dealt))

    def _match(self, shoe, place, what, opening, due):
        """Find the card of the table that a card of the shoe is; what does not hold, or None."""
        shown = opening.get("card") if type(opening) is dict else None
        words = COUP_WORDS.fullmatch(what)
        if words is not None:
            if not due["hand"]:
                return "no card was dealt at the table"
            one, (number, to, found) = due["hand"].popleft()
            one.shoe, one.index = shoe, place
            if (int(words.group(1)), words.group(2)) != (number, to):
                return "at the table it is coup %s: %s" % (number, to)
        elif what == "in excess" and due["excess"]:
            one, found = due["excess"].popleft()
            one.shoe, one.index = shoe, place
        elif what in ("burn", "burn, unseen", "in excess"):
            if not due["burn"]:
                return "no card was burnt at the table"
            found, _ = due["burn"].popleft()
            if what == "in excess" and found is None:
                # It goes with the burn; that it was seen changes nothing.
                return None
            if what != "in excess" and (what == "burn") != (found is not None):
                return "at the table the burnt card is %s" % found
        else:
            return "nothing at a table is called so"
        return None if found == shown else "the card is %s, at the table %s" % (shown, found)

    def _check_opened(self, asks, opened, version):
        """Every card that was turned was opened in this command, and no other."""
        for kind, one, former in asks:
            if kind == "turned" or (kind == "waited" and one.card is not None):
                found, _ = opened.pop(one.index, (None, None)) if one.shoe else (None, None)
                if former is not None and found is None and one.shoe is not None:
                    # It was seen before, and stays the card that was opened then.
                    found = one.shoe.shown.get(one.index)
                if one.shoe is None:
                    self.wrong(version, "cards", "a card is turned that no shoe had")
                elif found != one.card:
                    self.wrong(version, "cards", "%s is turned or dealt, but %s was opened"
                               % (one.card, found))
            elif kind == "corrected" and one.shoe is not None:
                if one.shoe.shown.get(one.index) != one.card:
                    self.wrong(version, "cards", "a card is corrected to %s, but %s was opened"
                               % (one.card, one.shoe.shown.get(one.index)))
        for index, (found, at) in opened.items():
            self.wrong(at, "cards", "card %s of the shoe, %s, is opened, but not turned"
                       % (_shown(index), _shown(found)))


# ---------------------------------------------------------------------------------------------
# Streams
# ---------------------------------------------------------------------------------------------

class Counts:
    """What was checked, for the words at the end."""

    def __init__(self):
        self.tables = 0
        self.accounts = 0
        self.transfers = 0
        self.lost = 0
        self.tournaments = 0
        self.settled = 0
        self.shoes = Counter()
        self.weak = 0
        self.unwitnessed = 0
        self.unopened = 0
        # Shoes that were made and replaced before a coup was dealt from them.
        self.replaced = 0
        # Shoes that are over, or left by everybody, and not revealed.
        self.unrevealed = 0
        # The shoes at tables of tournaments, which are among the others too.
        self.event_shoes = Counter()

    def add_shoes(self, shoes_of_table, event=False):
        """Count the shoes of a table, in their order."""
        for shoe in shoes_of_table:
            self._add_shoe(shoe, event)
        for shoe in shoes_of_table[:-1]:
            self.replaced += not shoe.abandoned and shoe.root is not None and not any(
                COUP_WORDS.fullmatch(what) for what in shoe.dealt)

    def _add_shoe(self, shoe, event):
        """Count a shoe, and what is to be known of it."""
        words = shoe.firsts if type(shoe.firsts) is list else []
        unwitnessed = shoe.second() and shoe.root is not None and not any(words)
        self.shoes["abandoned" if shoe.abandoned else "over" if shoe.entropy else "in use"] += 1
        self.lost += shoe.lost
        self.weak += not shoe.second()
        self.unwitnessed += unwitnessed
        self.unopened += words.count(None)
        self.unopened += shoe.seconds.count(None) if type(shoe.seconds) is list else 0
        if event:
            self.event_shoes.update({
                "all": 1, "unwitnessed": int(unwitnessed), "abandoned": int(shoe.abandoned),
                "unrevealed": int(shoe.entropy is None)})


def commands_of(rows):
    """The rows in groups, each what one command brought."""
    return (list(group) for _, group in
            itertools.groupby(rows, key=lambda row: (row.actor, row.key)))


def judging_book(rows):
    """The record of the book that a stream is judged by: its first, or the one under which a table
    of the first form, which has no setup, goes on."""
    first_form = len(rows) < 2 or not rows[1].schema.startswith("setup/")
    later = [row for row in rows[1:] if row.schema.startswith("book/")] if first_form else []
    return later[-1] if later else rows[0]


def read_book(row, books):
    """The hash, the book and the name that are in a record that names the book of a stream."""
    name, _ = schema_of(row)
    if name != "book":
        raise Wrong("the first record does not name the book")
    value = parse_json(row.body)
    called, sha256, files = fields(value, ("name", "sha256", "files"), "the book", ("files",))
    if row.schema == "book/1" and files is not None:
        raise Wrong("book/1 has no files")
    sha256 = hexadecimal(sha256, HASH_BYTES, "sha256")
    if sha256 not in books:
        raise Wrong("the text of the book %s is not there" % sha256.hex())
    if hashlib.sha256(books[sha256].encode("utf-8")).digest() != sha256:
        raise Wrong("the text of the book %s is another one" % sha256.hex())
    return sha256, Book(books[sha256]), text(called, "name")


def runs_alone(rows):
    """Whether one person runs the table: when everybody has left, its session is over."""
    setups = [row for row in rows[1:2] if row.schema.startswith("setup/")]
    return any(parse_json(row.body).get("alone") is True for row in setups)


def check_table(stream, rows, books, house, covered, counts, fault):
    """Check a stream of a table: its book, every event and every shoe."""
    named = judging_book(rows)
    try:
        book_hash, book, name = read_book(named, books)
        known_as = parse_json(rows[0].body)
        if named is not rows[0] and (
            known_as["name"] != name or known_as["sha256"] == book_hash.hex()
        ):
            raise Wrong("a second book")
    except (Wrong, *MALFORMED) as error:
        fault(stream, named.version, "book", "%s; its payments are not recomputed"
              % said_of(error))
        return
    counts.tables += 1
    table = Table(book, book_name=name)
    state = TableStream(stream, book_hash, table, house, covered, fault)
    for group in commands_of(rows):
        check_act(group, group[0] is rows[0], fault)
        for row in group:
            _table_row(state, row, row in (rows[0], named), fault)
        state.end_command(group[-1].version)
    if state.shoe is not None:
        # It is still in use, or abandoned without being revealed.
        counts.unrevealed += state.is_over(runs_alone(rows))
        state.finish()
    counts.settled += state.table.settled
    counts.add_shoes(state.over)


def check_act(group, first, fault):
    """What one command brought: an act comes first and alone, what was refused or waits brings
    nothing, and what happened at the table was brought by an act."""
    names = [row.schema.partition("/")[0] for row in group]
    acts = sum(name in ("act", "line") for name in names)
    for place, (name, row) in enumerate(zip(names, group)):
        if name in ("act", "line") and place > 0:
            fault(row.stream, row.version, "act", "an act in the midst of what a command brought")
        if name in ("refused", "proposed") and len(group) > 1:
            fault(row.stream, row.version, "act", "what was refused, or waits for a second"
                  " person, has consequences")
        if name == "setup" and not (first and place == 1):
            fault(row.stream, row.version, "act", "how a table is run stands behind its book only")
    if "table" in names and not acts:
        fault(group[0].stream, group[0].version, "act", "it happened, and no act brought it")


def read_act(value):
    """An act as it is recorded; its line."""
    who, second, _, _, line = fields(
        value, ("who", "second", "by", "act", "line"), "the act", ("who", "second")
    )
    for account in (who, second):
        if account is not None:
            text(account, "an account")
    if who is not None and who == second:
        raise Wrong("the second person is the first")
    return None if line is None else text(line, "the line")


def read_setup(value):
    """How a table or a tournament is run; who deals, and from which cards."""
    return fields(value, ("title", "deals", "pace", "alone", "ahead_of_utc"), "the setup",
                  ("ahead_of_utc",))[1]


def _table_row(state, row, first, fault):
    check = "form"
    try:
        name, number = schema_of(row)
        value = parse_json(row.body)
        if name == "line":
            text(value, "the act")
        elif name in ("act", "proposed"):
            read_act(value)
        elif name == "refused":
            asked, by_the_book, _ = fields(
                value, ("asked", "by_the_book", "refusal"), "what was refused")
            read_act(asked)
            flag(by_the_book, "by_the_book")
        elif name == "setup":
            state.keyed = read_setup(value) == "keyed"
        elif name == "book":
            if not first:
                raise Wrong("a second book")
        elif name == "table":
            check = "money"
            kind, _ = kind_of(value.get("fact"))
            check = "payment" if kind in JUDGED else "money"
            state.table_fact(value, number, row.version)
        else:
            check = "shoe"
            state.shoe_fact(row, value, number)
    except (Wrong, *MALFORMED) as error:
        fault(row.stream, row.version, check, said_of(error))


# What moves money in a tournament, and how much of it comes from outside.
def _tournament_legs(name, said, legs, pool):
    """The postings that a fact of a tournament must have; None if that cannot be said."""
    pool_part, kept = legs.get(("pool", None), 0), legs.get(COMMISSION, 0)
    if name in ("entered", "bought-back"):
        fee = whole(said.get("fee"), "fee")
        if pool_part < 0 or kept < 0:
            raise Wrong("a fee takes from the pool or the commission")
        return -fee
    if name == "refunded":
        return whole(array(said, "refunded")[1], "cents")
    if name == "buy-back-undone":
        return whole(said.get("fee"), "fee")
    if name == "pool-added":
        return -whole(said, "cents")
    if name == "prize":
        return whole(said.get("amount"), "amount")
    if name == "cancelled":
        # What is left of the pool goes back.
        return pool
    return 0


class TournamentStream:
    """A stream of a tournament: the money of the pool, and the chips and shoes of its tables."""

    def __init__(self, book, watch=None):
        self.book = book
        self.tables = {}
        # Makes what checks the shoes of a table; None where only events are checked.
        self.watch = watch
        # By the number of the table; and the tables that the command so far is about.
        self.watched = {}
        self.touched = set()
        self.accounts = Counter()
        self.at = 0
        self.chairs = {}
        self.collected = {}
        self.undo = {}

    def apply(self, event, schema, version=None):
        """Check an event and let it happen."""
        at, fact, clauses, postings = fields(
            event, ("at", "fact", "clauses", "postings"), "the event"
        )
        array(clauses, "clauses")
        name, said = kind_of(fact)
        legs = read_legs(postings)
        if name == "at-table":
            if legs:
                raise Wrong("money moves with what happens at a table")
            number, inner = fields(said, ("table", "event"), "at-table")
            self._undo(whole(number, "table"), inner)
            # The events of a table had the names of table/2 in tournament/1.
            schema = 2 if schema == 1 else 3
            if self.watch is not None:
                self.at_shoe(number).table_fact(inner, schema, version)
                return
            table = self.table(number)
            table.apply(inner, schema)
            table.asks.clear()
            return
        wrong = []
        if name == "table-moved":
            self._moved(said)
        elif schema == 1:
            self._old_undoing(name, said)
        if whole(at, "at") < self.at:
            wrong.append("the time goes back")
        self.at = max(self.at, at)
        pool = self.accounts[("pool", None)]
        for account, cents in legs.items():
            if account not in (("pool", None), COMMISSION, OUTSIDE):
                wrong.append("an unknown account: %s" % _shown(account))
            self.accounts[account] += cents
            if account != OUTSIDE and self.accounts[account] < 0:
                wrong.append("%s falls to %d" % (account_name(account), self.accounts[account]))
        due = _tournament_legs(name, said, legs, pool)
        if legs.get(OUTSIDE, 0) != due or (due == 0 and legs):
            wrong.append("the postings of `%s` are %s, but outside should get %d"
                         % (name, legs_text(legs), due))
        if wrong:
            raise Wrong("; ".join(wrong))

    def table(self, number):
        """The state of one of its tables."""
        if number not in self.tables:
            self.tables[number] = Table(self.book, tournament=True)
        return self.tables[number]

    def at_shoe(self, number):
        """What checks the shoes of one of its tables, which are bound to its name and number."""
        self.touched.add(number)
        if number not in self.watched:
            watched = self.watched[number] = self.watch(self.table(number))
            watched.bound = "%s table %d" % (watched.stream, number)
            watched.called = "table %d: " % number
            watched.keyed = True
            # The commitments of all tables are new.
            watched.commitments = self.watched[min(self.watched)].commitments
        watched = self.watched[number]
        watched.table = self.table(number)
        return watched

    def shoe_fact(self, row, value):
        """A fact that was published of the shoe at one of its tables."""
        number, fact = fields(value, ("table", "fact"), "the fact of a shoe")
        self.at_shoe(whole(number, "table")).shoe_fact(row, fact, 2)

    def end_command(self, version):
        """Compare what a command brought at each table and in its shoe."""
        for number in sorted(self.touched):
            self.at_shoe(number).end_command(version)
        self.touched.clear()

    def finish(self, counts):
        """Check the shoes that are still in use, and count all of them."""
        for watched in self.watched.values():
            if watched.shoe is not None:
                watched.finish()
            counts.add_shoes(watched.over, event=True)
        counts.settled += sum(table.settled for table in self.tables.values())

    def _old_undoing(self, name, said):
        """Remember what a fact of tournament/1 undoes at a table without saying it there.

        Later records say it by `opened-again` and `in-again` of the table, with postings.
        """
        if name == "chair-taken":
            self.chairs[(said["table"], said["entrant"])] = said["seat"]
        elif name == "chips-collected" and said in self.tables:
            self.collected[said] = copy.deepcopy(self.tables[said])
        elif name == "session-reopened" and said in self.collected:
            self.undo.setdefault(said, []).append(("session", self.collected.pop(said)))
        elif name == "in-again":
            seat = self.chairs.get((said["table"], said["entrant"]))
            self.undo.setdefault(said["table"], []).append(("player", (seat, said["cents"])))

    def _undo(self, number, event):
        """Undo what has to be undone before the next event of a table, unless that does it."""
        for what, value in self.undo.pop(number, ()):
            kind, _ = kind_of(event.get("fact"))
            if kind in ("opened-again", "in-again"):
                continue
            if what == "session":
                self.tables[number] = value
                continue
            seat, cents = value
            table = self.table(number)
            if seat not in table.seats:
                raise Wrong("nobody sits at %s" % _shown(seat))
            player = len(table.seats) - 1 - table.seats[::-1].index(seat)
            table.players[player] = True
            table.accounts[("stack", player)] += cents
            table.accounts[OUTSIDE] -= cents

    def _moved(self, said):
        old, new = whole(said.get("from"), "from"), whole(said.get("to"), "to")
        if old not in self.tables:
            raise Wrong("table %d is not open" % old)
        self.tables[new] = self.tables.pop(old)


def check_tournament(stream, rows, books, house, covered, counts, fault):
    """Check a stream of a tournament."""
    try:
        book_hash, book, _ = read_book(rows[0], books)
    except (Wrong, *MALFORMED) as error:
        fault(stream, rows[0].version, "book", "%s; its payments are not recomputed"
              % said_of(error))
        return
    counts.tournaments += 1
    state = TournamentStream(book, lambda table: TableStream(
        stream, book_hash, table, house, covered, fault))
    for group in commands_of(rows):
        for row in group:
            place = row.version - rows[0].version
            check = "shoe" if row.schema.startswith("table-shoe/") else "money"
            try:
                _tournament_row(state, row, place)
            except (Wrong, *MALFORMED) as error:
                fault(stream, row.version, check, said_of(error))
        state.end_command(group[-1].version)
    state.finish(counts)


def _tournament_row(state, row, place):
    """Check one record of a tournament; `place` is how many came before it."""
    name, number = schema_of(row)
    value = parse_json(row.body)
    if name == "tournament":
        state.apply(value, number, row.version)
    elif name == "line":
        text(value, "the act")
    elif name == "tournament-act":
        read_act(value)
    elif name == "tournament-refused":
        read_act(value["asked"])
    elif name == "setup" and place == 1:
        read_setup(value)
    elif name == "table-shoe":
        state.shoe_fact(row, value)
    elif place > 0:
        raise Wrong("a second book")


def check_accounts(streams, kinds, counts, fault):
    """Every balance follows from the records before it, and what an account gave to a table or a
    tournament, or got from it, is what that got or gave in the same command."""
    given, got, holders = Counter(), Counter(), set()
    where = {}
    for stream, rows in streams.items():
        if kinds[stream] == "account":
            account = stream.partition(" ")[2]
            holders.add(account)
            counts.accounts += 1
            holds = 0
            for row in rows:
                try:
                    holds = _account_fact(row, account, holds, given, where)
                except (Wrong, *MALFORMED) as error:
                    fault(stream, row.version, "account", said_of(error))
        elif kinds[stream] == "table":
            _brought(stream, rows, got, where)
        elif kinds[stream] == "tournament":
            _paid(stream, rows, got, where)
    counts.transfers += len(given)
    for what in sorted(set(given) | set(got)):
        _, _, stream, account = what
        if account in holders and given[what] != got[what]:
            fault(*where[what], "account", "%s gave %d cents to %s in this command, which has"
                  " %d of them" % (account, given[what], stream, got[what]))


def _account_fact(row, account, holds, given, where):
    """What the account holds after a record."""
    name, said = kind_of(parse_json(row.body))
    if name == "corrected":
        cents, says, _, who, second = fields(
            said, ("cents", "balance", "why", "who", "second"), "corrected")
        if who == second:
            raise Wrong("the balance was corrected by one person alone")
        holds += balance(cents, "cents")
    elif name == "moved":
        giver, taker, cents, says = fields(said, ("from", "to", "cents", "balance"), "moved")
        if (giver == "account") == (taker == "account"):
            raise Wrong("money moves that is not this account's, or moves to itself")
        other = taker if giver == "account" else giver
        moved = whole(cents, "cents") * (-1 if giver == "account" else 1)
        holds += moved
        if type(other) is dict:
            kind, stream = kind_of(other)
            if kind not in ("table", "tournament"):
                raise Wrong("an unknown purse: %s" % _shown(kind))
            what = (row.actor, row.key, text(stream, "the " + kind), account)
            given[what] -= moved
            where[what] = (row.stream, row.version)
        elif other != "house":
            raise Wrong("an unknown purse: %s" % _shown(other))
    elif name in ACCOUNT_FACTS:
        return holds
    else:
        raise Wrong("an unknown fact of an account: %s" % _shown(name))
    if holds < 0 or whole(says, "balance") != holds:
        raise Wrong("the account holds %d cents, and says %s" % (holds, says))
    return holds


ACCOUNT_FACTS = ("opened", "signed-up", "role-given", "role-taken", "correction-asked", "limited",
                 "paused", "reminded")


def _brought(stream, rows, got, where):
    """What people brought to a table, and took from it, by the command."""
    names = {}
    for row in rows:
        if row.schema not in ("table/1", "table/2", "table/3"):
            continue
        try:
            value = parse_json(row.body)
            name, said = kind_of(value.get("fact"))
            if name == "arrived":
                names[said["player"]] = said["name"]
            legs = [(leg["account"], leg["cents"]) for leg in value["postings"]]
        except (Wrong, *MALFORMED):
            # The check of the table says so.
            continue
        if not any(account == "outside" for account, _ in legs):
            continue
        for account, cents in legs:
            if type(account) is dict and account.get("stack") in names:
                what = (row.actor, row.key, stream, names[account["stack"]])
                got[what] += cents
                where.setdefault(what, (stream, row.version))


# The facts of a tournament that move an entrant's money.
PAYMENTS = ("entered", "bought-back", "buy-back-undone", "refunded", "prize")


def _paid(stream, rows, got, where):
    """What people paid to a tournament, and got from it, by the command."""
    names = {}
    for row in rows:
        if row.schema.partition("/")[0] != "tournament":
            continue
        try:
            value = parse_json(row.body)
            name, said = kind_of(value.get("fact"))
            if name == "applied":
                names[said["entrant"]] = said["name"]
            if name not in PAYMENTS:
                continue
            entrant = said[0] if name == "refunded" else said["entrant"]
            cents = -sum(leg["cents"] for leg in value["postings"] if leg["account"] == "outside")
        except (Wrong, *MALFORMED):
            # The check of the tournament says so.
            continue
        if entrant in names and cents:
            what = (row.actor, row.key, stream, names[entrant])
            got[what] += cents
            where.setdefault(what, (stream, row.version))


def check_drill(rows, fault):
    """Check the form of the answers in a drill."""
    for row in rows:
        try:
            fields(parse_json(row.body), ("book", "topic", "clause", "right"), "the answer")
        except Wrong as error:
            fault(row.stream, row.version, "form", str(error))


def stream_kind(stream, rows, fault):
    """What a stream is, by its name and the schemas in it."""
    names = set()
    for row in rows:
        try:
            names.add(schema_of(row)[0])
        except Wrong as error:
            fault(stream, row.version, "form", str(error))
    for kind, known in STREAM_KINDS:
        if kind in ("checkpoint", "house") and (stream == kind) != bool(names & known):
            fault(stream, None, "form", "records of a schema that does not belong in this stream")
            return None
        if names and names <= known:
            return kind
    fault(stream, None, "form", "records of schemas that do not go together: %s" % _names(names))
    return None


# ---------------------------------------------------------------------------------------------
# The whole log
# ---------------------------------------------------------------------------------------------

class Result:
    """What was found in a log."""

    def __init__(self):
        self.faults = []
        self.counts = Counts()
        self.covered = Covered()
        self.house = House()
        self.behind = 0
        # Behind the head that was given; None if none was.
        self.behind_given = None
        self.records = 0
        self.streams = 0


def verify(log, head=None, key=None):
    """Check a log, with a head and a key that were kept outside it."""
    result = Result()
    result.faults += log.faults

    def fault(stream, version, check, said):
        result.faults.append(Fault(stream, version, check, said))

    streams = log.streams()
    result.records, result.streams = len(log.rows), len(streams)
    kinds = {}
    for stream, rows in streams.items():
        check_chain(stream, rows, fault)
        check_commands_of_stream(stream, rows, fault)
        kinds[stream] = stream_kind(stream, rows, fault)
    result.house = read_house(streams.get("house", []), streams, fault)
    checkpoints = streams.get("checkpoint", [])
    result.covered = check_checkpoints(checkpoints, streams, result.house, fault)
    if head is not None:
        check_head(head, checkpoints, fault)
    if key is not None:
        check_given_key(key, result.house, result.covered, fault)
    if log.form == 1 and (result.house.keys or result.covered.signed):
        fault(None, None, "form", "a log of the first form has no keys")
    check_commands(log, streams, fault)
    # Commands of the first form have no number, and the checkpoints do not count them.
    numbered = sum(command.number is not None for command in log.commands or ())
    if log.commands is not None and numbered < result.covered.commands:
        fault(None, None, "command", "there are %d commands, a checkpoint counted %d" % (
            numbered, result.covered.commands))
    for stream, rows in streams.items():
        if kinds[stream] == "table":
            check_table(stream, rows, log.books, result.house, result.covered, result.counts,
                        fault)
        elif kinds[stream] == "tournament":
            check_tournament(stream, rows, log.books, result.house, result.covered,
                             result.counts, fault)
        elif kinds[stream] == "drill":
            check_drill(rows, fault)
        if stream != "checkpoint":
            result.behind += len(rows) - result.covered.heads.get(stream, 0)
    check_accounts(streams, kinds, result.counts, fault)
    if head is not None:
        heads = result.covered.by_number.get(head[0], {})
        result.behind_given = sum(len(rows) - heads.get(stream, 0)
                                  for stream, rows in streams.items() if stream != "checkpoint")
    for sha256, canonical in log.books.items():
        if hashlib.sha256(canonical.encode("utf-8")).digest() != sha256:
            fault(None, None, "book", "the text of the book %s is another one" % sha256.hex())
    return result


def what_was_checked(log, result, head, key):
    """What to say about a log in which no fault was found, as lines."""
    covered, counts = result.covered, result.counts
    form = {1: "of the first form, unsigned", 2: "of the second form", None: "an export"}
    lines = []
    if head is not None and result.behind_given == 0:
        lines.append("Everything holds: a log, %s." % form[log.form])
    elif head is not None:
        lines.append("What the head that was given covers holds: a log, %s." % form[log.form])
        lines.append("Records behind that head, which the house could still have made anew: %d."
                     % result.behind_given)
    elif covered.number:
        lines.append("What the last checkpoint covers holds together: a log, %s. No head was"
                     " given, so the house could have made all of it anew." % form[log.form])
        lines.append("Records behind the last checkpoint, covered by no head: %d." % result.behind)
    else:
        lines.append("No fault was found, but no head covers anything: a log, %s."
                     % form[log.form])
        lines.append("Records without a checkpoint: %d." % result.behind)
    lines.append("Records: %d, streams: %d, checkpoints: %d, of these signed: %d." % (
        result.records, result.streams, covered.number, covered.signed))
    lines.append("Tables: %d, tournaments: %d, wagers settled and recomputed to the cent: %d." % (
        counts.tables, counts.tournaments, counts.settled))
    lines.append("Shoes over: %d, in use: %d, abandoned: %d." % (
        counts.shoes["over"], counts.shoes["in use"], counts.shoes["abandoned"]))
    if counts.event_shoes["all"]:
        lines.append("Of these at tables of tournaments: %d; unwitnessed: %d, abandoned: %d, not"
                     " revealed: %d." % tuple(counts.event_shoes[name] for name in (
                         "all", "unwitnessed", "abandoned", "unrevealed")))
    if counts.lost:
        lines.append("Shoes whose secret was lost, so that nothing proves their order: %d."
                     % counts.lost)
    if counts.unrevealed:
        lines.append("Shoes that are over, and were never revealed: %d." % counts.unrevealed)
    if counts.replaced:
        lines.append("Shoes that were replaced before their first coup, so that who knew the order"
                     " could choose another: %d." % counts.replaced)
    if counts.accounts:
        lines.append("Accounts: %d, transfers that both sides have: %d." % (
            counts.accounts, counts.transfers))
    if counts.weak:
        lines.append("Shoes by the first procedure, which is weaker: %d." % counts.weak)
    if counts.unwitnessed:
        lines.append("Shoes that are unwitnessed, because no first word was opened: %d."
                     % counts.unwitnessed)
    if counts.unopened:
        lines.append("Words that were promised and not opened: %d." % counts.unopened)
    if covered.number and not covered.signed:
        lines.append("Nobody signed this log: only a head that you kept binds the house.")
    if result.house.lost:
        lines.append("A key of the house was lost: nothing speaks for the key after it.")
    if result.house.epochs:
        lines.append("The log was restored from an older copy, times: %d."
                     % len(result.house.epochs))
    if key is not None:
        lines.append("The key that was given is the house's.")
    elif covered.key:
        lines.append("No key was given. Compare the house's key: %s" % covered.key.hex())
    if head is not None:
        lines.append("The head that was given is in the log: checkpoint %d." % head[0])
    elif covered.number:
        lines.append("No head was given. Compare this one with what you kept, or keep it:")
    if covered.number:
        lines.append("  head %d:%s" % (covered.number, covered.hash.hex()))
    return lines


# ---------------------------------------------------------------------------------------------
# Events without a chain
# ---------------------------------------------------------------------------------------------

def book_of(opened, books):
    """The book for an `opened`, by its name; sheets that the table lacks do no harm."""
    name = opened["book"] + (" over " + opened["base"] if opened.get("base") else "")
    if opened.get("with"):
        name += " with " + ", ".join(opened["with"])
    for exact in (True, False):
        for book in books:
            if book.name == name or (not exact and str(book.name).startswith(name + " with ")):
                return book
    return None


def verify_events(lines, books):
    """Check events one after another; faults as text, how many wagers were settled."""
    faults, settled, left_out = [], 0, 0
    part, state, book = "the start", None, None
    for number, line in enumerate(lines, 1):
        value = json.loads(line)
        if "transcript" in value:
            settled += _settled(state)
            part, state, book = value["transcript"], None, None
        if "seen" in value and state is not None:
            said = compare_seen(state, value["seen"])
            if said:
                faults.append("line %d, %s: seen: %s" % (number, part, said))
        if "schema" not in value:
            continue
        name, _, version = value["schema"].partition("/")
        if name not in ("table", "tournament"):
            continue
        event = json.loads(value["body"])
        kind, said = kind_of(event["fact"])
        if kind == "opened" and (name != "tournament" or state is None):
            book = book_of(said, books)
            if book is not None:
                new = Table(book) if name == "table" else TournamentStream(book)
                settled += _settled(state)
                state = new
        if book is None:
            left_out += 1
            continue
        try:
            state.apply(event, int(version))
        except Wrong as error:
            faults.append("line %d, %s: %s" % (number, part, error))
    return faults, settled + _settled(state), left_out


def _settled(state):
    if isinstance(state, TournamentStream):
        return sum(table.settled for table in state.tables.values())
    return state.settled if state is not None else 0


def compare_seen(state, seen):
    """Compare the state of a table with what a transcript saw of it; what differs, or None."""
    if not isinstance(state, Table) or "accounts" not in seen:
        return None
    accounts = [state.accounts[a] for a in (OUTSIDE, FLOAT, LAYOUT, COMMISSION)]
    if accounts != seen["accounts"]:
        return "accounts %s, not %s" % (accounts, seen["accounts"])
    for number, found in enumerate(seen["players"]):
        purse = [state.accounts[("stack", number)], state.accounts[("receivable", number)]]
        if purse != found[4:6]:
            return "player %d has %s, not %s" % (number, purse, found[4:6])
    wagers = sorted((spot, place, stake) for (_, spot, place), stake in state.wagers.items())
    if wagers != sorted(tuple(item[1:4]) for item in seen["wagers"]):
        return "the wagers are %s, not %s" % (wagers, seen["wagers"])
    return None


def main_events(names):
    """The command line for events; the exit code."""
    try:
        books = []
        for name in names[1:]:
            with open(name, encoding="utf-8") as file:
                books.append(Book(file.read()))
        with open(names[0], encoding="utf-8") as file:
            faults, settled, left_out = verify_events(file, books)
    except (OSError, ValueError, KeyError, Wrong) as error:
        print("cannot be read: %s" % error, file=sys.stderr)
        return 2
    for fault in faults:
        print("does not hold: %s" % fault)
    print("Wagers settled and recomputed: %d. Events without a book: %d." % (settled, left_out))
    return 1 if faults else 0


# ---------------------------------------------------------------------------------------------
# The self-test: a small log, made by hand
# ---------------------------------------------------------------------------------------------

SAMPLE_SEED = bytes(range(1, 33))
OTHER_SEED = bytes(range(2, 34))
SAMPLE_TABLE = "table 1"


def sign(seed, message):
    """The public key of a secret seed and its signature of a message (RFC 8032, 5.1.6)."""
    curve = shoes()
    digest = hashlib.sha512(seed).digest()
    secret = int.from_bytes(digest[:32], "little") % 2**254 // 8 * 8 + 2**254

    def packed(point):
        inverse = pow(point[2], -1, curve.FIELD)
        x, y = point[0] * inverse % curve.FIELD, point[1] * inverse % curve.FIELD
        return (y + x % 2 * 2**255).to_bytes(32, "little")

    public = packed(curve.point_times(secret, curve.BASE))
    nonce = curve.scalar_of_hash(digest[32:], message)
    start = packed(curve.point_times(nonce, curve.BASE))
    end = (nonce + curve.scalar_of_hash(start, public, message) * secret) % curve.ORDER
    return public, start + end.to_bytes(32, "little")


def compact(value):
    """JSON as a log has it, without spaces."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def sample_book(tie="8:1"):
    """The canonical text of a small book."""
    decisions = {
        "cards.ace": 1, "cards.tens": 0, "tableau.natural": "8 to 9", "banker.ties": "kept",
        "player.ties": "kept", "methods.commission.player": "1:1",
        "methods.commission.banker": "1:1 less 5%", "methods.commission.tie": tie,
        "methods.half-on-six.player": "1:1", "methods.half-on-six.banker": "1:1",
        "methods.half-on-six.tie": tie,
        "cut.depth": 10, "cut.behind": "at least 7",
        "side_bet.banker (half-on-six)": ['banker = [6], pays = "1:1 less 50%" [8.5(b)]'],
        "side_bet.banker-pair (canberra)": [
            'pair = "banker", pays = "11:1" [9.9(a), 11.1]', "lost = true [9.9(b)]"],
        "side_bet.any-pair (canberra)": [
            'pair = "either", kind = ["suited", "coloured"], pays = "15:1" [1]',
            'pair = "either", pays = "5:1" [1]', "lost = true [2]"],
        "side_bet.margin": ['winner = "tie", kept = true [1]', 'margin = [1, 2], lost = true [2]',
                            'natural = "either", pays = "2:1" [3]', 'pays = "1:1" [4]'],
    }
    return compact({
        "book": "sample",
        "decisions": {path: {"is": is_, "clause": "sample 1"} for path, is_ in decisions.items()},
        "grounds": {},
    })


# A table of the sample opens without side bets.
PLAIN_OPENING = {"opened": {
    "book": "sample", "base": None,
    "options": {"method": "commission", "side_bets": [], "decks": 1, "seats": 7,
                "face_down": False, "layout": "mini", "cutting_cards": 1},
    "side_bets": []}}


class MadeShoe:
    """A shoe by one of the procedures, with everything that is published of it."""

    def __init__(self, number, book, second=True, seed=SAMPLE_SEED, table=SAMPLE_TABLE,
                 accounts=("account-1", "account-2"), least=10, behind=7):
        tool = shoes()
        self.tool, self.second, self.decks, self.number = tool, second, 1, number
        self.entropy = b"".join(
            tool.sha256(b"sample 1", u32(number), u32(i)) for i in range(tool.ENTROPY_BYTES // 32)
        )
        self.binds = tool.Binds(
            key=sign(seed, b"")[0], table=table, number=number, book=book,
            behind=behind, least=least,
        )
        self.form = tool.SECOND if second else tool.FIRST
        self.index = 0
        if not second:
            self.commitment = tool.sha256(self.entropy)
            self._order(tool.first_stream(self.entropy, [b"nonce"]))
            return
        self.commitment = tool.commitment_to(self.binds, self.decks, self.entropy)
        self.promises, self.words = [], []
        for account in accounts:
            words = [tool.sha256(account.encode(), which) for which in (b"first", b"second")]
            self.words.append(words)
            self.promises.append(tool.Promise(account, *(
                tool.promise_of(which, self.commitment, account, word)
                for which, word in zip(("first", "second"), words))))
        listed = tool.signed_list(self.commitment, self.promises)
        self.signature = sign(seed, listed)[1]
        first = tool.words_in_order(self.promises, [words[0] for words in self.words])
        self._order(tool.second_stream(self.entropy, self.commitment, first))

    def _order(self, stream):
        tool = self.tool
        self.cards = tool.shuffled(self.decks, tool.words_of(stream))
        self.salts = tool.all_salts(self.form, self.entropy, len(self.cards))
        self.leaves = tool.all_leaves(self.cards, self.salts)
        self.root = tool.tree_root(self.leaves)

    def committed(self):
        """The fact that the house committed itself."""
        value = {"protocol": self.form, "decks": self.decks,
                 "commitment": self.commitment.hex()}
        if self.second:
            value["binds"] = {name: item.hex() if isinstance(item, bytes) else item
                              for name, item in self.binds._asdict().items()}
        return {"committed": value}

    def listed(self):
        """The fact that the list is closed."""
        promises = [{"account": item.account, "first": item.first.hex(),
                     "second": item.second.hex()} for item in self.promises]
        return {"listed": {"promises": promises, "signature": self.signature.hex()}}

    def ordered(self):
        """The fact that the order is made."""
        if not self.second:
            return {"mixed": {"nonces": [b"nonce".hex()], "root": self.root.hex()}}
        return {"ordered": {"firsts": [words[0].hex() for words in self.words],
                            "root": self.root.hex()}}

    def by_chance(self):
        """The fact that the second words are opened, and the depth that they make."""
        words = self.tool.words_in_order(self.promises, [words[1] for words in self.words])
        self.cut = self.tool.computed_cut(
            self.commitment, self.root, words, len(self.cards), self.binds.least
        )
        return {"cut-by-chance": {"seconds": [words[1].hex() for words in self.words]}}

    def opening(self, index):
        """The opening of a card that left the shoe."""
        position = (self.cut + index) % len(self.cards)
        path, level, place = [], self.leaves, position
        while len(level) > 1:
            if place ^ 1 < len(level):
                path.append(level[place ^ 1].hex())
            level = [self.tool.tree_root(level[i:i + 2]) for i in range(0, len(level), 2)]
            place //= 2
        return {"index": index, "card": self.cards[position], "salt": self.salts[position].hex(),
                "path": path}

    def deal(self, what, closed=False):
        """The next card leaves the shoe: the card and the fact."""
        index, self.index = self.index, self.index + 1
        opening = self.opening(index)
        return opening["card"], {
            "dealt": {"index": index, "what": what, "opening": None if closed else opening}}


class Maker:
    """Makes a log, record by record."""

    def __init__(self, form=2):
        self.log = Log(form)
        self.log.commands = []
        self.last = {}
        self.at = 1794787006000000
        self.seed = SAMPLE_SEED
        self.epoch = 0

    def record(self, stream, actor, key, schema, value):
        """Write one record."""
        version, previous = self.last.get(stream, (0, ZERO_HASH))
        body = value if schema == "raw" else compact(value)
        row = Row(stream, version + 1, self.at, actor, key, schema, body, b"")
        row = row._replace(hash=record_hash(previous, row))
        self.last[stream] = (version + 1, row.hash)
        self.log.rows.append(row)
        return row

    def command(self, stream, actor, records):
        """Write what a command brought: pairs of schema and value."""
        self.at += 1000
        first = self.last.get(stream, (0, None))[0] + 1
        key = "%s %d" % (stream, first)
        for schema, value in records:
            row = self.record(stream, actor, key, schema, value)
        number = parts = None
        if self.log.form == 2:
            number = len(self.log.commands) + 1
            parts = compact([{"stream": stream, "version": row.version, "hash": row.hash.hex()}])
            parts = parts.encode()
        self.log.commands.append(Command(actor, key, stream, first, row.version, number, parts))

    def table(self, actor, line, facts, shoe=()):
        """Write a command at the table: the act, the table's facts, the shoe's facts."""
        records = []
        line = line or ("does what is due" if facts else None)
        if line and self.log.form == 1:
            records = [("line/1", line)]
        elif line:
            records = [("act/1", {"by": {"role": actor}, "act": "sample", "line": line})]
        for item in facts:
            fact, legs = item if isinstance(item, tuple) else (item, ())
            records.append(("table/3", {
                "at": self.at, "fact": fact, "clauses": [],
                "postings": [{"account": account, "cents": cents} for account, cents in legs
                             if cents]}))
        records += [("shoe/%d" % self.log.form, fact) for fact in shoe]
        self.command(SAMPLE_TABLE, actor, records)

    def shoe(self, number, book, second=True):
        """A shoe of the table."""
        return MadeShoe(number, book, second, self.seed)

    def key(self, seed, former=None):
        """A key of the house."""
        public = sign(seed, b"")[0]
        value = {"public": public.hex(), "former": None}
        if former:
            old = sign(former, b"")[0]
            value["former"] = {"public": old.hex(), "signature": sign(
                former, b"sabot-key-1" + old + public)[1].hex()}
        self.command("house", "operator", [("key/1", value)])
        self.seed = seed

    def checkpoint(self):
        """Write a checkpoint, signed in the second form."""
        self.at += 1
        heads = [{"stream": stream, "version": version, "hash": hash_.hex()}
                 for stream, (version, hash_) in sorted(self.last.items())
                 if stream != "checkpoint"]
        version, previous = self.last.get("checkpoint", (0, ZERO_HASH))
        value = {"heads": heads}
        if self.log.form == 1:
            self.record("checkpoint", "store", str(version + 1), "checkpoint/1", value)
            return
        value.update(commands=len(self.log.commands), epoch=self.epoch,
                     key=sign(self.seed, b"")[0].hex())
        body = signed_body(self.seed, previous, version + 1, self.at, value)
        # Written as it is: the signature is over these very bytes.
        self.record("checkpoint", "store", str(version + 1), "checkpoint/2", json.loads(body))


class EventMaker(Maker):
    """Makes the log of a tournament, in which nobody but the house takes part in the shoes."""

    STREAM = "tournament 1"

    def __init__(self):
        super().__init__()
        self.number = 1

    def table(self, actor, line, facts, shoe=()):
        """Write a command at a table of the event."""
        records = [("tournament-act/1", {"by": {"role": actor}, "act": "sample", "line": line})]
        for item in facts:
            fact, legs = item if isinstance(item, tuple) else (item, ())
            event = {"at": self.at, "fact": fact, "clauses": [], "postings": [
                {"account": account, "cents": cents} for account, cents in legs if cents]}
            records.append(("tournament/2", {
                "at": self.at, "fact": {"at-table": {"table": self.number, "event": event}},
                "clauses": [], "postings": []}))
        records += [("table-shoe/1", {"table": self.number, "fact": fact}) for fact in shoe]
        self.command(self.STREAM, actor, records)

    def shoe(self, number, book, second=True):
        """A shoe of the table."""
        bound = "%s table %d" % (self.STREAM, self.number)
        return MadeShoe(number, book, second, self.seed, bound, ())


def signed_body(seed, previous, version, at, value):
    """The body of a checkpoint with its signature as the last field."""
    start = compact(value)[:-1]
    message = b"sabot-checkpoint-2" + previous + u64(version) + u64(at) + start.encode("utf-8")
    return '%s,"signature":"%s"}' % (start, sign(seed, message)[1].hex())


def stack(player):
    """The account of a player's chips."""
    return {"stack": player}


def made_coup(maker, shoe, number, bets, face_down=False, first=None):
    """Deal a coup and settle it.

    `first` is a card that waits and is the first one, with its index if it was not opened yet.
    """
    hands = {"player": [], "banker": []}
    stakes = []
    for player, spot, amount in bets:
        maker.table("account-%d" % (player + 1), "bet", [(
            {"placed": {"player": player, "spot": spot, "place": player + 1, "amount": amount,
                        "unnoticed": False}},
            [(stack(player), -amount), ("layout", amount)])])
        stakes.append((player, spot, amount))
    maker.table("dealer", "no more bets", ["bets-closed"])
    order = []

    def deal(to, before=()):
        facts, published = list(before), []
        if first and not order:
            found, index = first
            if index is not None:
                published.append({"opened": shoe.opening(index)})
        else:
            found, fact = shoe.deal("coup %d: %s" % (number, to), closed=face_down)
            published.append(fact)
        hidden = face_down and not (first and not order)
        facts.append({"dealt": {"side": to, "card": None if hidden else found,
                                "shown": not hidden}})
        order.append((found, shoe.index - 1 if hidden else None))
        hands[to].append(found)
        maker.table("dealer", "draw", facts, published)

    began = {"coup-began": {"number": number, "no_bet": None, "last": False}}
    for i in range(4):
        deal(SIDES[i % 2], [began] if i == 0 else ())

    def turn(start):
        for i in range(start, len(order)):
            found, index = order[i]
            if index is not None:
                maker.table("dealer", "turn", [{"turned": {"index": i, "card": found}}],
                            [{"opened": shoe.opening(index)}])

    turn(0)
    totals = {name: total_by_hand(hand) for name, hand in hands.items()}
    natural = max(totals.values()) >= 8
    if not natural:
        for to in SIDES:
            if totals[to] <= 5:
                deal(to)
                turn(len(order) - 1)
        totals = {name: total_by_hand(hand) for name, hand in hands.items()}
    winner = "tie" if totals["player"] == totals["banker"] else max(SIDES, key=totals.get)
    outcome = "tie" if winner == "tie" else {"won": winner}
    facts = [{"totals": totals}] + (["natural"] if natural else []) + [{"result": outcome}]
    for player, spot, amount in stakes:
        facts.append(settled_by_hand(player, spot, amount, hands, winner))
    facts.append({"coup-ended": {
        "number": number, "outcome": outcome, "natural": natural,
        "pairs": [hands[name][0][0] == hands[name][1][0] for name in SIDES]}})
    maker.table("dealer", None, facts)


def total_by_hand(hand):
    """A total, without a book."""
    return sum("A23456789".find(one[0]) + 1 for one in hand) % 10


def settled_by_hand(player, spot, amount, hands, winner):
    """A settled wager with its postings, without a book."""
    net, commission = -1, 0
    if spot == winner:
        net = {"player": amount, "banker": amount * 95 // 100, "tie": 8 * amount}[spot]
        commission = amount - net if spot == "banker" else 0
    elif spot in SIDES and winner == "tie":
        net = 0
    elif spot == "banker-pair" and hands["banker"][0][0] == hands["banker"][1][0]:
        net = 11 * amount
    fact = {"player": player, "spot": spot, "place": player + 1, "stake": amount}
    if net < 0:
        return ({"settled": dict(fact, verdict="lost")},
                [("layout", -amount), ("float", amount)])
    if net == 0:
        return ({"settled": dict(fact, verdict="kept")},
                [("layout", -amount), (stack(player), amount)])
    return ({"settled": dict(fact, verdict={"won": {"net": net, "commission": commission}})},
            [("layout", -amount), (stack(player), amount + net), ("commission", commission),
             ("float", -net - commission)])


BETS = ((0, "player", 2000), (1, "banker", 4000), (1, "tie", 1000), (0, "banker-pair", 500))


def made_shoe(maker, number, book, cutter):
    """Prepare a shoe at the table."""
    second = maker.log.form == 2
    shoe = maker.shoe(number, book, second)
    maker.table("dealer", None, [], [shoe.committed()])
    if second:
        maker.table("dealer", None, [], [shoe.listed()])
    maker.table("dealer", "dealer shuffles", [{"prepared": "shuffled"}], [shoe.ordered()])
    shoe.cut = 20 + number
    chance = []
    if cutter == "staff" and second:
        chance = [shoe.by_chance()]
    by = {"staff": "supervisor"} if cutter == "staff" else {"player": 0}
    maker.table(cutter, "cuts", [{"cut": {"by": by, "depth": shoe.cut}}], chance)
    maker.table("dealer", "places the cutting card", [{"cutting-card-placed": 7}])
    shown, fact = shoe.deal("burn")
    published = [fact] + [shoe.deal("burn, unseen", closed=True)[1] for _ in range(2)]
    maker.table("dealer", "burns", [{"burned": {"shown": shown, "further": 2}}, "shoe-ready",
                                    "bets-opened"], published)
    return shoe


def sample_log(form=2):
    """A small log: two shoes, one of them over, with most of what can happen."""
    maker = Maker(form)
    canonical = sample_book()
    book = hashlib.sha256(canonical.encode()).digest()
    maker.log.books[book] = canonical
    if form == 2:
        maker.key(SAMPLE_SEED)
    maker.command(SAMPLE_TABLE, "operator", [
        ("book/1", {"name": "sample", "sha256": book.hex()})])
    maker.table("operator", "operator opens sample", [{"opened": {
        "book": "sample", "base": None,
        "options": {"method": "commission", "side_bets": ["pairs=canberra"], "decks": 1,
                    "seats": 7, "face_down": False, "layout": "mini", "cutting_cards": 1},
        "side_bets": [{"offer": "pairs=canberra", "group": "Pairs", "name": "Pairs",
                       "spots": ["banker-pair", "any-pair"]}]}}])
    for player in range(2):
        maker.table("account-%d" % (player + 1), "sits", [(
            {"arrived": {"player": player, "name": "account-%d" % (player + 1),
                         "seat": player + 1, "standing": False, "chips": 500000}},
            [("outside", -500000), (stack(player), 500000)])])
    shoe = made_shoe(maker, 1, book, "staff")
    for number in (1, 2, 3):
        made_coup(maker, shoe, number, BETS, face_down=number == 2)
    maker.checkpoint()
    maker.table("dealer", None, ["shuffle-due"])
    maker.table("dealer", None, [], [{"revealed": {"entropy": shoe.entropy.hex()}}])
    maker.checkpoint()
    if form == 2:
        maker.key(OTHER_SEED, former=SAMPLE_SEED)
        maker.checkpoint()
    shoe = made_shoe(maker, 2, book, "player")
    made_coup(maker, shoe, 4, BETS)
    # A card in excess waits and is the first one of the next coup: one that was seen, then one
    # that was not. Another is taken away at once.
    waits, fact = shoe.deal("in excess")
    maker.table("dealer", "draws in excess", [{"excess": {"card": waits}}], [fact])
    made_coup(maker, shoe, 5, (), first=(waits, None))
    waits, fact = shoe.deal("in excess", closed=True)
    maker.table("dealer", "draws in excess", [{"excess": {"card": None}}], [fact])
    made_coup(maker, shoe, 6, BETS[:1], first=(waits, shoe.index - 1))
    _, fact = shoe.deal("in excess", closed=True)
    maker.table("dealer", "draws in excess", [{"excess-not-used": None}], [fact])
    _sample_void(maker)
    maker.table("account-2", "leaves", [_sample_leaving(maker, 1)])
    maker.checkpoint()
    return maker.log


def _chips(maker, account):
    """What an account holds by the postings so far."""
    cents = 0
    for row in maker.log.rows:
        if row.schema == "table/3":
            for leg in json.loads(row.body)["postings"]:
                cents += leg["cents"] if leg["account"] == account else 0
    return cents


def _sample_leaving(maker, player):
    chips = _chips(maker, stack(player))
    return {"left": player}, [(stack(player), -chips), ("outside", chips)]


def _sample_void(maker):
    """Coup 4 is void: what it brought is taken back."""
    brought = {0: Counter(), 1: Counter()}
    number = None
    for row in maker.log.rows:
        if row.schema != "table/3":
            continue
        event = json.loads(row.body)
        kind, said = kind_of(event["fact"])
        number = said["number"] if kind == "coup-began" else number
        if kind == "settled" and number == 4:
            for leg in event["postings"]:
                brought[said["player"]][compact(leg["account"])] += leg["cents"]
    facts = [{"voided": {"number": 4, "why": "a card fell"}}]
    for player, legs in brought.items():
        own = compact(stack(player))
        facts.append(({"reversed": {"player": player, "number": 4}}, [
            (stack(player), -legs[own] - legs['"layout"']),
            ("commission", -legs['"commission"']), ("float", -legs['"float"'])]))
    maker.table("operator", "voids coup 4", facts)


# ---------------------------------------------------------------------------------------------
# The self-test: falsifications
# ---------------------------------------------------------------------------------------------

class Forger:
    """A log that somebody changes. What a method cannot change raises LookupError."""

    def __init__(self, log):
        self.log = Log(log.form)
        self.log.rows = list(log.rows)
        self.log.books = dict(log.books)
        self.log.commands = log.commands and list(log.commands)

    def places(self, schema, kind=None, stream=None, where=None):
        """The places of records, in their order."""
        found = []
        for place, row in enumerate(self.log.rows):
            if not row.schema.startswith(schema + "/") or stream not in (None, row.stream):
                continue
            value = json.loads(row.body)
            fact = value["fact"] if schema in ("table", "table-shoe") else value
            name = fact if isinstance(fact, str) else next(iter(fact), None)
            if kind in (None, name) and (where is None or where(fact[kind])):
                found.append(place)
        if not found:
            raise LookupError(kind)
        return found

    def place(self, *arguments, **named):
        """The place in the middle of those that fit, so that something lies on both sides."""
        found = self.places(*arguments, **named)
        return found[len(found) // 2]

    def edit(self, place, change):
        """Change the body of a record; the function gets its value and may return another."""
        row = self.log.rows[place]
        value = json.loads(row.body)
        new = change(value)
        self.log.rows[place] = row._replace(body=compact(value if new is None else new))

    def fact(self, place, change):
        """Change the fact of a record, and the postings if the function wants them."""
        def inner(value):
            fact = value.get("fact", value)
            change(fact[next(iter(fact))], value.get("postings"))
        self.edit(place, inner)

    def set(self, place, **columns):
        """Change columns of a record."""
        self.log.rows[place] = self.log.rows[place]._replace(**columns)

    def remove(self, place):
        """Take a record out and close the gap, as a forger would."""
        gone = self.log.rows.pop(place)
        self.renumber(gone.stream)

    def insert(self, place, row):
        """Put a record in."""
        self.log.rows.insert(place, row)
        self.renumber(row.stream)

    def renumber(self, stream):
        """Number the records of a stream anew, in the order in which they stand."""
        moved = {}
        number = 0
        keys = {}
        for place, row in enumerate(self.log.rows):
            if row.stream != stream:
                continue
            number += 1
            moved[row.version] = number
            key = row.key
            if stream.startswith("table "):
                key = keys.setdefault((row.actor, row.key), "%s %d" % (stream, number))
            self.log.rows[place] = row._replace(version=number, key=key)
        # A forger who makes the log anew writes the commands and the heads to fit.
        self.log.commands = None
        last = number
        for place, row in enumerate(self.log.rows):
            if row.stream == "checkpoint":
                def change(value):
                    for head in value["heads"]:
                        if head["stream"] == stream:
                            head["version"] = min(
                                moved.get(head["version"], head["version"]), last)
                self.edit(place, change)

    def rechain(self, seeds=()):
        """Make all hashes anew, and the checkpoints; sign them if there are seeds."""
        hashes = {}
        order = sorted(range(len(self.log.rows)),
                       key=lambda i: (self.log.rows[i].stream == "checkpoint", i))
        publics = {sign(seed, b"")[0].hex(): seed for seed in seeds}
        for place in order:
            row = self.log.rows[place]
            previous = hashes.get((row.stream, row.version - 1), ZERO_HASH)
            if row.stream == "checkpoint":
                row = row._replace(body=self._heads(row, hashes, previous, publics))
            row = row._replace(hash=record_hash(previous, row))
            hashes[(row.stream, row.version)] = row.hash
            self.log.rows[place] = row
        if self.log.commands and self.log.form == 2:
            self.log.commands = None
        return self

    def _heads(self, row, hashes, previous, publics):
        value = json.loads(row.body)
        for head in value["heads"]:
            known = hashes.get((head["stream"], head["version"]))
            head["hash"] = known.hex() if known else head["hash"]
        signature = value.pop("signature", None)
        seed = publics.get(value.get("key"))
        if seed:
            return signed_body(seed, previous, row.version, row.at, value)
        if signature:
            value["signature"] = signature
        return compact(value)


def _flip(text_):
    """A text with another last letter."""
    return text_[:-1] + ("x" if text_[-1] != "x" else "y")


def _add_cents(postings, account, cents):
    for leg in postings:
        if leg["account"] == account:
            leg["cents"] += cents
            return
    postings.append({"account": account, "cents": cents})


def _is_won(said):
    return isinstance(said["verdict"], dict)


def _more_won(said, postings):
    """A player is paid one more, and every posting fits."""
    said["verdict"]["won"]["net"] += 100
    for leg in postings:
        if leg["account"] == {"stack": said["player"]}:
            leg["cents"] += 100
    _add_cents(postings, "float", -100)


def _less_commission(said, postings):
    won = said["verdict"]["won"]
    cents, won["commission"] = won["commission"], 0
    if not cents:
        raise LookupError("commission")
    won["net"] += cents
    postings[:] = [leg for leg in postings if leg["account"] != "commission"]
    _add_cents(postings, {"stack": said["player"]}, cents)


def _lost_is_kept(said, postings):
    said["verdict"] = "kept"
    postings[:] = [{"account": "layout", "cents": -said["stake"]},
                   {"account": {"stack": said["player"]}, "cents": said["stake"]}]


def _won_is_lost(said, postings):
    said["verdict"] = "lost"
    postings[:] = [{"account": "layout", "cents": -said["stake"]},
                   {"account": "float", "cents": said["stake"]}]


def _half_stake(said, postings):
    said["stake"] //= 2
    for leg in postings:
        leg["cents"] //= 2
    verdict = said["verdict"]
    if isinstance(verdict, dict):
        verdict["won"] = {name: cents // 2 for name, cents in verdict["won"].items()}


def _more_placed(said, postings):
    said["amount"] += 1000
    _add_cents(postings, {"stack": said["player"]}, -1000)
    _add_cents(postings, "layout", 1000)


def _other_card(value):
    order = [rank + suit for rank in RANKS for suit in SUITS]
    return order[order.index(value) - 4]


def _set(name, value):
    def change(said, postings):
        said[name] = value(said[name]) if callable(value) else value
    return change


def _flip_hex(value):
    return value[:-1] + ("0" if value[-1] != "0" else "1")


def _both_cards(forger):
    """A card is another one at the table and in the shoe; only the path cannot be made."""
    place = forger.place("table", "dealt", where=lambda said: said["card"])
    row = forger.log.rows[place]
    forger.fact(place, _set("card", _other_card))
    for other in forger.places("shoe", "dealt", where=lambda said: said["opening"]):
        found = forger.log.rows[other]
        if (found.actor, found.key) == (row.actor, row.key):
            forger.fact(other, lambda said, _: said["opening"].update(
                card=_other_card(said["opening"]["card"])))


def _free_chips(forger):
    """Chips come from the bank with words that move none."""
    def change(value):
        value["postings"] = [{"account": "float", "cents": -500},
                             {"account": {"stack": 0}, "cents": 500}]
    forger.edit(forger.place("table", "bets-closed"), change)


def _passed_over(forger):
    """A card is passed over: the cards behind it have one number less."""
    place = forger.place("shoe", "dealt", where=lambda said: said["index"] > 4)
    stream = forger.log.rows[place].stream
    index = json.loads(forger.log.rows[place].body)["dealt"]["index"]
    forger.remove(place)
    for other in range(place, len(forger.log.rows)):
        row = forger.log.rows[other]
        if row.stream != stream or not row.schema.startswith("shoe/"):
            continue
        value = json.loads(row.body)
        if "committed" in value:
            break
        for said in (value.get("dealt"), value.get("opened"),
                     (value.get("dealt") or {}).get("opening")):
            if said and said["index"] > index:
                said["index"] -= 1
        forger.set(other, body=compact(value))


def _swap(forger, one, two):
    first, second = forger.log.rows[one], forger.log.rows[two]
    forger.log.rows[one] = first._replace(body=second.body, schema=second.schema)
    forger.log.rows[two] = second._replace(body=first.body, schema=first.schema)


def _cards_swapped(forger):
    """Two cards of the shoe leave it in the other order, with all that belongs to them."""
    found = forger.places("shoe", "dealt", where=lambda said: said["opening"])
    one, two = found[len(found) // 2:len(found) // 2 + 2]
    values = [json.loads(forger.log.rows[place].body)["dealt"]["opening"] for place in (one, two)]
    forger.fact(one, lambda said, _: said.update(opening=dict(values[1], index=said["index"])))
    forger.fact(two, lambda said, _: said.update(opening=dict(values[0], index=said["index"])))


def _move(forger, place, to):
    row = forger.log.rows.pop(place)
    forger.log.rows.insert(to, row)
    forger.renumber(row.stream)


def _early_cut(forger):
    kind = "ordered" if forger.log.form == 2 else "mixed"
    place = forger.places("table", "cut")[0]
    _move(forger, place, forger.places("shoe", kind)[0])


def _late_wager(forger):
    """A wager comes when the result is known."""
    result = forger.place("table", "result")
    placed = [place for place in forger.places("table", "placed") if place < result][-1]
    _move(forger, placed, result)


def _truncate(forger, stream):
    """The last records of a stream go, and whatever speaks of them."""
    versions = [row.version for row in forger.log.rows if row.stream == stream]
    last = max(versions) - 5
    forger.log.rows = [row for row in forger.log.rows
                       if row.stream != stream or row.version <= last]
    forger.renumber(stream)


def _drop(forger, keep):
    kept = [row for row in forger.log.rows if keep(row)]
    if len(kept) == len(forger.log.rows):
        raise LookupError("nothing to drop")
    forger.log.rows = kept


def _own_book(forger):
    """Another book, in which wins on Banker pay more, with its own hash in the record."""
    place = forger.places("book")[0]
    sha256 = bytes.fromhex(json.loads(forger.log.rows[place].body)["sha256"])
    canonical = json.loads(forger.log.books[sha256])
    canonical["decisions"]["methods.commission.banker"]["is"] = "2:1"
    text_ = compact(canonical)
    new = hashlib.sha256(text_.encode()).digest()
    forger.log.books = {new: text_}
    forger.edit(place, lambda value: value.update(sha256=new.hex()))


def _book_text(forger):
    forger.log.books = {sha256: canonical.replace("8:1", "9:1", 1)
                        for sha256, canonical in forger.log.books.items()}


def _foreign_book(forger):
    text_ = sample_book("9:1")
    forger.log.books = {hashlib.sha256(text_.encode()).digest(): text_}


def _no_book(forger):
    forger.log.books = {}


def _insert_copy(forger, place):
    row = forger.log.rows[place]
    forger.insert(place + 1, row)


def _void_of_nothing(forger):
    """A void of a coup that was never dealt, beside the end of one that was."""
    place = forger.place("table", "coup-ended")
    _insert_copy(forger, place)
    forger.edit(place + 1, lambda value: value.update(
        fact={"voided": {"number": 4000, "why": "a card fell"}}, postings=[]))


def _settled_twice(forger):
    _insert_copy(forger, forger.place("table", "settled"))


def _repeat_key(forger):
    place = forger.place("table", "settled")
    body = forger.log.rows[place].body
    forger.set(place, body=body.replace('{"at":', '{"at":0,"at":', 1))


def _edit_columns(name, change):
    def forge(forger):
        place = forger.place("table", "settled")
        forger.set(place, **{name: change(getattr(forger.log.rows[place], name))})
    return forge


def _act_of_the_dealer(forger):
    """The first record of a command of the dealer's, with which a coup began."""
    found = forger.log.rows[forger.place("table", "coup-began")]
    name = (found.stream, found.actor, found.key)
    places = [place for place, row in enumerate(forger.log.rows)
              if (row.stream, row.actor, row.key) == name and row.schema == "act/1"]
    if not places:
        raise LookupError("act/1")
    return places[0]


def _rename_command(**changes):
    """A falsification of a whole command: its actor or its key."""
    def forge(forger):
        found = forger.log.rows[forger.place("table", "coup-began")]
        new = {name: change(found) for name, change in changes.items()}
        for place, row in enumerate(forger.log.rows):
            if (row.stream, row.actor, row.key) == (found.stream, found.actor, found.key):
                forger.set(place, **new)
    return forge


def _on(schema, kind, change, where=None):
    """A falsification that changes one fact."""
    return lambda forger: forger.fact(forger.place(schema, kind, where=where), change)


def _checkpoint(change, last=True):
    def forge(forger):
        places = [i for i, row in enumerate(forger.log.rows) if row.stream == "checkpoint"]
        forger.edit(places[-1 if last else 0], change)
    return forge


def _raw_table(forger):
    """A second `opened` clears the table, and every debt with it."""
    place = forger.place("table", "bets-closed")
    opened = json.loads(forger.log.rows[forger.places("table", "opened")[0]].body)["fact"]
    forger.edit(place, lambda value: value.update(fact=opened))


def _two_rows(forger, kind):
    found = forger.places("table", kind)
    return found[len(found) // 2], found[len(found) // 2 + 1]


def _swap_bodies(forger):
    _swap(forger, *_two_rows(forger, "settled"))


def _reorder(forger):
    one, two = _two_rows(forger, "settled")
    rows = forger.log.rows
    rows[one], rows[two] = (rows[two]._replace(version=rows[one].version),
                            rows[one]._replace(version=rows[two].version))


def _gap(forger):
    forger.log.rows.pop(forger.place("table", "settled"))


def _renumbered(forger):
    place = forger.place("table", "settled")
    stream, version = forger.log.rows[place].stream, forger.log.rows[place].version
    forger.log.rows = [row._replace(version=row.version + 1)
                       if row.stream == stream and row.version >= version else row
                       for row in forger.log.rows]


def _twice(forger):
    forger.log.rows.append(forger.log.rows[forger.place("table", "settled")])


# Falsifications of every log: what was done, how, and whether the forger makes the chain and the
# checkpoints anew. Nothing is said of what must find it: that is printed.
PLAIN = (
    ("the stream of a record is another", _edit_columns("stream", _flip)),
    ("the version of a record is another", _edit_columns("version", lambda v: v + 1)),
    ("the time of a record is another", _edit_columns("at", lambda v: v + 1)),
    ("the actor of a record is another", _edit_columns("actor", _flip)),
    ("the key of a record is another", _edit_columns("key", _flip)),
    ("the schema of a record is another", _edit_columns("schema", lambda v: "table/2")),
    ("the body of a record has one space more", _edit_columns("body", lambda v: v + " ")),
    ("a digit of the body of a record", _edit_columns("body", lambda v: re.sub(
        "[0-9]", lambda match: str(9 - int(match.group())), v, count=1))),
    ("a bit of the hash of a record", _edit_columns(
        "hash", lambda v: v[:-1] + bytes([v[-1] ^ 1]))),
    ("a record is taken out", _gap),
    ("a record is taken out and the gap closed", lambda forger: forger.remove(
        forger.place("table", "settled"))),
    ("a record is there twice", _twice),
    ("two records have changed their bodies", _swap_bodies),
    ("two records are in the other order", _reorder),
    ("the records from one on have other numbers", _renumbered),
    ("the end of the table's stream is missing", lambda forger: _drop(
        forger, lambda row: not row.stream.startswith("table ") or row.version < 50)),
    ("the stream of the table is missing", lambda forger: _drop(
        forger, lambda row: not row.stream.startswith("table "))),
    ("a checkpoint in the middle is missing", lambda forger: _drop(
        forger, lambda row: (row.stream, row.version) != ("checkpoint", 1))),
    ("a checkpoint says another version", _checkpoint(
        lambda value: value["heads"][-1].update(version=value["heads"][-1]["version"] - 1))),
    ("a checkpoint says another hash", _checkpoint(
        lambda value: value["heads"][-1].update(hash=_flip_hex(value["heads"][-1]["hash"])))),
    ("the book is missing", _no_book),
    ("the text of the book is another", _book_text),
    ("there is another book instead", _foreign_book),
)
ONLY_OUTSIDE = (
    ("the last checkpoint is missing", lambda forger: _drop(
        forger, lambda row: row.stream != "checkpoint" or row.version < max(
            other.version for other in forger.log.rows if other.stream == "checkpoint"))),
    ("all checkpoints are missing", lambda forger: _drop(
        forger, lambda row: row.stream != "checkpoint")),
    ("an act has another line", lambda forger: _other_line(forger)),
    ("the end of the log was never there", lambda forger: _truncate(
        forger, forger.log.rows[forger.places("table")[-1]].stream)),
)
REMADE = (
    ("somebody else did what the dealer did", _rename_command(actor=lambda row: "operator")),
    ("a command of the house's own has a key of a person", _rename_command(
        key=lambda row: "a-7 " + row.key)),
    ("a win pays 1.00 more", _on("table", "settled", _more_won, _is_won)),
    ("a win has no commission", _on("table", "settled", _less_commission, lambda said: (
        _is_won(said) and said["verdict"]["won"]["commission"] > 0))),
    ("a loss is kept", _on("table", "settled", _lost_is_kept,
                           lambda said: said["verdict"] == "lost")),
    ("a win is lost", _on("table", "settled", _won_is_lost, _is_won)),
    ("half of a stake is settled", _on("table", "settled", _half_stake)),
    ("a wager is settled for another player", _on(
        "table", "settled", _set("player", lambda player: 1 - player),
        lambda said: said["player"] < 2)),
    ("a wager is settled on another spot", _on(
        "table", "settled", _set("spot", lambda spot: "tie" if spot != "tie" else "player"))),
    ("a wager is settled twice", _settled_twice),
    ("a wager is not settled", lambda forger: forger.remove(forger.place("table", "settled"))),
    ("a wager is bigger than what was paid in", _on("table", "placed", _set(
        "amount", lambda cents: cents + 1000))),
    ("a wager is bigger, and so are its postings", _on("table", "placed", _more_placed)),
    ("a wager is on another spot", _on(
        "table", "placed", _set("spot", lambda spot: "tie" if spot != "tie" else "player"))),
    ("a player arrives with chips that nobody brought", _on(
        "table", "arrived", lambda said, postings: said.update(chips=said["chips"] + 100))),
    ("a stack grows from nothing", _on(
        "table", "arrived", lambda said, postings: _add_cents(
            postings, {"stack": said["player"]}, 100))),
    ("chips move with a fact that moves none", _free_chips),
    ("a player leaves with more than the stack", _on(
        "table", "placed", lambda said, postings: (
            said.update(amount=10**9), postings.clear(), postings.extend([
                {"account": {"stack": said["player"]}, "cents": -10**9},
                {"account": "layout", "cents": 10**9}])))),
    ("the result is another", lambda forger: forger.edit(
        forger.place("table", "result", where=lambda said: said in (
            {"won": "player"}, {"won": "banker"})),
        lambda value: value["fact"]["result"].update(won={"player": "banker", "banker": "player"}[
            value["fact"]["result"]["won"]]))),
    ("a total is another", _on("table", "totals", _set("banker", lambda t: (t + 1) % 10))),
    ("a pair is hidden", _on("table", "coup-ended", _set(
        "pairs", lambda pairs: [not pair for pair in pairs]))),
    ("a coup has another number", _on("table", "coup-began", _set("number", lambda n: n + 1))),
    ("a card of the table is another", _on(
        "table", "dealt", _set("card", _other_card), lambda said: said["card"])),
    ("a card is another at the table and in the shoe", _both_cards),
    ("a card goes to the other hand", _on(
        "table", "dealt", _set("side", {"player": "banker", "banker": "player"}.get))),
    ("a card is passed over", _passed_over),
    ("two cards leave the shoe in the other order", _cards_swapped),
    ("a card does not come from the shoe", lambda forger: forger.remove(
        forger.places("shoe", "dealt")[-1])),
    ("a card leaves the shoe and goes nowhere", lambda forger: forger.remove(
        forger.places("table", "dealt")[-1])),
    ("one card less is burnt", _on("table", "burned", _set("further", lambda n: n - 1))),
    ("a card that waited is another when it is dealt", lambda forger: forger.fact(
        [place for place in forger.places("table", "dealt")
         if place > forger.places("table", "excess")[0]][0], _set("card", _other_card))),
    ("a card in excess is another", _on(
        "table", "excess", _set("card", _other_card), lambda said: said["card"])),
    ("a card in excess does not come from the shoe", lambda forger: forger.remove(
        forger.place("shoe", "dealt", where=lambda said: said["what"] == "in excess"))),
    ("a coup is not void, but what it brought is taken back", lambda forger: forger.fact(
        forger.place("table", "voided"), _set("number", lambda n: n + 1))),
    ("a coup is void that was never dealt", _void_of_nothing),
    ("what a void takes back is less", _on("table", "reversed", lambda said, postings: (
        postings.clear()))),
    ("somebody cuts who is not there", _on(
        "table", "cut", _set("by", {"player": 99}), lambda said: "player" in said["by"])),
    ("the table opens under another book than the record names", _on(
        "table", "opened", _set("book", _flip))),
    ("a card that was turned is another", _on("table", "turned", _set("card", _other_card))),
    ("the salt of a card is another", _on(
        "shoe", "dealt", lambda said, _: said["opening"].update(
            salt=_flip_hex(said["opening"]["salt"])), lambda said: said["opening"])),
    ("a card has another use", _on("shoe", "dealt", _set(
        "what", lambda what: what.replace("player", "banker")),
        lambda said: "player" in said["what"])),
    ("the cut is at another depth", _on("table", "cut", _set("depth", lambda n: n + 1))),
    ("the commitment is another", lambda forger: forger.fact(
        forger.places("shoe", "committed")[0], _set("commitment", _flip_hex))),
    ("the commitment of a shoe in use is another", lambda forger: forger.fact(
        forger.places("shoe", "committed")[-1], _set("commitment", _flip_hex))),
    ("the shoe has more decks", _on("shoe", "committed", _set("decks", lambda n: n + 1))),
    ("the entropy is another", _on("shoe", "revealed", _set("entropy", _flip_hex))),
    ("a shoe is revealed while it is in use", lambda forger: forger.remove(
        forger.place("table", "shuffle-due"))),
    ("a shoe is never revealed", lambda forger: forger.remove(
        forger.places("shoe", "revealed")[0])),
    ("the cards are cut before their order is made", _early_cut),
    ("the order is made a second time", lambda forger: _insert_copy(forger, forger.place(
        "shoe", "ordered" if forger.log.form == 2 else "mixed"))),
    ("a wager comes when the result is known", _late_wager),
    ("another method is in force", _on(
        "table", "opened", lambda said, _: said["options"].update(method="half-on-six"))),
    ("the book is another and pays more", _own_book),
    ("the table opens a second time", _raw_table),
    ("the time of the table goes back", lambda forger: forger.edit(
        forger.place("table", "settled"), lambda value: value.update(at=1))),
    ("a fact that nobody knows", lambda forger: forger.edit(
        forger.place("table", "bets-closed"), lambda value: value.update(fact="given-away"))),
    ("a schema that nobody knows", lambda forger: forger.set(
        forger.place("table", "settled"), schema="table/4")),
    ("a body in which a key stands twice", _repeat_key),
    ("a body that is not JSON", lambda forger: forger.set(
        forger.place("table", "settled"), body="{")),
    ("an event of another kind", lambda forger: forger.edit(
        forger.place("table", "settled"), lambda value: [value])),
    ("postings with an item of zero", lambda forger: forger.edit(
        forger.place("table", "settled"), lambda value: value["postings"].append(
            {"account": "outside", "cents": 0}))),
    ("a head of a stream that is not there", _checkpoint(
        lambda value: value["heads"].append(
            {"stream": "table 9", "version": 1, "hash": "00" * 32}))),
    ("a checkpoint that comes to less than the one before", _checkpoint(
        lambda value: value["heads"][-1].update(version=1))),
    ("the table's stream is not in the last checkpoint, but was before", _checkpoint(
        lambda value: dict(value, heads=value["heads"][:-1]))),
)
# These need a log of the second form.
SIGNED = (
    ("a person is said to have done what the dealer did", lambda forger: forger.edit(
        _act_of_the_dealer(forger), lambda value: value.update(who="a-77"))),
    ("the list of promises lacks one", _on(
        "shoe", "listed", lambda said, _: said["promises"].pop())),
    ("the signature of the list is another", _on("shoe", "listed", _set(
        "signature", _flip_hex))),
    ("a first word is another", _on("shoe", "ordered", _set(
        "firsts", lambda words: [_flip_hex(words[0])] + words[1:]))),
    ("a first word is left out", _on("shoe", "ordered", _set(
        "firsts", lambda words: [None] + words[1:]))),
    ("a first word of a shoe that is over is left out", lambda forger: forger.fact(
        forger.places("shoe", "ordered")[0], _set(
            "firsts", lambda words: [None] + words[1:]))),
    ("a shoe is committed to with a key that was given up", lambda forger: forger.fact(
        forger.places("shoe", "committed")[-1], lambda said, _: said["binds"].update(
            key=sign(SAMPLE_SEED, b"")[0].hex()))),
    ("a second word is left out", _on("shoe", "cut-by-chance", _set(
        "seconds", lambda words: [None] + words[1:]))),
    ("the cut by staff is said to be a player's", _on(
        "table", "cut", _set("by", {"player": 0}), lambda said: "staff" in said["by"])),
    ("the cut by a player is said to be by staff", _on(
        "table", "cut", _set("by", {"staff": "supervisor"}), lambda said: "player" in said["by"])),
    ("the list comes after the order", lambda forger: _move(
        forger, forger.places("shoe", "listed")[0], forger.places("shoe", "ordered")[0])),
    ("the commitment binds another table", _on("shoe", "committed", lambda said, _: said[
        "binds"].update(table="table 2"))),
    ("the commitment binds another number", _on("shoe", "committed", lambda said, _: said[
        "binds"].update(number=7))),
    ("the commitment binds another book", _on("shoe", "committed", lambda said, _: said[
        "binds"].update(book="00" * 32))),
    ("the commitment binds another key", _on("shoe", "committed", lambda said, _: said[
        "binds"].update(key="00" * 32))),
    ("the list is closed in the command of the commitment", lambda forger: _together(
        forger, "committed", "listed")),
    ("the list is used in the command that closes it", lambda forger: _together(
        forger, "listed", "ordered")),
    ("a shoe is revealed before it was used", lambda forger: _unused(forger)),
    ("the commitment binds another place of the cutting card", _on(
        "shoe", "committed", lambda said, _: said["binds"].update(behind=8))),
    ("the cutting card is placed elsewhere", lambda forger: forger.edit(
        forger.place("table", "cutting-card-placed"),
        lambda value: value.update(fact={"cutting-card-placed": 8}))),
    ("the new key is signed by nobody that counts", lambda forger: forger.edit(
        _rotation(forger), lambda value: value["former"].update(
            signature=_flip_hex(value["former"]["signature"])))),
    ("the key before the new one is another", lambda forger: forger.edit(
        _rotation(forger), lambda value: value["former"].update(public="00" * 32))),
    ("a checkpoint of another epoch", _checkpoint(lambda value: value.update(epoch=3))),
    ("a checkpoint that counts less commands", _checkpoint(
        lambda value: value.update(commands=1))),
    ("the last checkpoint is not signed", lambda forger: _unsigned(forger)),
    ("a restored log in which an open shoe is dealt on", lambda forger: _restored(forger)),
    ("a shoe is given up as restored, and the log was not", lambda forger: _false_restored(forger)),
    ("what was refused has consequences", lambda forger: forger.set(
        forger.place("act"), schema="refused/1", body=compact({
            "asked": {"by": {}, "act": {}, "line": "sits"}, "by_the_book": False,
            "refusal": {}}))),
    ("something happens that no act brought", lambda forger: forger.remove(forger.place("act"))),
    ("a new shoe by the first procedure", lambda forger: forger.fact(
        forger.places("shoe", "committed")[-1], lambda said, _: (
            said.pop("binds"), said.update(protocol="sabot-shoe-1")))),
)
SIGNATURES = (
    ("a bit of a signature", _checkpoint(
        lambda value: value.update(signature=_flip_hex(value["signature"])))),
    ("a checkpoint says another number of commands", _checkpoint(
        lambda value: value.update(commands=value["commands"] + 1))),
    ("the time of a checkpoint is another", lambda forger: forger.set(
        forger.places("checkpoint")[-1], at=forger.log.rows[-1].at + 5)),
    ("a win pays 1.00 more, by somebody without the key", _on(
        "table", "settled", _more_won, _is_won)),
    ("an act has another line, by somebody without the key", ONLY_OUTSIDE[2][1]),
)


def _together(forger, first, then):
    """Two facts of a shoe come in one command: the one of the first."""
    one, two = (forger.places("shoe", kind)[0] for kind in (first, then))
    row = forger.log.rows[one]
    # Acts of the second command go; what it brought at the table stays.
    for place in range(one + 1, two + 1):
        other = forger.log.rows[place]
        if other.stream == row.stream and not other.schema.startswith("act/"):
            forger.set(place, actor=row.actor, key=row.key)
    for place in range(two, one, -1):
        if forger.log.rows[place].schema.startswith("act/"):
            forger.remove(place)


def _unused(forger):
    """The second shoe is revealed when it is made, and somebody is there to use it."""
    place = forger.places("shoe", "committed")[-1]
    row = forger.log.rows[place]
    entropy = MadeShoe(2, bytes.fromhex(json.loads(forger.log.rows[forger.place(
        "book")].body)["sha256"]), seed=OTHER_SEED).entropy
    del forger.log.rows[place + 1:]
    forger.insert(place + 1, row._replace(
        key="after", body=compact({"revealed": {"entropy": entropy.hex()}})))


def _other_line(forger):
    """Somebody said something else."""
    try:
        place = forger.place("act")
    except LookupError:
        forger.edit(forger.place("line"), lambda value: value + ", says somebody")
        return
    forger.edit(place, lambda value: value.update(line=str(value["line"]) + ", says somebody"))


def _false_restored(forger):
    """A shoe is given up because the log was restored, and it never was."""
    place = forger.place("shoe", "revealed")
    row = forger.log.rows[place]
    forger.insert(place, row._replace(body=compact({"abandoned": "restored"})))


def _rotation(forger):
    """The place of a key that the key before it signed."""
    places = [place for place in forger.places("key")
              if json.loads(forger.log.rows[place].body)["former"]]
    if not places:
        raise LookupError("former")
    return places[-1]


def _unsigned(forger):
    place = forger.places("checkpoint")[-1]
    forger.edit(place, lambda value: {"heads": value["heads"]})
    forger.set(place, schema="checkpoint/1")


def _restored(forger):
    """The house records that the log is an older copy, as of a moment when a shoe was open."""
    place = forger.places("shoe", "dealt")[5]
    table = forger.log.rows[place]
    house = forger.log.rows[forger.places("key")[-1]]
    body = compact({"epoch": 1, "known": 900, "found": 9, "heads": [
        {"stream": table.stream, "version": table.version, "hash": table.hash.hex()}]})
    forger.insert(forger.places("key")[-1] + 1, house._replace(
        schema="restored/1", body=body, version=house.version + 1, key="house r"))
    for checkpoint in forger.places("checkpoint")[-2:]:
        def change(value):
            value["epoch"] = 1
            for head in value["heads"]:
                if head["stream"] == "house":
                    head["version"] = 3
        forger.edit(checkpoint, change)
    # The hash in the heads of the copy does not change: nothing before that record does.


def _found(log, head, key):
    """Which checks find something, with nothing given and else with head and key."""
    checks = sorted({fault.check for fault in verify(log).faults})
    if checks:
        return ", ".join(checks)
    checks = sorted({fault.check for fault in verify(log, head, key).faults})
    return ("only " + ", ".join(checks)) if checks else None


def falsify(log, seeds, may_lack):
    """Falsify a log in every way; the number of falsifications that were not found."""
    honest = verify(log)
    if honest.faults:
        print("FAILED: the log does not hold to begin with: " + str(honest.faults[0]))
        return 1
    head = (honest.covered.number, honest.covered.hash)
    key = honest.house.keys[0][1] if honest.house.keys else None
    given = verify(log, head, key).faults
    if given:
        print("FAILED: the log does not hold with its own head and key: " + str(given[0]))
        return 1
    groups = [(PLAIN, None), (ONLY_OUTSIDE, seeds), (REMADE, seeds)]
    if log.form == 2:
        groups += [(SIGNED, seeds), (SIGNATURES, ())]
    failed = done = 0
    for tests, keys in groups:
        for name, forge in tests:
            forger = Forger(log)
            try:
                forge(forger)
            except LookupError:
                if not may_lack:
                    failed += 1
                print("%s: %s: there is nothing like it in this log"
                      % ("--" if may_lack else "FAILED", name))
                continue
            if keys is not None:
                forger.rechain(keys)
            found = _found(forger.log, head, key)
            done += 1
            print("%s: %s%s: %s" % (
                "ok" if found else "FAILED", name,
                "" if keys is None else ", made anew", found or "NOT FOUND"))
            failed += not found
    failed += _falsify_head(log, head)
    print("Falsifications: %d, not found: %d." % (done + 2, failed))
    return failed


def _falsify_head(log, head):
    """A head of another log, and one that is newer than the log."""
    failed = 0
    for name, other in (
        ("the head is of another log", (head[0], hashlib.sha256(head[1]).digest())),
        ("the head is newer than the log", (head[0] + 1, head[1])),
    ):
        found = [fault.check for fault in verify(log, other).faults]
        print("%s: %s: %s" % ("ok" if found else "FAILED", name, ", ".join(found)))
        failed += not found
    return failed


# ---------------------------------------------------------------------------------------------
# The self-test: files
# ---------------------------------------------------------------------------------------------

TRIGGERS = """
create trigger log_is_never_changed before update on log begin select raise(abort, 'no'); end;
create trigger log_is_never_shortened before delete on log begin select raise(abort, 'no'); end;
create trigger log_is_never_replaced before insert on log
when exists (select 1 from log where stream = new.stream and version = new.version)
begin select raise(abort, 'no'); end;
"""


def write_sqlite(log, path, change=""):
    """Write a log as a file of its form; `change` is SQL that is carried out at the end."""
    second = log.form == 2
    connection = sqlite3.connect(path)
    connection.executescript("""
        create table _sqlx_migrations (version bigint primary key, success boolean,
            checksum blob);
        create table log (stream text, version integer, at integer, actor text, key text,
            schema text, body text, hash blob);
        create table command (actor text, key text, payload blob, stream text, first integer,
            last integer %s);
        create table book (sha256 blob, canonical text %s);
        create table sealed (name text, box blob);
    """ % ((", number integer, name integer, parts text, mac blob", ", files text") if second
           else ("", "")))
    if second:
        connection.executescript("""
            create table person (account text, name text);
            create table snapshot (stream text, version integer, hash blob, state text, mac blob);
            create table balance (account text, version integer, cents integer);
            create index command_by_name on command (name);
            create index command_of_the_first_form on command (actor, key);
            pragma application_id = %d; pragma user_version = 2;
        """ % APPLICATION_ID)
    connection.executemany("insert into _sqlx_migrations values (?, 1, ?)",
                           [(step, bytes.fromhex(sum_)) for step, sum_ in STEPS[:log.form]])
    connection.executemany("insert into log values (?, ?, ?, ?, ?, ?, ?, ?)", log.rows)
    for command in log.commands or ():
        values = [command.actor, command.key, bytes(32), command.stream, command.first,
                  command.last]
        if second:
            parts = command.parts and command.parts.decode()
            values += [command.number, 1, parts, bytes(32)]
        connection.execute("insert into command values (%s)" % ", ".join("?" * len(values)),
                           values)
    for sha256, canonical in log.books.items():
        connection.execute("insert into book (sha256, canonical) values (?, ?)",
                           (sha256, canonical))
    # The triggers would refuse what happens to the log.
    early = change.startswith(("update log", "delete from log"))
    connection.executescript(change + ";" + TRIGGERS if early else TRIGGERS + change)
    connection.commit()
    connection.close()


# SQL that damages a file, with the exit code that it has to give.
DAMAGES = (
    (0, ""),
    (1, "update log set body = cast(x'22ff22' as text) where stream = 'table 1' and version = 5"),
    (1, "update log set body = cast(body as blob) where stream = 'table 1' and version = 5"),
    (1, "update log set version = 'x' where stream = 'table 1' and version = 5"),
    (1, "update log set hash = hex(hash) where stream = 'table 1' and version = 5"),
    (1, "update log set actor = null where stream = 'table 1' and version = 5"),
    (1, "update log set at = at + 0.5 where stream = 'table 1' and version = 5"),
    (1, "update log set at = -1 where stream = 'table 1' and version = 5"),
    (1, "update log set key = '' where stream = 'table 1' and version = 5"),
    (1, "delete from log where stream = 'table 1' and version = 5"),
    (1, "delete from book"),
    (1, "update book set canonical = canonical || ' '"),
    (1, "update book set sha256 = zeroblob(32)"),
    (1, "update command set last = last + 1 where first = 4"),
    (1, "update command set actor = 'somebody' where first = 4"),
    (1, "update _sqlx_migrations set success = 0"),
    (1, "update _sqlx_migrations set checksum = zeroblob(48)"),
    (1, "delete from _sqlx_migrations where version = (select max(version) from"
        " _sqlx_migrations)"),
    (1, "analyze"),
    (1, "create index more on log (at)"),
    (1, "create table more (it)"),
    (1, "create view more as select 1"),
    (1, "alter table book add column more"),
    (1, "drop table sealed"),
    (1, "drop trigger log_is_never_changed"),
    (1, "drop trigger log_is_never_shortened"),
    (1, "drop trigger log_is_never_replaced"),
    (1, "create trigger more after insert on book begin select 1; end"),
    (1, "pragma application_id = 1"),
    (2, "pragma user_version = 3"),
    (2, "alter table log add column more"),
    (2, "alter table log rename to logs"),
)
SECOND_DAMAGES = (
    (1, "drop table person"),
    (1, "drop index command_by_name"),
    (1, "drop table snapshot"),
    (1, "update command set number = number + 1"),
    (1, "update command set parts = '[]x' where number = 2"),
    (1, "update command set parts = replace(parts, 'hash\":\"', 'hash\":\"0') where number = 2"),
    (1, "pragma user_version = 0"),
    (0, "delete from person"),
)


def _exit_code(path):
    """The exit code for a file, without what would be printed."""
    try:
        return 1 if verify(read_log(str(path))).faults else 0
    except Unreadable:
        return 2


def test_files():
    """Logs as files of both forms and as exports, and damage to them."""
    for form in (1, 2):
        log = sample_log(form)
        with tempfile.TemporaryDirectory() as folder:
            for number, (code, change) in enumerate(
                DAMAGES + (SECOND_DAMAGES if form == 2 else ())
            ):
                path = os.path.join(folder, "%d.sabot" % number)
                write_sqlite(log, path, change)
                found = _exit_code(path)
                if found != code:
                    print("   form %d, %s: %d instead of %d" % (form, change, found, code))
                    return False
            if not _test_exports(log, os.path.join(folder, "export.jsonl")):
                return False
    return True


def export_of(log):
    """A log as `sabot audit log --books` prints it."""
    lines = [compact(dict(row._asdict(), hash=row.hash.hex())) for row in log.rows]
    lines += [compact({"sha256": sha256.hex(), "canonical": canonical})
              for sha256, canonical in log.books.items()]
    return "\n".join(lines) + "\n"


def _test_exports(log, path):
    data = export_of(log)
    first = data.index("\n")
    cases = (
        (0, data), (1, data[first + 1:]), (2, ""), (2, data[:-20]), (2, "{}\n" + data),
        (2, data.replace('"version":1,', '"version":"1",', 1)), (2, "[" + data),
        (2, data.replace('"hash":"', '"hash":"x', 1)), (1, data.replace('"operator"', '"o"', 1)),
        (1, data[:data.rindex('{"sha256"')]), (2, data.replace('"at":', '"at":1.5,"x":', 1)),
    )
    for code, text_ in cases:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text_)
        if _exit_code(path) != code:
            print("   an export: %d instead of %d: %s" % (_exit_code(path), code,
                                                        _shown(text_)))
            return False
    with open(path, "wb") as file:
        file.write(b"\xff" + data.encode())
    return _exit_code(path) == 2


def test_known_hash():
    """The record of docs/LOG.md."""
    row = Row("drill", 1, 1749990400000000, "operator", "drill 1", "answer/1",
              '{"book":"act-2018","topic":"draw","clause":"act-2018 4.6(b)","right":true}', b"")
    return record_hash(ZERO_HASH, row).hex() == (
        "a0f58ec84d218e4afff6e15bb74f3fdd820f60d8c7261ce370be5d3f1221349f"
    )


def test_prices():
    """Prices that docs/LOG.md names, and some that cannot be paid."""
    cases = (
        ("8:1", 500, (4000, 0)), ("19:20", 2000, (1900, 0)), ("1:1 less 5%", 2000, (1900, 100)),
        ("1:1 less 50%", 500, (250, 250)), ("3:2", 500, (750, 0)), ("1:1 less 2.5%", 4000,
                                                                   (3900, 100)),
    )
    for price, stake, (net, commission) in cases:
        if winnings(price, stake) != {"won": {"net": net, "commission": commission}}:
            return False
    for price, stake in (("3:2", 5), ("1:1 less 5%", 10), ("1:0", 100), ("1", 100), (1, 1),
                         ("8:1 ", 1)):
        try:
            winnings(price, stake)
        except Wrong:
            continue
        return False
    return True


def test_rows():
    """Rows of pay tables: conditions, kinds of pairs, and rows that cannot be read."""
    book = Book(sample_book())
    cases = (
        ("winner = \"player\", player = [9]", "9h Kd", "5c 3s", True),
        ("winner = \"tie\", natural = \"both\"", "9h Kd", "4c 5s", True),
        ("natural = \"banker\"", "2h 3d 9c", "4c 5s", False),
        ("natural = \"either\"", "2h 3d", "4c 5s", True),
        ("natural = \"both\"", "2h 3d", "4c 5s", False),
        ("cards = 5, player_cards = 3, banker_cards = [2]", "2h 3d 9c", "4c 2s", True),
        ("margin = [2, 3]", "2h 3d", "4c 4s", True),
        ("sum = [13]", "2h 3d", "4c 4s", True),
        ("pair = \"either\", kind = \"mixed\"", "2h 2c", "4c 4s", True),
        ("pair = \"both\", kind = \"mixed\"", "2h 2c", "4c 4s", False),
        ("pair = \"both\", kind = [\"mixed\", \"black\"]", "2h 2c", "4c 4s", True),
        ("pair = \"player\", kind = [\"red\"]", "2h 2d", "4c 3s", True),
        ("pair = \"player\", kind = [\"red\"]", "2h 2h", "4c 3s", False),
        ("pair = \"player\", kind = [\"coloured\"]", "2h 2d", "4c 3s", True),
        ("pair = \"player\", kind = [\"coloured\"]", "2s 2s", "4c 3s", False),
        ("pair = \"player\", kind = [\"suited\"]", "2s 2s", "4c 3s", True),
        ("pair = \"player\"", "Ts Jd", "4c 3s", False),
        ("pair = \"banker\"", "2s 2d 2c", "3c 4s 4d", False),
    )
    for conditions, player, banker, holds in cases:
        found, outcome, price = read_row(conditions + ', pays = "1:1" [a 1, b (c) [d]]')
        if (outcome, price) != ("pays", "1:1"):
            return False
        if Coup(book, player.split(), banker.split()).holds(found) != holds:
            print("   %s" % conditions)
            return False
    if read_row("lost = true [1]") != ({}, "lost", None) or read_row("kept = true")[1] != "kept":
        return False
    for line in ("", "winner = player, lost = true", 'winner = "tie"', "lost = false [1]",
                 'lost = true, kept = true', 'moon = "full", lost = true [1]', "lost = true x",
                 'winner = "tie", winner = "tie", lost = true', 'lost = true pays = "1:1"'):
        try:
            read_row(line)
        except Wrong:
            continue
        return False
    return True


def test_behind():
    """Records behind the last checkpoint are counted and never said to hold; a log without any
    checkpoint too."""
    for form in (1, 2):
        log = sample_log(form)
        head = verify(log).covered
        head = (head.number, head.hash)
        everything = verify(log, head)
        words = what_was_checked(log, everything, head, None)
        if everything.behind_given != 0 or "Everything holds" not in words[0]:
            return False
        # Without a head the house could have made everything anew; an older one covers less.
        if "verything holds" in " ".join(what_was_checked(log, verify(log), None, None)):
            return False
        row = [row for row in log.rows if row.stream == "checkpoint"][0]
        older = (row.version, row.hash)
        result = verify(log, older)
        words = " ".join(what_was_checked(log, result, older, None))
        if result.behind_given == 0 or "verything holds" in words:
            return False
        cases = [[row for row in log.rows if row.stream != "checkpoint"]]
        last = everything.covered.number
        cases.append([row for row in log.rows
                      if (row.stream, row.version) != ("checkpoint", last)])
        for rows in cases:
            log.rows = rows
            result = verify(log)
            words = " ".join(what_was_checked(log, result, None, None))
            if result.faults or result.behind == 0 or "verything holds" in words:
                return False
            if str(result.behind) not in words:
                return False
    return True


def test_keys():
    """Keys that are given: the house's, a former one, another's; a key that was lost."""
    log = sample_log(2)
    keys = [sign(seed, b"")[0] for seed in (SAMPLE_SEED, OTHER_SEED, bytes(32))]
    found = [bool(verify(log, key=key).faults) for key in keys]
    if found != [False, False, True] or not verify(sample_log(1), key=keys[0]).faults:
        return False
    forger = Forger(log)
    forger.edit(forger.places("key")[-1], lambda value: value.update(former=None))
    forger.rechain((SAMPLE_SEED, OTHER_SEED))
    lost = verify(forger.log)
    words = " ".join(what_was_checked(forger.log, lost, None, None))
    return (
        not lost.faults and "was lost" in words
        and [bool(verify(forger.log, key=key).faults) for key in keys] == [True, False, True]
    )


def test_restored():
    """A log that was restored: the shoe that was open is abandoned, and another is made."""
    maker = Maker(2)
    canonical = sample_book()
    book = hashlib.sha256(canonical.encode()).digest()
    whole_log = sample_log(2)
    cut = [row for row in whole_log.rows if row.stream != "checkpoint"][:40]
    maker.log.books = {book: canonical}
    for row in cut:
        maker.at = row.at
        maker.record(row.stream, row.actor, row.key, row.schema, json.loads(row.body))
    shoe = MadeShoe(1, book)
    for kinds, good in (
        ((("abandoned", "restored"), ("revealed", {"entropy": shoe.entropy.hex()})), True),
        ((("abandoned", "secret-lost"),), True),
        ((("abandoned", "restored"),), False),
        ((("abandoned", "key-changed"),), False),
        ((), False),
    ):
        other = copy.deepcopy(maker)
        head = [{"stream": stream, "version": version, "hash": hash_.hex()}
                for stream, (version, hash_) in sorted(other.last.items())]
        other.command("house", "operator", [("restored/1", {
            "epoch": 1, "known": 90, "found": 30, "heads": head})])
        other.epoch = 1
        if kinds:
            other.table("dealer", None, [], [dict([kind]) for kind in kinds])
        shoe = made_shoe(other, 2, book, "player")
        if (not verify(other.log).faults) != good or shoe.index != 3:
            return False
    return True


def test_barred():
    """Who does not open a word takes no part for a day."""
    for days, good in ((0, False), (2, True)):
        maker = Maker(2)
        canonical = sample_book()
        book = hashlib.sha256(canonical.encode()).digest()
        maker.log.books[book] = canonical
        maker.key(SAMPLE_SEED)
        maker.command(SAMPLE_TABLE, "operator", [
            ("book/1", {"name": "sample", "sha256": book.hex()})])
        maker.table("operator", "operator opens sample", [PLAIN_OPENING])
        first = MadeShoe(1, book)
        tool = shoes()
        opened = [first.words[0][0], None]
        order = tool.words_in_order(first.promises, opened)
        first._order(tool.second_stream(first.entropy, first.commitment, order))
        maker.table("dealer", None, [], [first.committed()])
        maker.table("dealer", None, [], [first.listed()])
        ordered = {"ordered": {"firsts": [opened[0].hex(), None], "root": first.root.hex()}}
        maker.table("dealer", "dealer shuffles", [{"prepared": "shuffled"}], [ordered])
        maker.table("dealer", None, [], [{"abandoned": "left"}, {"revealed": {
            "entropy": first.entropy.hex()}}])
        maker.at += days * BARRED
        second = MadeShoe(2, book)
        maker.table("dealer", None, [], [second.committed()])
        maker.table("dealer", None, [], [second.listed()])
        maker.checkpoint()
        faults = verify(maker.log).faults
        if (not faults) != good or (faults and "within a day" not in faults[0].text):
            return False
    return True


def sample_event():
    """A small tournament with two tables: at the first a shoe is over and another in use."""
    maker = EventMaker()
    canonical = sample_book()
    book = hashlib.sha256(canonical.encode()).digest()
    maker.log.books[book] = canonical
    maker.key(SAMPLE_SEED)
    maker.command(maker.STREAM, "operator", [
        ("book/1", {"name": "sample", "sha256": book.hex()}),
        ("setup/1", {"title": "Sample", "deals": "system", "pace": None, "alone": True})])
    for maker.number in (1, 2):
        maker.table("operator", "opens", [PLAIN_OPENING])
        maker.table("director", "seats", [(
            {"arrived": {"player": 0, "name": "account-1", "seat": 1, "standing": False,
                         "chips": 500000}},
            [("outside", -500000), (stack(0), 500000)])])
        shoe = made_shoe(maker, 1, book, "staff")
        made_coup(maker, shoe, 1, BETS[:1])
        made_coup(maker, shoe, 2, BETS[:1], face_down=True)
        maker.checkpoint()
        if maker.number == 1:
            maker.table("dealer", None, ["shuffle-due"])
            maker.table("dealer", None, [], [{"revealed": {"entropy": shoe.entropy.hex()}}])
            made_coup(maker, made_shoe(maker, 2, book, "player"), 3, BETS[:1])
    maker.checkpoint()
    return maker.log


def _at_table(kind, change):
    """Change what an event has at a table, by its kind."""
    def forge(forger):
        for place in forger.places("tournament"):
            inner = json.loads(forger.log.rows[place].body)["fact"]["at-table"]["event"]["fact"]
            if isinstance(inner, dict) and kind in inner:
                forger.edit(place, lambda value: change(
                    value["fact"]["at-table"]["event"]["fact"][kind]))
                return
        raise LookupError(kind)
    return forge


def _of_event(kind, change, which=0):
    """Change what was published of a shoe of an event."""
    return lambda forger: forger.fact(forger.places("table-shoe", kind)[which], change)


EVENT = (
    ("a commitment was used before", lambda forger: forger.edit(
        forger.places("table-shoe", "committed")[-1], lambda value: value["fact"][
            "committed"].update(commitment=json.loads(forger.log.rows[forger.places(
                "table-shoe", "committed")[0]].body)["fact"]["committed"]["commitment"]))),
    ("a commitment binds another table", _of_event("committed", lambda said, _: said[
        "binds"].update(table="tournament 1 table 2"))),
    ("a commitment binds another number", _of_event("committed", lambda said, _: said[
        "binds"].update(number=2))),
    ("a commitment binds another book", _of_event("committed", lambda said, _: said[
        "binds"].update(book="00" * 32))),
    ("a commitment binds another key", _of_event("committed", lambda said, _: said[
        "binds"].update(key="00" * 32))),
    ("a commitment binds another cut", _of_event("committed", lambda said, _: said[
        "binds"].update(least=9))),
    ("the list comes after the order", lambda forger: _move(
        forger, forger.places("table-shoe", "listed")[0],
        forger.places("table-shoe", "ordered")[0])),
    ("the order is made a second time", lambda forger: _insert_copy(
        forger, forger.places("table-shoe", "ordered")[0])),
    ("the root is another", _of_event("ordered", _set("root", _flip_hex))),
    ("the cut is at another depth", _at_table("cut", lambda said: said.update(
        depth=said["depth"] + 1))),
    ("a card at the table is another", _at_table("dealt", lambda said: said.update(
        card=_other_card(said["card"])))),
    ("a card that was turned is another", _at_table("turned", lambda said: said.update(
        card=_other_card(said["card"])))),
    ("a card left the shoe out of its order", _of_event("dealt", _set("index", 5))),
    ("a card did not leave the shoe", lambda forger: forger.remove(
        forger.places("table-shoe", "dealt")[-1])),
    ("the proof of a card is another", _of_event("dealt", lambda said, _: said["opening"].update(
        salt=_flip_hex(said["opening"]["salt"])))),
    ("the secret is another", _of_event("revealed", _set("entropy", _flip_hex))),
    ("a shoe is never revealed", lambda forger: forger.remove(
        forger.places("table-shoe", "revealed")[0])),
    ("a shoe is revealed while it is in use", lambda forger: _event_in_use(forger)),
    ("a shoe is given up for no reason", lambda forger: forger.edit(
        forger.places("table-shoe", "revealed")[0],
        lambda value: value.update(fact={"abandoned": "left"}))),
)


def _event_in_use(forger):
    """The shoe at the first table is revealed, though no new one is due."""
    for place in forger.places("tournament"):
        event = json.loads(forger.log.rows[place].body)["fact"]["at-table"]["event"]
        if event["fact"] == "shuffle-due":
            forger.edit(place, lambda value: value["fact"]["at-table"]["event"].update(
                fact="bets-opened"))
            return
    raise LookupError("shuffle-due")


def test_event_shoes():
    """The shoes at the tables of a tournament are checked as those of a table, and counted."""
    log = sample_event()
    result = verify(log)
    if result.faults:
        print(result.faults[0])
        return False
    words = " ".join(what_was_checked(log, result, None, None))
    if "tournaments: 3; unwitnessed: 3, abandoned: 0, not revealed: 2." not in words:
        return False
    good = True
    for name, forge in EVENT:
        forger = Forger(log)
        forge(forger)
        forger.rechain((SAMPLE_SEED,))
        if not {"shoe", "cards"} & {fault.check for fault in verify(forger.log).faults}:
            print("FAILED: %s: NOT FOUND" % name)
            good = False
    return good


def test_first_procedure():
    """A house that signs goes on with no shoe of the first procedure."""
    for signed, good in ((False, True), (True, False)):
        maker = Maker(2)
        canonical = sample_book()
        book = hashlib.sha256(canonical.encode()).digest()
        maker.log.books[book] = canonical
        maker.key(SAMPLE_SEED)
        if signed:
            maker.checkpoint()
        maker.command(SAMPLE_TABLE, "operator", [
            ("book/1", {"name": "sample", "sha256": book.hex()})])
        maker.table("operator", "operator opens sample", [PLAIN_OPENING])
        maker.command(SAMPLE_TABLE, "dealer", [
            ("shoe/1", MadeShoe(1, book, False).committed())])
        maker.checkpoint()
        faults = verify(maker.log).faults
        if (not faults) != good or (faults and "first procedure" not in faults[0].text):
            return False
    return True


def test_keyed():
    """Cards that are keyed in come from no shoe; those that the system deals do."""
    for deals, good in (("keyed", True), ("system", False)):
        maker = Maker(2)
        canonical = sample_book()
        book = hashlib.sha256(canonical.encode()).digest()
        maker.log.books[book] = canonical
        maker.key(SAMPLE_SEED)
        maker.command(SAMPLE_TABLE, "operator", [
            ("book/1", {"name": "sample", "sha256": book.hex()}),
            ("setup/1", {"title": "One", "deals": deals, "pace": None, "alone": True})])
        maker.table("operator", "operator opens sample", [PLAIN_OPENING])
        maker.table("dealer", "dealer shuffles", [{"prepared": "shuffled"}])
        maker.table("dealer", "cuts", [{"cut": {"by": {"staff": "supervisor"}, "depth": 20}}])
        maker.table("dealer", "burns", [{"burned": {"shown": "5h", "further": 2}}])
        maker.checkpoint()
        if (not verify(maker.log).faults) != good:
            return False
    return True


def test_names():
    """Whatever a table is called, its commands have the actor who acted, and a key that fits."""
    cases = (
        ("dealer", "t1 3", None, True), ("operator", "t1 3", None, False),
        ("dealer", "t1 4", None, False), ("dealer", "7", None, False),
        ("a-7", "7", None, True), ("a-7", "7", "a-7", True), ("a-7", "t1 3", "a-7", True),
        ("a-7", "7", "a-77", False), ("dealer", "t1 3", "a-7", False),
    )
    for actor, key, who, good in cases:
        maker = Maker(2)
        canonical = sample_book()
        book = hashlib.sha256(canonical.encode()).digest()
        maker.log.books[book] = canonical
        maker.key(SAMPLE_SEED)
        maker.command("t1", "operator", [
            ("book/1", {"name": "sample", "sha256": book.hex()}),
            ("setup/1", {"title": "One", "deals": "keyed", "pace": None, "alone": True})])
        act = {"by": {"role": "dealer"}, "act": "sample", "line": None}
        maker.record("t1", actor, key, "act/1", dict({"who": who}, **act) if who else act)
        maker.checkpoint()
        maker.log.commands = None
        faults = [fault for fault in verify(maker.log).faults if fault.check == "command"]
        if (not faults) != good:
            print("FAILED: %s, %s, %s" % (actor, key, who))
            return False
    return True


def test_bounds():
    """What a commitment binds of the cut is the book's, though the record itself is sound."""
    canonical = sample_book()
    book = hashlib.sha256(canonical.encode()).digest()
    for least, behind, good in ((10, 7, True), (10, 9, True), (9, 7, False), (10, 6, False)):
        maker = Maker(2)
        maker.log.books[book] = canonical
        maker.key(SAMPLE_SEED)
        maker.command(SAMPLE_TABLE, "operator", [
            ("book/1", {"name": "sample", "sha256": book.hex()})])
        maker.table("operator", "operator opens sample", [PLAIN_OPENING])
        shoe = MadeShoe(1, book, least=least, behind=behind)
        maker.table("dealer", None, [], [shoe.committed()])
        maker.checkpoint()
        faults = verify(maker.log).faults
        if (not faults) != good or (faults and "the book says" not in faults[0].text):
            return False
    return True


def test_accounts():
    """Balances follow, and both sides of a transfer are there in one command."""
    for change, good in (
        (None, True), ("balance", False), ("amount", False), ("alone", False), ("key", False),
    ):
        maker = Maker(2)
        canonical = sample_book()
        book = hashlib.sha256(canonical.encode()).digest()
        maker.log.books[book] = canonical
        maker.key(SAMPLE_SEED)
        maker.command(SAMPLE_TABLE, "operator", [
            ("book/1", {"name": "sample", "sha256": book.hex()}),
            ("setup/1", {"title": "One", "deals": "system", "pace": None, "alone": False})])
        maker.table("operator", "operator opens sample", [PLAIN_OPENING])
        maker.record("account a-1", "operator", "opens", "account/1", {"opened": "guest"})
        maker.record("account a-1", "operator", "gives", "account/1", {"moved": {
            "from": "house", "to": "account", "cents": 900,
            "balance": 901 if change == "balance" else 900}})
        maker.record(SAMPLE_TABLE, "a-1", "mine", "act/1", {
            "who": "a-1", "by": {"role": "player"}, "act": "sample", "line": "sits"})
        maker.record(SAMPLE_TABLE, "a-1", "mine", "table/3", {
            "at": maker.at, "clauses": [], "fact": {"arrived": {
                "player": 0, "name": "a-1", "seat": 1, "standing": False, "chips": 500}},
            "postings": [{"account": "outside", "cents": -500},
                         {"account": stack(0), "cents": 500}]})
        if change != "alone":
            cents = 400 if change == "amount" else 500
            key = "other" if change == "key" else "mine"
            maker.record("account a-1", "a-1", key, "account/1", {"moved": {
                "from": "account", "to": {"table": SAMPLE_TABLE}, "cents": cents,
                "balance": 900 - cents}})
        maker.log.commands = None
        faults = verify(maker.log).faults
        if (not faults) != good:
            return False
    return _test_fees()


def _test_fees():
    """A fee goes from the account to the tournament in one command, and a prize back."""
    cup = "tournament cup"
    for change, good in ((None, True), ("amount", False), ("alone", False), ("prize", False)):
        maker = Maker(2)
        canonical = sample_book()
        book = hashlib.sha256(canonical.encode()).digest()
        maker.log.books[book] = canonical
        maker.key(SAMPLE_SEED)
        maker.command(cup, "operator", [
            ("book/1", {"name": "sample", "sha256": book.hex()}),
            ("setup/1", {"title": "Cup", "deals": "system", "pace": None, "alone": False,
                         "ahead_of_utc": 60})])
        maker.record("account a-1", "operator", "opens", "account/1", {"opened": "guest"})
        maker.record("account a-1", "operator", "gives", "account/1", {"moved": {
            "from": "house", "to": "account", "cents": 900, "balance": 900}})
        cents, prize = (400 if change == "amount" else 500), (499 if change == "prize" else 500)
        for key, facts, moved in (
            ("enters", [({"applied": {"entrant": 0, "name": "a-1"}}, 0),
                        ({"entered": {"entrant": 0, "fee": 500}}, 500)],
             {"from": "account", "to": {"tournament": cup}, "cents": cents,
              "balance": 900 - cents}),
            ("awards", [({"prize": {"entrant": 0, "amount": 500}}, -500)],
             {"from": {"tournament": cup}, "to": "account", "cents": prize,
              "balance": 900 - cents + prize}),
        ):
            maker.record(cup, "a-2", key, "tournament-act/1", {
                "who": "a-2", "by": {"role": "director"}, "act": "sample", "line": key})
            for fact, paid in facts:
                maker.record(cup, "a-2", key, "tournament/2", {
                    "at": maker.at, "clauses": [], "fact": fact,
                    "postings": [{"account": "outside", "cents": -paid},
                                 {"account": "pool", "cents": paid}] if paid else []})
            if change != "alone":
                maker.record("account a-1", "a-2", key, "account/1", {"moved": moved})
        maker.log.commands = None
        faults = verify(maker.log).faults
        if (not faults) != good:
            return False
    return True


def self_test(path, key=None):
    """Run the tests of the parts, falsify the sample and, if there is one, a log. With the house's
    key file, what is made anew of it is signed as the house would: the signatures find nothing."""
    tests = (
        ("the record of docs/LOG.md", test_known_hash),
        ("prices", test_prices),
        ("rows of pay tables", test_rows),
        ("records behind the last checkpoint", test_behind),
        ("keys", test_keys),
        ("a log that was restored", test_restored),
        ("words that were not opened", test_barred),
        ("the shoes of a tournament", test_event_shoes),
        ("the first procedure in a signed log", test_first_procedure),
        ("cards that are keyed in", test_keyed),
        ("bounds of the cut", test_bounds),
        ("names of commands", test_names),
        ("accounts", test_accounts),
        ("files of both forms, exports, and damage to them", test_files),
    )
    failed = 0
    for name, test in tests:
        good = test()
        print("%s: %s" % ("ok" if good else "FAILED", name))
        failed += not good
    for form in (1, 2):
        print("A log of form %d that was made by hand:" % form)
        failed += falsify(sample_log(form), (SAMPLE_SEED, OTHER_SEED), may_lack=False)
    if path is not None:
        print("The log %s:" % _shown(path))
        seeds = (hashlib.sha256(b"sabot-sign-1" + key).digest(),) if key else ()
        failed += falsify(read_log(path), seeds, may_lack=True)
    return 1 if failed else 0


# ---------------------------------------------------------------------------------------------
# The command line
# ---------------------------------------------------------------------------------------------

def read_given_head(value):
    """A head as it is written: the number of the checkpoint, a colon, its hash."""
    match = re.fullmatch(r"([0-9]{1,18}):([0-9a-f]{64})", value)
    if match is None or int(match.group(1)) < 1:
        raise argparse.ArgumentTypeError("not NUMBER:HASH")
    return int(match.group(1)), bytes.fromhex(match.group(2))


def read_given_key(value):
    """A public key in hexadecimal."""
    if not re.fullmatch(r"[0-9a-f]{64}", value):
        raise argparse.ArgumentTypeError("not 32 bytes in lower-case hexadecimal")
    return bytes.fromhex(value)


def say(lines):
    """Print lines. A reader who has seen enough (`| head`) is no error."""
    try:
        for line in lines:
            print(line)
        sys.stdout.flush()
    except BrokenPipeError:
        # Nothing is left that the end of the program would flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(arguments=None):
    """The command line; the exit code."""
    parser = argparse.ArgumentParser(
        description="Verify a log of Sabot, as docs/LOG.md describes it.",
        epilog="Exit codes: 0 what a head covers holds, 1 something does not hold, 2 the file"
        " cannot be read as a log.",
        allow_abbrev=False,
    )
    parser.add_argument("log", metavar="LOG", nargs="?", help="a .sabot file, or an export")
    parser.add_argument("--head", metavar="NUMBER:HASH", type=read_given_head,
                        help="a head that was kept outside the log")
    parser.add_argument("--key", metavar="PUBLIC", type=read_given_key,
                        help="the house's public key")
    parser.add_argument("--self-test", action="store_true",
                        help="check this program; with a log, falsify it in memory")
    parser.add_argument("--key-file", metavar="FILE", type=argparse.FileType("rb"),
                        help=argparse.SUPPRESS)
    parser.add_argument("--events", metavar="FILE", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.events:
        return main_events(options.events)
    if options.log is None and not options.self_test:
        parser.error("name a log, or use --self-test")
    try:
        shoes()
        if options.self_test:
            return self_test(options.log, options.key_file and options.key_file.read())
        log = read_log(options.log)
    except Unreadable as error:
        print("not a log: %s" % error, file=sys.stderr)
        return 2
    result = verify(log, options.head, options.key)
    if result.faults:
        say("does not hold: " + str(fault) for fault in result.faults)
        return 1
    say(what_was_checked(log, result, options.head, options.key))
    return 0


if __name__ == "__main__":
    sys.exit(main())
