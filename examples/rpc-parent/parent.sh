#!/bin/sh
# A parent in shell: sends one question and prints the answer. Default COMMAND: turnhouse rpc
# usage: parent.sh QUESTION [COMMAND...]
set -eu
question=$(printf '%s' "$1" | sed 's/\\/\\\\/g; s/"/\\"/g')
shift
[ $# -gt 0 ] || set -- turnhouse rpc

pipes=$(mktemp -d)
trap 'rm -rf "$pipes"' EXIT
mkfifo "$pipes/in" "$pipes/out"
"$@" <"$pipes/in" >"$pipes/out" &
child=$!
exec 3>"$pipes/in" 4<"$pipes/out"

# Prints the delta of a frame, with the escapes that printf knows.
delta() {
  printf '%b' "$(printf '%s' "$1" | sed 's/.*"delta":"\(.*\)"}}$/\1/; s/\\"/"/g')"
}

failed=0
while IFS= read -r frame <&4; do
  case $frame in
    *'"type":"ready"'*'"protocol_version":1'*)
      printf '{"type":"prompt","id":"q","message":"%s"}\n' "$question" >&3 ;;
    *'"type":"ready"'*)
      echo "this child speaks another version" >&2
      failed=1
      break ;;
    *'"type":"message_update"'*'"type":"text_delta"'*)
      delta "$frame" ;;
    *'"type":"error"'*)
      printf '%s\n' "$frame" >&2
      failed=1 ;;
    *'"type":"response"'*'"id":"q"'*)
      echo
      break ;;
  esac
done
echo '{"type":"shutdown"}' >&3
exec 3>&-
cat <&4 >/dev/null
wait "$child"
exit "$failed"
