// The shortest client: sends one message and prints the answer.
import { connect } from "turnhouse/client"

const session = await connect("ws://127.0.0.1:8787/ws", { agentId: "shop" })
const turn = session.send("When are you open?")
for await (const event of turn) if (event.type === "token") process.stdout.write(event.text)
console.log(`\n${(await turn.result).messageId}`)
await session.close()
