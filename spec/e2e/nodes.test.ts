// Two nodes of a cluster and the commands that show them and move sessions between them.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { connectToHouse } from "../browser/console-world.ts"
import { newPlace } from "./turnhouse.ts"
import { twoNodes } from "./two-nodes.ts"

const nodes = twoNodes()

async function command(...args: readonly string[]) {
  const { place, env } = nodes()
  return place.start(args, { env: { ...env, TURNHOUSE_NODE_NAME: "a" } }).ended
}

async function sessionOnA(): Promise<string> {
  const { place, a } = nodes()
  const client = await connectToHouse(a.url, readFileSync(join(place.home, "console.key"), "utf8").trim())
  const opened = await client.create({ cwd: place.folder, origin: "test" }, { principal: "me", door: "test" })
  if (opened.kind === "refused") throw new Error(JSON.stringify(opened.refusal))
  const { handle } = opened
  const ended = Promise.withResolvers<void>()
  await handle.watch(0, (item) => {
    if (item.kind === "event" && item.recorded.event.type === "turn.ended") ended.resolve()
  })
  await handle.send({ type: "prompt", promptId: "prm_1", text: "hello", ifBusy: "wait" })
  await ended.promise
  client.close()
  return handle.sessionId
}

async function openIn(sessionId: string): Promise<string | undefined> {
  const { stdout } = await command("ls", "--all")
  const line = stdout.split("\n").find((each) => each.startsWith(sessionId.slice(0, 13)))
  return /serve \(\w+\)/.exec(line ?? "")?.[0]
}

describe("the command line of a cluster", () => {
  it("lists both nodes, shows where a session runs, moves it, and counts the move", async () => {
    const listed = await command("nodes")
    expect(listed).toMatchObject({ code: 0, stderr: "" })
    expect(listed.stdout).toMatch(/^NODE +STATE +ROLES +VERSION +SESSIONS +TURNS +LABELS\n/)
    expect(listed.stdout).toMatch(/^a \(this\) +live +serve +\S+ +0 +0 +work$/m)
    expect(listed.stdout).toMatch(/^b +live +serve +\S+ +0 +0 +work$/m)
    const sessionId = await sessionOnA()
    expect(await openIn(sessionId)).toBe("serve (a)")
    expect(await command("move", sessionId, "b")).toMatchObject({
      code: 0,
      stdout: `session ${sessionId} moved to node b\n`,
    })
    expect(await openIn(sessionId)).toBe("serve (b)")
    expect(await command("move", sessionId, "b", "--json")).toMatchObject({ code: 0 })
    const rows: unknown = JSON.parse((await command("ls", "--all", "--json")).stdout)
    expect(rows).toMatchObject([{ id: sessionId, host: { role: "serve", node: "b" } }])
    const metrics = await (await fetch(`${nodes().a.url}/metrics`)).text()
    expect(metrics).toMatch(/^turnhouse_node_info\{node="a",version="\S+"\} 1$/m)
    expect(metrics).toMatch(/^turnhouse_node_fenced 0$/m)
    expect(metrics).toMatch(/^turnhouse_sessions_moved_total 1$/m)
    expect(metrics).toMatch(/^turnhouse_store_append_seconds_count [1-9]/m)
    expect(metrics).toMatch(/^turnhouse_connections \d/m)
  })

  it("refuses to move to an unknown node, and needs both names", async () => {
    const sessionId = await sessionOnA()
    expect(await command("move", sessionId, "x")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("No node with the name 'x'"),
    })
    expect(await command("move", sessionId)).toMatchObject({ code: 2, stderr: expect.stringContaining("ID NODE") })
  })

  it("checks the cluster in doctor, and leaves backups to the tools of PostgreSQL", async () => {
    const { stdout } = await command("doctor", "--json")
    expect(stdout).toContain("2 nodes live: a, b")
    expect(stdout).not.toContain("quick check")
    const refused = await command("backup", nodes().place.path("copy.db"))
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("pg_dump") })
    expect(nodes().place.has("copy.db")).toBe(false)
  })

  it("answers the metrics of the node while it is fenced", async () => {
    const { server, b } = nodes()
    await server.process.stop("SIGKILL")
    await expect
      .poll(async () => (await fetch(`${b.url}/metrics`)).text(), { timeout: 60_000 })
      .toMatch(/^turnhouse_node_fenced 1$/m)
    await server.start()
    await expect
      .poll(async () => (await fetch(`${b.url}/metrics`)).text(), { timeout: 60_000 })
      .toMatch(/^turnhouse_node_fenced 0$/m)
  })
})

it("lists this machine where there is no cluster, and cannot move a session", async (test) => {
  const place = newPlace(test)
  place.config({ model: place.script([[{ text: "Hello." }]]) })
  const listed = await place.run("nodes", "--json")
  expect(listed).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("this home is not part of a cluster: its log is in SQLite"),
  })
  expect(JSON.parse(listed.stdout)).toMatchObject({ isCluster: false, nodes: [{ isThis: true }], waiting: [] })
  await place.run("run", "hello")
  expect(await place.run("move", await place.newest(), "b")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("not part of a cluster"),
  })
})
