// A chat for the terminal: streams text and tools. Ctrl-C stops the answer, not the chat. A child that dies is restarted
// with its session.
//
//   node examples/rpc-parent/chat.ts [--continue ID] [--model M]
import { createInterface } from "node:readline"
import { parseArgs } from "node:util"
import { RpcChildEnded, startRpc, type RpcParent, type TurnEnd, type TurnEvent } from "turnhouse/rpc"

const { values } = parseArgs({ options: { continue: { type: "string" }, model: { type: "string" } } })
const child = await startRpc({
  ...values,
  restart: {
    attempts: 3,
    onRestart: ({ code, signal }) => console.error(`\nthe child ended (${signal ?? code}); restarting`),
  },
})
const terminal = createInterface({ input: process.stdin, output: process.stdout })
console.error(`session ${child.sessionId}, model ${child.model}; an empty line ends it`)

let stop = new AbortController()
terminal.on("SIGINT", () => stop.abort())
process.stdout.write("> ")
for await (const line of terminal) {
  if (line === "") break
  stop = new AbortController()
  await answer(child, line, stop.signal)
  process.stdout.write("> ")
}
terminal.close()
await child.close()

async function answer(parent: RpcParent, question: string, signal: AbortSignal): Promise<void> {
  try {
    const turn = parent.prompt(question, { signal })
    for await (const event of turn) show(event)
    console.log(describe(await turn.done()))
  } catch (fault) {
    if (!(fault instanceof RpcChildEnded)) throw fault
    console.error(`\n${fault.message}`) // the next question goes to the next child
  }
}

function show(event: TurnEvent): void {
  if (event.type === "text_delta") process.stdout.write(event.delta)
  if (event.type === "toolcall_start") process.stdout.write(`\n[${event.tool_name}] `)
  if (event.type === "subagent_start") process.stdout.write(`\n[${event.agent_name}: ${event.task_preview}] `)
}

function describe(end: TurnEnd): string {
  switch (end.kind) {
    case "completed":
      return `\n(${end.usage.input_tokens} tokens in, ${end.usage.output_tokens} out)`
    case "cancelled":
      return "\n(stopped)"
    case "failed":
    case "refused":
      return `\n(${end.kind}: ${end.reason})`
  }
}
