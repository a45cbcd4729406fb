// The shortest parent: starts a child, sends one prompt and prints the answer.
import { startRpc } from "turnhouse/rpc"

const child = await startRpc()
const turn = child.prompt("What is in this folder?")
for await (const event of turn) if (event.type === "text_delta") process.stdout.write(event.delta)
console.log(`\n${(await turn.done()).kind}`)
await child.close()
