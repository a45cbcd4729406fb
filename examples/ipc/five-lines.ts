// The shortest viewer: attaches to the socket in its first argument and sends one message.
import { Viewer } from "turnhouse/ipc"

await using viewer = await Viewer.attach(process.argv[2] ?? "")
const turn = viewer.say("What is in this folder?")
for await (const piece of turn) process.stdout.write(piece)
console.log(`\n${(await turn.done()).kind}, ${turn.calls.length} calls`)
