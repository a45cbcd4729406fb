// Publishes messages to NATS, each with the time when it was published: COUNT at once, TOKENS times, one every MS.
// Run: node publisher-process.ts URL COUNT TOKENS MS BYTES. It ends with its parent.
import { connect } from "@nats-io/transport-node"
import { clockMs, pause } from "../doors/clock.ts"

const [url = "", ...numbers] = process.argv.slice(2)
const [count = 0, tokens = 0, everyMs = 0, bytes = 0] = numbers.map(Number)
process.stdin.resume().on("end", () => process.exit())
const connection = await connect({ servers: url })
await Promise.all(Array.from({ length: count }, (_, index) => stream((index * everyMs) / count)))
await connection.flush()

async function stream(afterMs: number): Promise<void> {
  const begun = clockMs() + afterMs
  for (let n = 0; n < tokens; n++) {
    await pause(Math.max(0, begun + n * everyMs - clockMs()))
    connection.publish("bench", clockMs().toFixed(3).padStart(bytes))
  }
}
