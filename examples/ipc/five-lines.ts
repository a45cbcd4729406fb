// The least that a program needs to see an agent and say something to it: its socket is the first argument.
import { Viewer } from "turnhouse/ipc"

await using viewer = await Viewer.attach(process.argv[2] ?? "")
const turn = viewer.say("What is in this folder?")
for await (const piece of turn) process.stdout.write(piece)
console.log(`\n${(await turn.done()).kind}, ${turn.calls.length} calls`)
