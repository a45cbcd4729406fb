#!/bin/sh
# A guided first turn: what `npm start` shows.
cd "$(dirname "$0")/.." || exit 1
say() { printf '\n\033[1m%s\033[0m\n' "$1"; }
[ -t 1 ] || say() { printf '\n%s\n' "$1"; }

say "1. A turn with a tool: turnhouse run \"look around this folder\""
bin/turnhouse run "look around this folder" </dev/null || exit $?

say "2. The session goes on: turnhouse run --continue \"read package.json and tell me the name\""
bin/turnhouse run --continue "read package.json and tell me the name" </dev/null || exit $?

say "3. What can change things asks first: turnhouse run --continue 'run \`node --version\`'"
bin/turnhouse run --continue 'run `node --version`'
[ -t 0 ] || echo "(There is no terminal to ask on, so it was refused: exit code 3. --yes would allow it.)"

say "4. Everything is in the log: turnhouse ls"
bin/turnhouse ls

cat <<'TEXT'

Next:
  bin/turnhouse run "…"            your own first prompt; bin/turnhouse --help for the rest
  bin/turnhouse log ID             every fact of a session
  export ANTHROPIC_API_KEY=…       a real model instead of the offline one
TEXT
