#!/bin/sh
# Installs or removes the program, its manual and its completions: install.sh install|uninstall
# PROGRAM PREFIX DESTDIR. Root's folders are written with sudo.
set -eu

what=$1 program=$2 prefix=$3 root=${4:-}
bin=$root$prefix/bin
man=$root$prefix/share/man/man1
bash=$root$prefix/share/bash-completion/completions
zsh=$root$prefix/share/zsh/site-functions
fish=$root$prefix/share/fish/vendor_completions.d

# The nearest folder that there is already tells whose it is.
nearest=$root$prefix
while [ ! -e "$nearest" ]; do nearest=$(dirname "$nearest"); done
sudo=
if [ ! -w "$nearest" ] && [ "$(id -u)" != 0 ]; then sudo=sudo; fi

if [ "$what" = uninstall ]; then
    $sudo rm -f "$bin/sabot" "$man/sabot.1" "$man"/sabot-*.1
    $sudo rm -f "$bash/sabot" "$zsh/_sabot" "$fish/sabot.fish"
    echo "removed sabot from $root$prefix; sessions are kept where they were"
    exit 0
fi

made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
"$program" man "$made/man" >/dev/null
for shell in bash zsh fish; do "$program" completions "$shell" >"$made/$shell"; done
$sudo install -d "$bin" "$man" "$bash" "$zsh" "$fish"
$sudo install -m 755 "$program" "$bin/sabot"
$sudo install -m 644 "$made"/man/*.1 "$man"
$sudo install -m 644 "$made/bash" "$bash/sabot"
$sudo install -m 644 "$made/zsh" "$zsh/_sabot"
$sudo install -m 644 "$made/fish" "$fish/sabot.fish"
echo "installed $bin/sabot, its manual (man sabot) and completions for bash, zsh and fish"
