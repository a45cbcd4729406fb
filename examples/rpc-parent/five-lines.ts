// The least that a program needs to have a child and ask it something.
import { startRpc } from "turnhouse/rpc"

const child = await startRpc()
const turn = child.prompt("What is in this folder?")
for await (const event of turn) if (event.type === "text_delta") process.stdout.write(event.delta)
console.log(`\n${(await turn.done()).kind}`)
await child.close()
