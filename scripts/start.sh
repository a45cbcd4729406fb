#!/bin/sh
# `npm start`: runs the server with your configuration if it has agents, else with a small demo shop, and prints an address
# that signs your browser in. Requests are not logged, so that the address stays in sight.
cd "$(dirname "$0")/.." || exit 1
home=${TURNHOUSE_HOME:-$HOME/.turnhouse}
if ! grep -q '"agents"' "$home/config.json" 2>/dev/null; then
  set -- --config examples/shop/turnhouse.json "$@"
fi
cat <<TEXT
Open the address below in a browser: it signs you in, once, within 5 minutes. "bin/turnhouse link" prints another one.
Ctrl-C stops the server after running turns have ended. For an agent in your terminal: bin/turnhouse

TEXT
exec bin/turnhouse serve --link --quiet "$@"
