#!/bin/sh
# Turnhouse @RELEASE@ for @PLATFORM@ in one file: this script, then a compressed archive of the program and its Node.
# The first start unpacks the archive into a cache folder; later ones run what is there, within a millisecond.
set -u
id='@ID@'
fail() {
  echo "turnhouse: $1" >&2
  exit 1
}
if [ -n "${TURNHOUSE_CACHE:-}" ]; then
  cache=$TURNHOUSE_CACHE
elif [ -n "${XDG_CACHE_HOME:-}" ]; then
  cache=$XDG_CACHE_HOME/turnhouse
elif [ -n "${HOME:-}" ]; then
  cache=$HOME/.cache/turnhouse
else
  fail "there is no folder to unpack the program into: HOME is not set. Set TURNHOUSE_CACHE to a folder of your own."
fi
program=$cache/$id
isWhole() { [ -x "$program/bin/turnhouse" ] && [ -x "$program/node_modules/.bin/node" ] && isStored; }
# A power cut may empty files that were not on the disk yet: until then the program is good for this boot only.
isStored() {
  [ -e "$program/stored" ] && return
  read -r boot </proc/sys/kernel/random/boot_id && read -r unpacked <"$program/complete" && [ "$boot" = "$unpacked" ]
} 2>/dev/null
# Another user who owns the folder could put a program into it.
[ -O "$cache" ] && [ -O "$program/complete" ] && isWhole && exec "$program/bin/turnhouse" "$@"

machine=$(uname -s)-$(uname -m)
[ "$machine" = '@MACHINE@' ] ||
  fail "this file is for @PLATFORM@, and this machine is $machine. Install the npm package instead."
bytes=$(wc -c <"$0")
[ "$bytes" -eq @BYTES@ ] ||
  fail "$0 is incomplete: it has $bytes bytes instead of @BYTES@. Download it again."
for needed in tar gzip tail; do
  command -v "$needed" >/dev/null || fail "'$needed' is missing; it is needed to unpack the program. Install it."
done
isWhole || rm -f "$program/complete" # something deleted a part of it, or the machine was restarted too early
umask 077
mkdir -p "$cache" 2>/dev/null
[ -O "$cache" ] && [ -w "$cache" ] ||
  fail "the cache folder $cache cannot be written or belongs to another user. Set TURNHOUSE_CACHE to a folder of your own."
new=$cache/.new-$id-$$
trap 'rm -rf "$new" "$new.damaged"' EXIT
trap 'exit 1' HUP INT TERM
[ -t 2 ] && echo "turnhouse: unpacking @RELEASE@ into $cache; this happens once." >&2
mkdir "$new" 2>/dev/null && tail -c +@OFFSET@ "$0" | tar -xzf - -C "$new" 2>/dev/null ||
  fail "the program cannot be unpacked into $cache (it needs @MEGABYTES@ MB). Free some space, or set TURNHOUSE_CACHE to another folder."
# Node moves it into place, because its rename never moves a folder into another one. That also tests it.
"$new/node_modules/.bin/node" -e '
  const fs = require("node:fs")
  const [from, to] = process.argv.slice(1)
  const isComplete = () => fs.existsSync(to + "/complete")
  // copyFile would copy nothing: files in /proc have size 0.
  fs.writeFileSync(from + "/complete", fs.readFileSync("/proc/sys/kernel/random/boot_id"))
  const move = () => {
    try {
      fs.renameSync(from, to)
    } catch (error) {
      if (!isComplete()) throw error // else another process was faster
    }
  }
  try {
    move()
  } catch {
    // A damaged program is in the way. It is moved aside, not deleted in place: another process may start from there.
    fs.renameSync(to, from + ".damaged")
    move()
    fs.rmSync(from + ".damaged", { recursive: true, force: true })
  }
' "$new" "$program" 2>/dev/null ||
  fail "the Node binary of this file does not run here; it needs glibc 2.28 or newer. Install the npm package with a Node of this system."
rm -rf "$new"
trap - EXIT HUP INT TERM
((sync -f "$program" && : >"$program/stored") </dev/null >/dev/null 2>&1 &) # does not wait for a slow disk
exec "$program/bin/turnhouse" "$@"
