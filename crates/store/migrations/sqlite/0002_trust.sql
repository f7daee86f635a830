-- What the house knows its own commands by. They stand in the order in which they were carried out,
-- so that those of a moment are written together; a short name finds one of them.
alter table command rename to former_command;
create table command (
    number integer primary key,   -- 1, 2, 3 and so on; below zero for those of the first form
    name integer not null,        -- from the hash of actor and key; 0 for those of the first form
    actor text not null,
    key text not null,
    payload blob not null check (length(payload) = 32), -- the hash of what was asked
    stream text not null,
    first integer not null,
    last integer not null,
    parts text not null,          -- JSON: every stream, its last version and hash
    mac blob not null
) strict;
insert into command
select -row_number() over (order by actor, key), 0, actor, key, payload, stream, first, last, '', x''
from former_command;
drop table former_command;
create index command_by_name on command (name) where name != 0;
create index command_of_the_first_form on command (actor, key) where number < 0;

-- The files of a book: Sabot goes on under the same edition when its own has changed.
alter table book add column files text;              -- JSON

-- The names of people. The chain has accounts only; a name can be erased.
create table person (
    account text primary key,
    name text not null
) strict, without rowid;

-- The state of a table after a record. Nothing rests on it, and it can be thrown away.
create table snapshot (
    stream text primary key,
    version integer not null,
    hash blob not null check (length(hash) = 32),
    state text not null,      -- JSON
    mac blob not null
) strict, without rowid;

-- What every account holds. It is made from the accounts' own records, can be thrown away, and is
-- compared with them whenever an account is used.
create table balance (
    account text primary key,
    version integer not null,
    cents integer not null
) strict, without rowid;

-- Whose file this is, and which form it has.
pragma application_id = 1396785743; -- SABO
pragma user_version = 2;
