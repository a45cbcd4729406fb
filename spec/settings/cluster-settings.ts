// Settings of a cluster, on real servers.
import { expect, vi } from "vitest"
import { openLocalDoors } from "../../src/app/host/local-doors.ts"
import { loadFolderConfig } from "../../src/app/settings/folder-config.ts"
import type { Config } from "../../src/contract/config.ts"
import { PostgresLog } from "../../src/log/postgres/postgres-log.ts"
import { startNats } from "../../src/testing/servers/nats-server.ts"
import { startPostgres } from "../../src/testing/servers/postgres-server.ts"
import type { SettingTests, Test } from "./setting-tests.ts"
import { World } from "./world.ts"

/** All nodes have the same keys. */
async function database(test: Test): Promise<() => string> {
  vi.stubEnv("TURNHOUSE_CLUSTER_SECRET", "a secret of all nodes of this test")
  const server = await startPostgres()
  test.onTestFinished(() => server.remove())
  return () => server.createDatabase()
}

async function nats(test: Test): Promise<string> {
  const server = await startNats()
  test.onTestFinished(() => server.stop())
  return server.url
}

function postgres(url: string): Pick<Config, "store"> {
  return { store: { type: "postgres", url } }
}

/** The rows that the database has. */
async function stored<Row>(url: string, read: (log: PostgresLog) => Promise<Row>): Promise<Row> {
  const log = new PostgresLog({ url })
  try {
    return await read(log)
  } finally {
    await log.close()
  }
}

async function sessionsIn(url: string): Promise<number> {
  const listed = await stored(url, (log) => log.list())
  return listed.kind === "ok" ? listed.value.length : -1
}

async function nodesIn(url: string): Promise<readonly (string | undefined)[]> {
  const hosts = await stored(url, (log) => log.hosts())
  return hosts.kind === "ok" ? hosts.value.map(({ node }) => node?.name) : []
}

/** Whether a session of one node can be prompted at another one. */
async function isReached(test: Test, one: Config, other: Config): Promise<boolean> {
  const [first, second] = [new World(test), new World(test)]
  const running = await first.start(one)
  const place = { home: first.home, cwd: first.cwd }
  const doors = await openLocalDoors({ ...place, ...(await loadFolderConfig(place)) }, running)
  test.onTestFinished(() => doors.close())
  const { sessionId } = await first.created(running)
  const opened = await (await second.start(other)).port.open(sessionId, { principal: "driver", door: "test" })
  if (opened.kind === "refused") throw new Error(opened.refusal.code)
  const sent = await opened.handle.send({ type: "rename", name: "reached" })
  return sent.kind === "accepted"
}

export const clusterSettings: SettingTests = {
  "store.type": async (world, test) => {
    const url = (await database(test))()
    await world.session({ store: { type: "sqlite" } })
    expect(await sessionsIn(url)).toBe(0)
    await new World(test).session(postgres(url))
    expect(await sessionsIn(url)).toBe(1)
  },
  "store.url": async (world, test) => {
    const create = await database(test)
    const [one, other] = [create(), create()]
    await world.session(postgres(other))
    expect([await sessionsIn(one), await sessionsIn(other)]).toEqual([0, 1])
  },
  "bus.type": async (_, test) => {
    const [store, url] = [postgres((await database(test))()), await nats(test)]
    const bus = { type: "nats", url } as const
    expect(await isReached(test, { ...store, bus }, { ...store, bus: { type: "local" } })).toBe(false)
    expect(await isReached(test, { ...store, bus }, { ...store, bus })).toBe(true)
  },
  "bus.url": async (_, test) => {
    const [store, url, elsewhere] = [postgres((await database(test))()), await nats(test), await nats(test)]
    const one = { ...store, bus: { type: "nats", url } } as const
    expect(await isReached(test, one, { ...store, bus: { type: "nats", url: elsewhere } })).toBe(false)
    expect(await isReached(test, one, one)).toBe(true)
  },
  "node.name": async (world, test) => {
    const url = (await database(test))()
    await world.start({ ...postgres(url), node: { name: "blue" } })
    await new World(test).start(postgres(url))
    expect(await nodesIn(url)).toEqual(["blue", expect.not.stringMatching(/^blue$/)])
  },
  "node.labels.<name>": async (world, test) => {
    const url = (await database(test))()
    const placeOf = async (labels: Record<string, string[]>) => {
      const { sessionId } = await world.session({ ...postgres(url), node: { name: "blue", labels } })
      const found = await stored(url, (log) => log.find(sessionId))
      return found.kind === "ok" && found.value.place
    }
    expect(await placeOf({})).toBe("blue")
    expect(await placeOf({ projects: [world.cwd] })).toBe("projects")
  },
}
