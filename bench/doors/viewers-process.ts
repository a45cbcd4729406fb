// Many viewers of one session in a process of their own. Reads one line with what to watch; prints a line when all viewers are
// connected, and when the turn has ended for each of them the 99th percentile of the delays and the share of tokens that did not arrive
// as deltas.
import { createInterface } from "node:readline"
import { quantile } from "../quantile.ts"
import { clockMs } from "./clock.ts"
import { connected, handshake } from "./contender.ts"

export interface WatchedSession {
  readonly path: string
  readonly sessionId: string
}

interface Order extends WatchedSession {
  readonly door: "house" | "ipc"
  readonly count: number
  readonly tokens: number
}

const input = createInterface({ input: process.stdin })
input.on("close", () => process.exit())
input.once("line", (line: string) => {
  const order: Order = JSON.parse(line)
  void watchAll(order)
})

async function watchAll(order: Order): Promise<void> {
  const counts: Counts = { delays: [], tokens: 0 }
  const ends: Promise<void>[] = []
  const joined: Promise<void>[] = []
  for (let viewer = 0; viewer < order.count; viewer++) {
    const { isJoined, hasAll } = await view(order, counts)
    joined.push(isJoined)
    ends.push(hasAll)
  }
  await Promise.all(joined)
  console.log("connected")
  await Promise.all(ends)
  console.log(quantile(counts.delays, 0.99), 1 - counts.tokens / (order.count * order.tokens))
}

interface Counts {
  readonly delays: number[]
  tokens: number
}

/** The turn before is not counted. */
async function view({ door, path, sessionId }: Order, counts: Counts) {
  const socket = await connected(path)
  const open = { type: "open", id: "o", sessionId, cursor: 0 }
  socket.write(door === "ipc" ? handshake : `{"type":"hello","version":1,"door":"viewer"}\n${JSON.stringify(open)}\n`)
  const [joining, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const isAnswer = door === "ipc" ? '"seal_status"' : '"id":"o"'
  const isDelta = door === "ipc" ? '"stream_chunk"' : '"text.delta"'
  const isEnd = door === "ipc" ? '"stream_end"' : '"turn.ended"'
  let [rest, ends] = ["", 0]
  socket.setEncoding("latin1").on("data", (text: string) => {
    const at = clockMs()
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      if (line.includes(isAnswer)) joining.resolve()
      if (line.includes(isEnd) && (ends += 1) === 2) ending.resolve()
      const end = line.lastIndexOf(";")
      if (ends === 0 || end === -1 || !line.includes(isDelta)) continue
      counts.delays.push(at - Number(/([\d.]+)$/.exec(line.slice(0, end))?.[1]))
      counts.tokens += line.split(";").length - 1
    }
  })
  return { isJoined: joining.promise, hasAll: ending.promise }
}
