// What the killing of a node means to the people in a chat: a visitor talks at one node, an operator watches at another.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { connect } from "turnhouse/client"
import { HouseClient, type WatchItem } from "turnhouse/house"
import type { LocalCluster, LocalNode } from "./local-cluster.ts"

const WATCHED_DELTAS = 12

export async function playStory(cluster: LocalCluster, print: (line: string) => void): Promise<void> {
  const [first, second] = cluster.nodes
  if (first === undefined || second === undefined) throw new Error("the story needs two nodes")
  const chat = await connect(`${first.url.replace("http", "ws")}/ws`, { agentId: "speaker", reconnect: false })
  print(`✓ a visitor chats at node ${first.name}: session ${chat.conversationId}`)
  const turn = chat.send("Tell me about nodes.")
  turn.result.catch(() => {}) // its node will be killed
  const operator = await operatorAt(second)
  const watched = await watch(operator, chat.conversationId)
  await watched.deltas(WATCHED_DELTAS)
  print(`✓ the answer streams to an operator at node ${second.name}: "${watched.text().slice(0, 60)}…"`)
  const killedAt = performance.now()
  cluster.kill(first.name)
  print(`✓ node ${first.name} is killed with -9 in the middle of the answer`)
  await watched.event("turn.adopted")
  print(`✓ another node continues the turn after ${((performance.now() - killedAt) / 1000).toFixed(1)} s`)
  await watched.event("turn.ended")
  print(`✓ the answer is finished; the operator has ${watched.events()} events, none missing and none twice`)
  operator.close()
}

/** The owner of the cluster, by the key that all nodes have. */
function operatorAt({ url, home }: LocalNode): Promise<HouseClient> {
  const key = readFileSync(join(home, "console.key"), "utf8").trim()
  return HouseClient.connect(`${url.replace("http", "ws")}/house`, { door: "story", key })
}

async function watch(operator: HouseClient, sessionId: string) {
  const items: WatchItem[] = []
  let woken = Promise.withResolvers<void>()
  await operator.watch(sessionId, 0, (item) => {
    items.push(item)
    woken.resolve()
    woken = Promise.withResolvers()
  })
  const until = async (look: () => boolean) => {
    while (!look()) {
      const lost = items.find((item) => item.kind === "lost")
      if (lost !== undefined) throw new Error(`the session can no longer be watched: ${JSON.stringify(lost.refusal)}`)
      await woken.promise
    }
  }
  const seqs = () => items.flatMap((item) => (item.kind === "event" ? [item.recorded.seq] : []))
  const pieces = () =>
    items.flatMap((item) => (item.kind === "delta" && item.delta.type === "text.delta" ? [item.delta.delta] : []))
  return {
    text: () => pieces().join(""),
    deltas: (count: number) => until(() => pieces().length >= count),
    event: (type: string) =>
      until(() => items.some((item) => item.kind === "event" && item.recorded.event.type === type)),
    events: () => {
      const gap = seqs().findIndex((seq, index) => seq !== index + 1)
      if (gap >= 0) throw new Error(`event ${gap + 1} is missing or came twice`)
      return seqs().length
    },
  }
}
