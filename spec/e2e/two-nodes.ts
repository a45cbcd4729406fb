// Two nodes of a cluster as processes on one home: they reach each other through their local sockets.
import { afterAll, beforeAll } from "vitest"
import { startPostgres, type PostgresServer } from "../../src/testing/servers/postgres-server.ts"
import { eventually } from "./eventually.ts"
import type { Place } from "./place.ts"
import type { Running } from "./running.ts"
import { sharedPlace } from "./turnhouse.ts"

export interface ClusterNode {
  readonly url: string
  readonly running: Running
}

export interface TwoNodes {
  readonly place: Place
  readonly server: PostgresServer
  /** Of commands in the cluster. */
  readonly env: Readonly<Record<string, string>>
  readonly a: ClusterNode
  readonly b: ClusterNode
}

/** For all tests of a file. */
export function twoNodes(): () => TwoNodes {
  const place = sharedPlace()
  let nodes: TwoNodes | undefined
  beforeAll(async () => {
    nodes = await start(place)
  })
  afterAll(() => nodes?.server.remove())
  return () => {
    if (nodes === undefined) throw new Error("the nodes have not started")
    return nodes
  }
}

async function start(place: Place): Promise<TwoNodes> {
  const server = await startPostgres()
  const model = place.script([[{ text: "Hello." }]])
  place.config({ model, node: { labels: { work: [place.folder] } } })
  const env = { TURNHOUSE_DATABASE_URL: server.createDatabase() }
  const a = await serve(place, env, "a")
  return { place, server, env, a, b: await serve(place, env, "b") }
}

async function serve(place: Place, env: Readonly<Record<string, string>>, name: string): Promise<ClusterNode> {
  const running = place.start(["serve", "--port", "0"], { env: { ...env, TURNHOUSE_NODE_NAME: name } })
  const url = await running.until("an address", () => /^listening on (\S+)$/m.exec(running.stdout)?.[1])
  await eventually("a node that is ready", async () => ((await fetch(`${url}/readyz`)).ok ? true : undefined))
  return { url, running }
}
