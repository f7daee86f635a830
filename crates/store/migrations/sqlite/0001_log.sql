-- The log: streams of records, append only.
create table log (
    stream text not null,
    version integer not null check (version > 0),
    at integer not null,          -- microseconds UTC
    actor text not null,
    key text not null,            -- the command that it came from
    schema text not null,         -- how to read the body, such as table/1
    body text not null,           -- JSON
    hash blob not null check (length(hash) = 32), -- of this record and the one before it
    primary key (stream, version)
) strict, without rowid;

-- One row for each command that was carried out, so that it is carried out once.
create table command (
    actor text not null,
    key text not null,
    payload blob not null check (length(payload) = 32), -- the hash of what was asked
    stream text not null,
    first integer not null,
    last integer not null,
    primary key (actor, key)
) strict, without rowid;

-- The rulebooks that tables were opened with, by the hash of their canonical text.
create table book (
    sha256 blob primary key check (length(sha256) = 32),
    canonical text not null
) strict, without rowid;

-- Secrets under lock and key; what opens them is not in this file.
create table sealed (
    name text primary key,
    box blob not null
) strict, without rowid;

-- Nothing that was recorded is changed or taken away.
create trigger log_is_never_changed before update on log
begin select raise(abort, 'the log is append only'); end;
create trigger log_is_never_replaced before insert on log
when exists (select 1 from log where stream = new.stream and version = new.version)
begin select raise(abort, 'the log is append only'); end;
create trigger log_is_never_shortened before delete on log
begin select raise(abort, 'the log is append only'); end;
