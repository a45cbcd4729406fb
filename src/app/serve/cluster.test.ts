import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { AllowanceLimits, Allowances } from "../../identity/allowances/allowances.ts"
import { KeyAccess } from "../../server/access/key-access.ts"
import { startPostgres, type PostgresServer } from "../../testing/servers/postgres-server.ts"
import type { AppContext } from "../context.ts"
import { consoleKey } from "../secrets/home-secrets.ts"
import { openAccessStores } from "./access-stores.ts"
import { ClusterAllowances } from "./cluster-allowances.ts"
import { createLink, createSignIn, revokeLink, validLinks } from "./share-links.ts"

let server: PostgresServer
const homes: string[] = []
const cleanups: (() => Promise<void>)[] = []

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

let nodes: readonly [AppContext, AppContext]
beforeEach(() => {
  const url = server.createDatabase()
  nodes = [newNode(url), newNode(url)]
})
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0)) await cleanUp()
  for (const home of homes.splice(0)) rmSync(home, { recursive: true })
})

/** With the same keys as the others. */
function newNode(url: string): AppContext {
  const home = mkdtempSync(join(tmpdir(), "turnhouse-node-"))
  homes.push(home)
  writeFileSync(join(home, "console.key"), `${"k".repeat(43)}\n`, { mode: 0o600 })
  const files = { warnings: [], ownPlaces: [], serverFiles: new Map(), trusted: false }
  return { home, cwd: home, config: { store: { type: "postgres", url } }, ...files }
}

function keysOf(node: AppContext): KeyAccess {
  const owner = { key: consoleKey(node.home), name: "owner" }
  const keys = new KeyAccess({ openStores: () => openAccessStores(node), owner })
  cleanups.push(() => keys.close())
  return keys
}

function sharedAllowances({ config: { store } }: AppContext, limits: AllowanceLimits): Allowances {
  const url = store?.type === "postgres" ? store.url : ""
  const cluster = new ClusterAllowances(url, new Uint8Array(32))
  cleanups.push(() => cluster.close())
  const allowances = cluster.open(limits)
  cluster.start()
  return allowances
}

function post(keys: KeyAccess, path: string, body: string) {
  const request = { method: "POST", path, query: new URLSearchParams(), address: "127.0.0.1" }
  const headers = { host: "h", origin: "http://h" }
  return keys.posts()[path]?.({ ...request, headers }, body)
}

describe("nodes with the store postgres", () => {
  it("accept a link that another node created, list it, and refuse it when a third one has revoked it", async () => {
    const [one, other] = nodes
    const created = await createLink(one, {
      role: "watch",
      session: undefined,
      door: undefined,
      seconds: 60,
      url: undefined,
    })
    const holder = await keysOf(other).holderOf(created.url.hash.replace("#key=", ""))
    expect(holder).toMatchObject({ name: created.link.id, roles: ["watch"] })
    expect(holder?.isValid(Date.now())).toBe(true)
    expect(await validLinks(other)).toEqual([created.link])
    expect(await revokeLink(one, created.link.id.slice(0, 12))).toBe(created.link.id)
    await expect.poll(() => holder?.isValid(Date.now())).toBe(false)
    expect(await validLinks(other)).toEqual([])
  })

  it("sign a browser in with a code of another node, once, and out of all nodes", async () => {
    const [one, other] = nodes
    const code = (await createSignIn(one, undefined)).url.hash.replace("#sign-in=", "")
    const [first, second] = [keysOf(one), keysOf(other)]
    const reply = await post(second, "/sign-in", JSON.stringify({ code }))
    expect(reply?.status).toBe(204)
    expect((await post(first, "/sign-in", JSON.stringify({ code })))?.status).toBe(410)
    const [, key = ""] = /=(lnk_[^;]*)/.exec(String(reply?.headers?.["set-cookie"])) ?? []
    expect(await first.isOwner(key)).toBe(true)
    const [id = ""] = key.split(".")
    expect(await revokeLink(one, id)).toBe(id)
    expect([await first.isOwner(key), await second.isOwner(key)]).toEqual([false, false])
  })

  it("count callers together", async () => {
    const org = { turns: Infinity, sessionsPerHour: Infinity }
    const limits = { connections: 2, framesPerSecond: 10, sessionsPerHour: 3, org }
    const [one, other] = [sharedAllowances(nodes[0], limits), sharedAllowances(nodes[1], limits)]
    one.enter("jane")
    one.enter("jane")
    const mayEnter = (name: string) => {
      const entered = other.enter(name)
      if (entered) other.leave(name)
      return entered
    }
    await expect.poll(() => mayEnter("jane")).toBe(false)
    expect(mayEnter("joe")).toBe(true)
    const takes = [one, other, one, other].map((node) => node.takeSession("jane"))
    expect((await Promise.all(takes)).toSorted()).toEqual(["taken", "taken", "taken", "used-up"])
  })
})

describe("organisations of nodes with the store postgres", () => {
  const unlimited = { connections: Infinity, framesPerSecond: Infinity, sessionsPerHour: Infinity }
  const limits = { ...unlimited, org: { turns: 2, sessionsPerHour: 3 } }

  it("have turns on all nodes, also if callers have no limits", async () => {
    const [one, other] = [sharedAllowances(nodes[0], limits), sharedAllowances(nodes[1], limits)]
    for (const id of ["s1", "s2"]) one.turns?.setRunning("shop", id, true)
    const hasRoom = (org: string) => {
      const admitted = other.turns?.admit(org, "s3")
      if (typeof admitted === "function") admitted()
      return admitted !== "full"
    }
    await expect.poll(() => hasRoom("shop")).toBe(false)
    expect(hasRoom("bank")).toBe(true)
  })

  it("have new conversations on all nodes, exactly", async () => {
    const [one, other] = [sharedAllowances(nodes[0], limits), sharedAllowances(nodes[1], limits)]
    const takes = [one, other, one, other].map((node, at) => node.takeSession(`visitor ${at}`, "shop"))
    expect((await Promise.all(takes)).toSorted()).toEqual(["taken", "taken", "taken", "used-up"])
    expect(await one.takeSession("visitor 1", "bank")).toBe("taken")
  })
})

describe("while PostgreSQL cannot be reached", () => {
  it("'turnhouse link' fails with the address and exit code 4", async () => {
    const context = newNode("postgres://127.0.0.1:1/none")
    await expect(validLinks(context)).rejects.toMatchObject({
      message: expect.stringMatching(/^links and sign-ins: PostgreSQL at 127\.0\.0\.1:1\/none cannot be reached/),
      exitCode: 4,
    })
  })

  it("the owner's key works, and keys of links are not checked", async () => {
    const context = newNode("postgres://127.0.0.1:1/none")
    const keys = keysOf(context)
    expect(await keys.isOwner(consoleKey(context.home))).toBe(true)
    expect(await keys.isOwner("lnk_forged")).toBe(false)
    await expect(post(keys, "/sign-in", '{"code":"x"}')).rejects.toThrow("Keys cannot be checked at the moment")
  })
})
