import { afterAll, beforeAll, expect, it } from "vitest"
import { Database } from "../postgres/database.ts"
import { startPostgres, type PostgresServer } from "../testing/servers/postgres-server.ts"
import { checkClusterKey } from "./cluster-key.ts"

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

const key = new Uint8Array(32).fill(1)
const otherKey = new Uint8Array(32).fill(2)

it("accepts nodes with the key of the first one, and refuses others with one sentence", async () => {
  const database = new Database({ url: server.createDatabase() })
  const refusal = `this node's secret.key is not the key of the cluster at ${database.server}. Copy secret.key and console.key from a node, or set TURNHOUSE_CLUSTER_SECRET to the same value on all nodes.`
  expect(await checkClusterKey(database, key)).toBeUndefined()
  expect(await checkClusterKey(database, otherKey)).toBe(refusal)
  expect(await checkClusterKey(database, key)).toBeUndefined()
  const rows = await database.query("select * from turnhouse.cluster")
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toContain(Buffer.from(key).toString("hex"))
  await database.close()
})

it("accepts one key only when nodes with different keys start together", async () => {
  const url = server.createDatabase()
  const nodes = Array.from({ length: 6 }, () => new Database({ url }))
  const found = await Promise.all(nodes.map((node, n) => checkClusterKey(node, n % 2 === 0 ? key : otherKey)))
  const accepted = [0, 1].map((parity) => found.filter((why, n) => n % 2 === parity && why === undefined).length)
  expect(new Set(accepted)).toEqual(new Set([0, 3]))
  await Promise.all(nodes.map((node) => node.close()))
})
