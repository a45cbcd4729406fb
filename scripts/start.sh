#!/bin/sh
# `npm start`: runs the server with your configuration if it has agents, else with a small demo shop.
cd "$(dirname "$0")/.." || exit 1
home=${TURNHOUSE_HOME:-$HOME/.turnhouse}
if grep -q '"agents"' "$home/config.json" 2>/dev/null; then
  set -- "$@"
  agent="AN AGENT OF YOUR CONFIGURATION" message=help
else
  set -- --config examples/shop/turnhouse.json "$@"
  agent=shop message="refund order 1002"
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
  {"action":"send_message","requestId":"2","sessionId":"THE sessionId OF THE RESPONSE","message":"$message"}
Ctrl-C stops the server after running turns have ended. README.md, "Behind a chat page", shows a whole conversation.
For an agent in your terminal: bin/turnhouse setup, then bin/turnhouse run "what is in this folder?"

TEXT
exec bin/turnhouse serve "$@"
