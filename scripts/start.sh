#!/bin/sh
# What `npm start` does: serves visitors, with your own configuration if there is one, else a small shop to try it on.
cd "$(dirname "$0")/.." || exit 1
home=${TURNHOUSE_HOME:-$HOME/.turnhouse}
if [ -f "$home/config.json" ]; then
  set -- "$@"
  agent="AN AGENT OF YOUR CONFIGURATION" words=help
else
  set -- --config examples/shop/turnhouse.json "$@"
  agent=shop words="refund order 1002"
fi
port=8787 before=
for word in "$@"; do
  case $before in --port) port=$word ;; esac
  case $word in --port=*) port=${word#--port=} ;; esac
  before=$word
done
cat <<TEXT
Once the server prints its address, connect with a WebSocket client and send these lines:
  npx -y wscat -c ws://127.0.0.1:$port/ws
  {"action":"create_conversation_session","requestId":"1","agentId":"$agent"}
  {"action":"send_message","requestId":"2","sessionId":"THE sessionId FROM THE ANSWER","message":"$words"}
Ctrl-C stops the server after running turns have ended. README.md, "Behind a chat page", shows a whole conversation.

TEXT
exec bin/turnhouse serve "$@"
