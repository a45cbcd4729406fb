// The git hook of commands that run under a lock. Before refs move, here or by a push, it checks that the hold lasts, and
// refuses with a reason otherwise. It replaces the repository's own hooks and calls them. A lost hold never becomes valid
// again, and between the check and the move git keeps the refs of its own repository locked.

/** Hooks of a working repository. Hooks of the receiving side are not affected: git does not pass its configuration to
 *  another repository. */
export const hookNames: readonly string[] = [
  "applypatch-msg",
  "commit-msg",
  "p4-changelist",
  "p4-post-changelist",
  "p4-pre-submit",
  "p4-prepare-changelist",
  "post-applypatch",
  "post-checkout",
  "post-commit",
  "post-index-change",
  "post-merge",
  "post-rewrite",
  "pre-applypatch",
  "pre-auto-gc",
  "pre-commit",
  "pre-merge-commit",
  "pre-push",
  "pre-rebase",
  "prepare-commit-msg",
  "reference-transaction",
  "sendemail-validate",
]

export const fenceHook = `#!/bin/sh
name=\${0##*/}
here=\${0%/*}
if [ "$name $1" = "reference-transaction prepared" ] || [ "$name" = pre-push ]; then
  for number in $TURNHOUSE_FENCE; do
    held=$here/../held/$number until= now=
    if [ -e "$held" ]; then
      read -r until 2>/dev/null <"$held"
      [ -z "$until" ] && continue
      read -r now rest 2>/dev/null </proc/uptime
      [ "\${now%.*}" -lt "$until" ] 2>/dev/null && continue
    fi
    echo "turnhouse: the lock under which this command was started (number \${number##*-}) is not held any more:" >&2
    echo "turnhouse: its holder did not answer in time, and another process may have worked here since. No ref was moved." >&2
    echo "turnhouse: files, index and objects are as they were left. Look at the state of the repository, then try again." >&2
    exit 1
  done
fi
# Where the hooks would be without the last setting, which is ours, unless the command has added some of its own.
own=$(GIT_CONFIG_COUNT=$((GIT_CONFIG_COUNT - 1)) git rev-parse --git-path hooks 2>/dev/null)
if [ -z "$own" ] || [ "$own" = "$here" ]; then
  own=
  set -f
  IFS='
'
  for path in $(git config --type=path --get-all core.hooksPath); do
    [ "$path" = "$here" ] || own=$path
  done
  [ -n "$own" ] || own=$(git rev-parse --git-common-dir)/hooks
fi
[ -x "$own/$name" ] || exit 0
exec "$own/$name" "$@"
`
