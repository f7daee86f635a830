#!/bin/sh
# Sees to it that Rust is there, new enough, with a linker. `make run` and `make test` call it with
# the version that Cargo.toml names. What is missing is installed from the distribution's packages;
# where they do not have it, the one command that does is said.
set -eu

wanted=$1
by_hand="curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh"

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# Installs one of the system's packages; fails where there is none of that name.
package() {
    if command -v apt-get >/dev/null; then
        as_root apt-get update -q && as_root apt-get install -q -y "$1"
    elif command -v dnf >/dev/null; then
        as_root dnf install -y "$1"
    elif command -v pacman >/dev/null; then
        as_root pacman -S --needed --noconfirm "$1"
    elif command -v brew >/dev/null; then
        brew install "$1"
    else
        return 1
    fi
}

# Whether the first version is the second or newer.
reaches() {
    printf '%s\n%s\n' "$2" "$1" | sort -t. -k1,1n -k2,2n -k3,3n -C
}

if ! command -v cargo >/dev/null && ! command -v rustup >/dev/null; then
    echo "cargo is missing: installing the package rustup"
    if ! package rustup; then
        echo "your system's packages have no rustup; this installs Rust, then come back:"
        echo "  $by_hand"
        exit 1
    fi
fi

found=$(cargo --version 2>/dev/null | cut -d' ' -f2 | cut -d- -f1)
if [ -z "$found" ] || ! reaches "$found" "$wanted"; then
    if ! command -v rustup >/dev/null; then
        echo "cargo is $found, and Sabot needs Rust $wanted or newer; this installs it:"
        echo "  $by_hand"
        exit 1
    fi
    echo "installing the newest stable Rust (found: ${found:-none}, needed: $wanted or newer)"
    rustup toolchain install stable --profile minimal --component rustfmt --component clippy
    rustup default stable
fi

if ! command -v cc >/dev/null; then
    echo "installing gcc, whose linker Rust uses"
    package gcc || { echo "a C compiler is missing; install gcc or clang"; exit 1; }
    # Debian has the C library's files in a package of their own.
    if command -v apt-get >/dev/null; then package libc6-dev; fi
fi
