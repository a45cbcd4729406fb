// The hook that every git command gets which runs under a lock. Before refs move, here or by a push elsewhere, it looks
// whether the hold lasts, and says why it does not. All hooks of the repository itself run as ever: this one stands in
// their place and calls them. A hold that is gone is gone for good, so the answer cannot be yes again later; between the
// look and the move git keeps the refs of its own repository locked itself.

/** Those that run in a repository that is worked in. Those of the receiving side are found without us: git does not pass
 *  its configuration on to another repository. */
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
    [ -e "$here/../held/$number" ] && continue
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
