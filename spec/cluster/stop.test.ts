// `turnhouse stop` for sessions of another node.
import { afterAll, beforeAll, expect, it } from "vitest"
import { Cluster } from "./cluster.ts"

let cluster: Cluster
beforeAll(async () => {
  cluster = await Cluster.start({ model: "offline/demo" })
})
afterAll(() => cluster.close())

it("ends a closed session there, and signals no process for one whose node does not answer", async () => {
  const [a, b] = [await cluster.node("a"), await cluster.node("b")]
  await a.place.run("run", "hello")
  const closed = await a.place.newest()
  expect(await b.place.run("stop", closed)).toMatchObject({ code: 0 })
  const client = await a.native()
  const opened = await client.create({ cwd: a.place.folder, origin: "test" })
  if (opened.kind === "refused") throw new Error(opened.refusal.code)
  a.bus.set({ kind: "down" })
  const stopped = await b.place.run("stop", opened.handle.sessionId)
  expect(stopped).toMatchObject({ code: 4, stderr: expect.stringContaining("'a'") })
  a.bus.set({ kind: "up" })
  expect(await client.query({ type: "host" })).toMatchObject({ kind: "answer" }) // a server that leaves closes connections
  expect(await a.readiness()).toMatchObject({ status: 200 })
  client.close()
})
