// A chat for the terminal: streams text and tools, confirms with y or n. Ctrl-C stops the answer, not the chat. Lost
// connections are resumed.
//
//   node examples/client/chat.ts [--url ws://127.0.0.1:8787/ws] [--agent shop] [--conversation ID]
import { createInterface } from "node:readline"
import { parseArgs } from "node:util"
import { connect, TurnFault, type Turn, type TurnEvent } from "turnhouse/client"

const { values } = parseArgs({
  options: {
    url: { type: "string", default: "ws://127.0.0.1:8787/ws" },
    agent: { type: "string", default: "shop" },
    conversation: { type: "string" },
  },
})
const session = await connect(values.url, { agentId: values.agent, conversationId: values.conversation })
session.on("state", (state) => {
  if (state.kind === "reconnecting") console.error(`\n(connection lost; attempt ${state.attempt})`)
})
console.error(`${session.agentName}, conversation ${session.conversationId}; an empty line ends it`)

const terminal = createInterface({ input: process.stdin, output: process.stdout })
terminal.on("SIGINT", () => void session.turn?.cancel())
const lines = terminal[Symbol.asyncIterator]()
if (session.turn !== undefined) await show(session.turn) // a turn that was running before we connected
for (let line = await ask("> "); line !== ""; line = await ask("> ")) await show(session.send(line))
terminal.close()
await session.close()

async function ask(question: string): Promise<string> {
  process.stdout.write(question)
  const { value, done } = await lines.next()
  return done === true ? "" : value
}

async function show(turn: Turn): Promise<void> {
  try {
    for await (const event of turn) await showEvent(turn, event)
    const { suggestions } = await turn.result
    console.log(suggestions.length === 0 ? "" : `\n(${suggestions.join(" · ")})`)
  } catch (fault) {
    if (!(fault instanceof TurnFault)) throw fault
    console.log(`\n(${fault.message})`)
  }
}

async function showEvent(turn: Turn, event: TurnEvent): Promise<void> {
  switch (event.type) {
    case "token":
      process.stdout.write(event.text)
      return
    case "corrected":
      process.stdout.write(`\n(again) ${event.text}`)
      return
    case "tool-call":
      process.stdout.write(`[${event.tool}] `)
      return
    case "confirmation":
      await turn.confirm((await ask(`\n${event.description} [y/n] `)) === "y", { card: event })
      return
    default: // reasoning, tool results and other cards are left to richer clients
  }
}
