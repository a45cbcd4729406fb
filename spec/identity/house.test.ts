// The native API at `/house`: which keys are accepted, and what a link shows and permits.
import { describe, expect, it } from "vitest"
import {
  HouseClient,
  type HostQuery,
  type SessionCommand,
  type WatchItem,
} from "../../src/clients/house/house-client.ts"
import { WsClient } from "../../src/testing/doors/served-ws.ts"
import { eventually } from "../e2e/eventually.ts"
import { startTurn } from "../ws/conversation.ts"
import { hmacToken, secret, served } from "./served.ts"

const tools = {
  approve: ["close_account"],
  define: { close_account: { description: "Closes.", class: "unsafe", input: {}, run: ["echo", "closed"] } },
}
const steps = [[{ call: { tool: "close_account", input: {} } }], [{ text: "Done." }]]
const server = served({ tools, server: { auth: { mode: "jwt", secret } } }, steps)

function host(key?: string): Promise<HouseClient> {
  return HouseClient.connect(`${server().url.replace("http", "ws")}/house`, key === undefined ? {} : { key })
}

async function link(...args: readonly string[]): Promise<{ readonly id: string; readonly key: string }> {
  const { stdout, stderr, code } = await server().place.run("link", "--json", "--role", "watch", ...args)
  if (code !== 0) throw new Error(stderr)
  const { id, url } = JSON.parse(stdout)
  return { id, key: String(url).replace(/^.*#key=/, "") }
}

/** A conversation of the organisation in which a call waits for the approval of staff. */
async function waiting(org: string) {
  const client = await server().connect(hmacToken({ sub: "visitor", org, email: "v@example.org" }))
  const { conversationId } = await startTurn(client)
  const owner = await host(server().key)
  const approvalId = await nextApprovalId(owner, conversationId)
  return { client, owner, sessionId: conversationId, approve: approveOf(approvalId) }
}

function nextApprovalId(owner: HouseClient, session: string): Promise<`apr_${string}`> {
  return eventually("a question", async () => {
    const asked = await owner.query({ type: "approvals" })
    const found = asked.kind === "answer" && Array.isArray(asked.value) ? asked.value : []
    return found.find(({ sessionId }) => sessionId === session)?.approvalId
  })
}

function approveOf(approvalId: `apr_${string}`): SessionCommand {
  return { type: "approve", approvalId, approved: true }
}

const prompt: SessionCommand = { type: "prompt", promptId: "prm_x", text: "hi", ifBusy: "wait" }

async function refusalOf(answer: Promise<object>): Promise<unknown> {
  const got = await answer
  return "refusal" in got ? got.refusal : "none"
}

describe("a key", () => {
  it("gives its owner full access", async () => {
    const owner = await host(server().key)
    const made = await owner.create({ cwd: server().place.folder, origin: "test" })
    expect(made.kind).toBe("opened")
    expect(await owner.query({ type: "host" })).toMatchObject({ kind: "answer", value: { role: "serve" } })
    owner.close()
  })

  it("is required, and a wrong one closes the connection", async () => {
    for (const key of [undefined, "", "nonsense", `${server().key}x`, server().key.slice(1), "a.b.c"])
      await expect(host(key)).rejects.toMatchObject({ refusal: { code: "key.bad" } })
  })

  it("must come first: unauthenticated clients that send long frames are disconnected", async () => {
    const client = await WsClient.open(`${server().url.replace("http", "ws")}/house`)
    client.socket.on("error", () => {}) // it may be disconnected in the middle of a frame
    client.socket.send(JSON.stringify({ type: "hello", version: 1, key: "k".repeat(100_000) }))
    expect(await client.closed).toMatchObject({ code: 1006 })
    const owner = await host(server().key)
    const long = { type: "prompt", promptId: "prm_long", text: "t".repeat(100_000), ifBusy: "wait" } as const
    const made = await owner.create({ cwd: server().place.folder, origin: "test" })
    if (made.kind === "refused") throw new Error(made.refusal.code)
    expect(await made.handle.send(long)).toMatchObject({ kind: "accepted" })
    owner.close()
  })

  it("of a link that was altered or signed with another key is rejected", async () => {
    const { key } = await link("--role", "watch")
    const [id = "", body = "", signature = ""] = key.split(".")
    const more = Buffer.from(Buffer.from(body, "base64url").toString().replace('"watch"', '"drive"')).toString(
      "base64url",
    )
    for (const bad of [`${id}.${more}.${signature}`, `${id}.${body}.${signature.slice(1)}A`, `${id}.${body}`])
      await expect(host(bad)).rejects.toMatchObject({ refusal: { code: "key.bad" } })
  })

  it("is in a file readable for its owner only, and is accepted by the next server", async () => {
    const { place } = server()
    const { stdout } = await place.startOther("stat", ["-c", "%a", `${place.home}/console.key`]).ended
    expect(stdout.trim()).toBe("600")
    const { stdout: text } = await place.startOther("cat", [`${place.home}/console.key`]).ended
    expect(text.trim()).toBe(server().key)
  })
})

describe("a link", () => {
  it("to watch shows every session and permits no change", async () => {
    const { owner, sessionId, approve } = await waiting("acme")
    const watcher = await host((await link()).key)
    const items: WatchItem[] = []
    await watcher.watch(sessionId, 0, (item) => items.push(item))
    await eventually("events", () => items.length > 0 || undefined)
    for (const command of [prompt, approve, { type: "interrupt" }, { type: "end", when: "now" }] as const)
      expect(await refusalOf(watcher.send(sessionId, command))).toMatchObject({ code: "role.missing" })
    const cwd = server().place.folder
    expect(await refusalOf(watcher.create({ cwd, origin: "test" }))).toMatchObject({ code: "key.narrow" })
    expect(await refusalOf(watcher.perform({ type: "run-command", sessionId, name: "x", args: [] }))).toEqual({
      code: "role.missing",
      role: "drive",
    })
    expect(await refusalOf(watcher.query({ type: "files", sessionId, text: "a" }))).toEqual({
      code: "role.missing",
      role: "drive",
    })
    const paths = [`${server().place.home}/console.key`]
    expect(await refusalOf(watcher.query({ type: "stage-files", sessionId, paths }))).toMatchObject({
      code: "key.narrow",
    })
    owner.close()
    watcher.close()
  })

  it("to drive may prompt but not approve; one to approve may approve but not prompt", async () => {
    const { owner, client, sessionId, approve } = await waiting("acme")
    const driver = await host((await link("--role", "drive")).key)
    expect(await driver.query({ type: "files", sessionId, text: "" })).toMatchObject({ kind: "answer" })
    expect(await refusalOf(driver.query({ type: "mentioned-files", sessionId, text: "@a" }))).toMatchObject({
      code: "key.narrow",
    })
    expect(await refusalOf(driver.send(sessionId, approve))).toEqual({ code: "role.missing", role: "approve" })
    expect(await driver.send(sessionId, { type: "rename", name: "by a driver" })).toMatchObject({ kind: "accepted" })
    const approver = await host((await link("--role", "approve")).key)
    expect(await refusalOf(approver.send(sessionId, prompt))).toEqual({ code: "role.missing", role: "drive" })
    const visit: SessionCommand = {
      type: "open-visit",
      visitId: "6f1c0f4e-0000-4000-8000-000000000010",
      agentId: "a",
      contact: {},
      participants: { user: sessionId, agent: sessionId },
    }
    const spawn = { type: "spawn", childId: `${sessionId.slice(0, -4)}0000`, task: "look around", cwd: "/" } as const
    const raise = { type: "raise-budget", budget: { usd: 1000 } } as const
    const asVisitor = { ...prompt, visitId: visit.visitId }
    const forAll = { ...approve, remember: { pattern: "*", scope: "folder" } } as const
    for (const command of [visit, spawn, raise, asVisitor])
      expect(await refusalOf(driver.send(sessionId, command))).toMatchObject({ code: "key.narrow" })
    const lock = { type: "acquire-lock", sessionId, lock: "build", scope: "/" } as const
    expect(await refusalOf(driver.perform(lock))).toMatchObject({ code: "key.narrow" })
    expect(await refusalOf(approver.send(sessionId, forAll))).toMatchObject({ code: "key.narrow" })
    expect(await approver.send(sessionId, approve)).toMatchObject({ kind: "accepted" })
    expect(await client.end("r1")).toMatchObject({ type: "eventual_response" })
    for (const one of [owner, driver, approver]) one.close()
  })

  it("has the same rights in a session of another process", async () => {
    const { place } = server()
    const sessionId = (await place.run("new")).stdout.trim()
    await place.run("run", "--session", sessionId, "--detach", "close it")
    const owner = await host(server().key)
    const approve = approveOf(await nextApprovalId(owner, sessionId))
    const [watcher, driver, approver] = [
      await host((await link()).key),
      await host((await link("--role", "drive")).key),
      await host((await link("--role", "approve")).key),
    ]
    for (const linked of [watcher, driver])
      expect(await refusalOf(linked.send(sessionId, approve))).toEqual({ code: "role.missing", role: "approve" })
    expect(await approver.send(sessionId, approve)).toMatchObject({ kind: "accepted" })
    expect(await place.log(sessionId)).toMatch(/"approval\.decided".*"principal":"lnk_/)
    for (const one of [owner, watcher, driver, approver]) one.close()
  })

  it("to one session shows no other, in lists, queries and commands", async () => {
    const [mine, other] = [await waiting("acme"), await waiting("acme")]
    const { key } = await link("--role", "drive", "--session", mine.sessionId.slice(0, 13))
    const linked = await host(key)
    for (const type of ["sessions", "approvals"] as const) {
      const listed = await linked.query({ type })
      const found = listed.kind === "answer" && Array.isArray(listed.value) ? listed.value : []
      expect(found.map(({ sessionId }) => sessionId)).toEqual([mine.sessionId])
    }
    const about: HostQuery[] = [
      { type: "session", sessionId: other.sessionId },
      { type: "transcript", sessionId: other.sessionId },
      { type: "scene", sessionId: other.sessionId },
      { type: "context", sessionId: other.sessionId },
      { type: "tools", sessionId: other.sessionId },
      { type: "skills", sessionId: other.sessionId },
      { type: "commands", sessionId: other.sessionId },
    ]
    const unknown = { code: "session.unknown", wanted: other.sessionId }
    for (const query of about) expect(await refusalOf(linked.query(query))).toEqual(unknown)
    const { sessionId } = other
    expect(await refusalOf(linked.perform({ type: "run-command", sessionId, name: "x", args: [] }))).toEqual(unknown)
    expect(await refusalOf(linked.open(other.sessionId))).toEqual(unknown)
    expect(await refusalOf(linked.send(other.sessionId, prompt))).toEqual(unknown)
    expect(await linked.query({ type: "session", sessionId: mine.sessionId })).toMatchObject({ kind: "answer" })
    for (const type of ["host", "extensions", "mcp-servers", "locks"] as const)
      expect(await refusalOf(linked.query({ type }))).toMatchObject({ code: "key.narrow" })
    for (const one of [linked, mine.owner, other.owner]) one.close()
  })

  it("that is revoked disconnects its users at once and is rejected afterwards", async () => {
    const { owner, sessionId } = await waiting("acme")
    const { id, key } = await link("--role", "drive")
    const linked = await host(key)
    await linked.watch(sessionId, 0, () => {})
    expect((await server().place.run("link", "--ls")).stdout).toContain(id)
    expect(await server().place.run("link", "--revoke", id)).toMatchObject({ code: 0 })
    expect(await linked.closed).toEqual({ code: "key.bad" })
    await expect(host(key)).rejects.toMatchObject({ refusal: { code: "key.bad" } })
    expect((await server().place.run("link", "--ls")).stdout).not.toContain(id)
    expect(await server().place.run("link", "--revoke", id)).toMatchObject({ code: 1 })
    owner.close()
  })

  it("that has expired disconnects its users", async () => {
    const { key } = await link("--for", "5s")
    const linked = await host(key)
    expect(await linked.closed).toEqual({ code: "key.bad" })
    await expect(host(key)).rejects.toMatchObject({ refusal: { code: "key.bad" } })
  })

  it("cannot choose the principal", async () => {
    const { owner, sessionId } = await waiting("acme")
    const watcher = await host((await link()).key)
    const answered = await watcher.send(sessionId, prompt, { principal: "root", door: "cli" })
    expect(answered).toMatchObject({ kind: "refused", refusal: { code: "role.missing" } })
    owner.close()
    watcher.close()
  })
})

describe("a token", () => {
  it("gives staff access to their own organisation only", async () => {
    const [mine, theirs] = [await waiting("acme"), await waiting("other")]
    const curator = await host(hmacToken({ sub: "staff", org: "acme", role: "curator" }))
    const listed = await curator.query({ type: "sessions" })
    const seen = listed.kind === "answer" && Array.isArray(listed.value) ? listed.value : []
    expect(seen.map(({ sessionId }) => sessionId)).toContain(mine.sessionId)
    expect(new Set(seen.map(({ status }) => status.org))).toEqual(new Set(["acme"]))
    for (const org of ["other", "local", "public"])
      expect(await curator.query({ type: "conversations", org })).toEqual({ kind: "answer", value: [] })
    expect(await refusalOf(curator.send(theirs.sessionId, theirs.approve))).toMatchObject({ code: "session.unknown" })
    expect(await refusalOf(curator.send(mine.sessionId, prompt))).toEqual({ code: "role.missing", role: "drive" })
    expect(await curator.send(mine.sessionId, mine.approve)).toMatchObject({ kind: "accepted" })
    for (const one of [curator, mine.owner, theirs.owner]) one.close()
  })

  it("gives visitors no access", async () => {
    for (const role of ["basic", "user", "emperor"])
      await expect(host(hmacToken({ sub: "x", org: "acme", role }))).rejects.toMatchObject({
        refusal: { code: "key.bad" },
      })
  })
})
