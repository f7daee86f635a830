#!/usr/bin/env python3
"""Adds a variant to the enums of the core, and sees that the compiler asks for it everywhere.

A new act or fact must be decided, folded, said, told and stored. Each of these is a match without
a catch-all arm, so that the compiler names every place that has yet to speak of a new variant.
This script proves it: in a copy of the tree under `target/variants` it adds a variant to one enum
at a time, lets the compiler complain, and fails if one of the places below compiles. So that the
crates further on are looked at too, it answers each complaint with the arm that rustc suggests.

    tools/variants.py [ENUM ...]        such as table::Fact
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "variants"
TREE = WORK / "tree"

# For every enum: where it is, and where the compiler must ask for a new variant of it.
ENUMS = {
    "table::Act": ("crates/table/src/command.rs", {
        "who may do it": "crates/table/src/by.rs",
        "deciding": "crates/table/src/decide.rs",
        "deciding in a tournament": "crates/tournament/src/decide/play.rs",
        "saying": "crates/transcript/src/say.rs",
    }),
    "table::Fact": ("crates/table/src/event.rs", {
        "folding": "crates/table/src/evolve.rs",
        "folding in a tournament": "crates/tournament/src/evolve/sitting.rs",
        "telling": "crates/transcript/src/tell.rs",
        "storing": "crates/store/tests/golden/kinds.rs",
    }),
    "table::Code": ("crates/table/src/refusal.rs", {
        "its word and meaning": "crates/table/src/refusal.rs",
    }),
    "tournament::Act": ("crates/tournament/src/command.rs", {
        "who may do it": "crates/tournament/src/by.rs",
        "deciding": "crates/tournament/src/decide.rs",
        "saying": "crates/transcript/src/tournament/say.rs",
    }),
    "tournament::Fact": ("crates/tournament/src/event.rs", {
        "what must hold": "crates/tournament/src/broken.rs",
        "folding": "crates/tournament/src/evolve.rs",
        "telling": "crates/transcript/src/tournament/tell.rs",
        "storing": "crates/store/tests/golden/kinds.rs",
    }),
}


def copy_tree():
    """The files that git knows or would know, as they are now."""
    shutil.rmtree(TREE, ignore_errors=True)
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout
    for name in filter(None, listed.split("\0")):
        source, target = ROOT / name, TREE / name
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)


def add_variant(file, enum):
    """Adds a variant `Novel` in front of the others."""
    path = TREE / file
    text = path.read_text()
    if enum == "Code":
        # A code is a line of a macro: its name, its word, what it means.
        changed = re.sub(r"\ncodes! \{\n", "\ncodes! {\n    Novel,\n", text)
    else:
        changed = re.sub(rf"(pub enum {enum} \{{\n)", r"\1    /// New.\n    Novel,\n", text)
    assert changed != text, f"{file} has no {enum}"
    path.write_text(changed)


def complaints():
    """What the compiler says of the tree: the errors, crate after crate as far as it comes."""
    command = ["cargo", "check", "--keep-going", "--message-format", "json", "--quiet",
               "--package", "transcript", "--package", "store", "--tests"]
    env = {**os.environ, "CARGO_TARGET_DIR": str(WORK / "build")}
    run = subprocess.run(command, cwd=TREE, env=env, capture_output=True, text=True)
    messages = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    said = [m["message"] for m in messages if m.get("reason") == "compiler-message"]
    errors = [m for m in said if m["level"] == "error" and m["spans"]]
    if run.returncode != 0 and not errors:
        sys.exit("".join(m["rendered"] for m in said) + run.stderr)
    return errors


def place(error):
    span = next((s for s in error["spans"] if s["is_primary"]), error["spans"][0])
    return span["file_name"]


def answers(errors):
    """The arms that rustc suggests, as edits: file, byte, what to put there."""
    edits = set()
    for error in errors:
        for child in error["children"]:
            for span in child["spans"]:
                arm = span.get("suggested_replacement") or ""
                # The pattern is not always one that can be written there.
                arm = re.sub(r"[^\s,{][^=]*=> todo!\(\)", "_ => todo!()", arm)
                if arm:
                    edits.add((span["file_name"], span["byte_start"], span["byte_end"], arm))
    return edits


def answer(edits):
    """Puts the arms in, the last of a file first."""
    for file, start, end, new in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
        path = TREE / file
        text = path.read_bytes()
        path.write_bytes(text[:start] + new.encode() + text[end:])


def asked(file, enum):
    """The files in which the compiler asks for a new variant."""
    copy_tree()
    add_variant(file, enum)
    found = set()
    for _ in range(12):
        errors = complaints()
        found |= {place(error) for error in errors}
        edits = answers(error for error in errors if (error["code"] or {}).get("code") == "E0004")
        if not edits:
            break
        answer(edits)
    return found


def main():
    wanted = sys.argv[1:] or list(ENUMS)
    missing = []
    for name in wanted:
        file, places = ENUMS[name]
        found = asked(file, name.rsplit("::", 1)[1])
        print(f"{name}: a new variant is asked for in {len(found)} files")
        for what, where in places.items():
            print(f"  {'error' if where in found else 'NONE ':5}  {what}: {where}")
            if where not in found:
                missing.append(f"{name}: {what} ({where})")
        for other in sorted(found - set(places.values())):
            print(f"  error  {other}")
    if missing:
        sys.exit("a new variant compiles unnoticed:\n  " + "\n  ".join(missing))


if __name__ == "__main__":
    main()
