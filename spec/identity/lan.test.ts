// `turnhouse link --lan`: a second listener with TLS for phones, opened by the owner for a time. The tests use an address of
// this machine in place of one of a private network.
import { readFileSync, readdirSync, statSync } from "node:fs"
import { request } from "node:https"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { newPlace } from "../e2e/turnhouse.ts"
import { needBuild } from "../built.ts"
import { served } from "./served.ts"

beforeAll(needBuild) // it has the console
const server = served({})
const HOST = "127.0.0.2"

async function linked(...args: readonly string[]) {
  const { code, stdout, stderr } = await server().place.run("link", "--lan", "--host", HOST, ...args)
  expect({ code, stderr }).toMatchObject({ code: 0 })
  return { url: new URL(stdout.trim()), stderr }
}

function certificate(): string {
  const { home } = server().place
  const file = readdirSync(home).find((name) => name.startsWith("lan-")) ?? ""
  expect(statSync(join(home, file)).mode & 0o777).toBe(0o600)
  return readFileSync(join(home, file), "utf8")
}

function statusOf(url: URL, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(new URL(path, url), { ca: certificate() }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    asked.on("error", reject).end()
  })
}

function greeting({ host, origin }: URL, key: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`wss://${host}/house`, { ca: certificate(), origin })
    socket.once("open", () => socket.send(JSON.stringify({ type: "hello", version: 1, key })))
    socket.once("message", (data: Buffer) => resolve(JSON.parse(data.toString())))
    socket.once("error", reject)
    socket.once("close", () => resolve("closed"))
  })
}

describe("a server that is open to the local network", () => {
  it("has the console and the native API there, encrypted, and nothing for visitors or monitoring", async () => {
    const { url, stderr } = await linked("--role", "approve")
    expect(url.origin).toMatch(/^https:\/\/127\.0\.0\.2:\d+$/)
    expect(stderr).toMatch(/SHA-256 fingerprint[\s\S]*(?:[0-9A-F]{2}:){31}[0-9A-F]{2}/)
    expect(await statusOf(url, "/")).toBe(200)
    for (const path of ["/metrics", "/admin/conversations", "/ws", "/lan", "/healthz"])
      expect([path, await statusOf(url, path)]).toEqual([path, 404])
    expect(await statusOf(url, "/sign-in")).toBe(405)
    const key = url.hash.replace("#key=", "")
    expect(await greeting(url, key)).toMatchObject({ type: "hello", roles: ["watch", "approve"] })
    expect(await greeting(url, "lnk_wrong")).toMatchObject({ type: "refused", refusal: { code: "key.bad" } })
  })

  it("keeps its address and certificate when it is opened again, and prints a sign-in without a role", async () => {
    const [first, second] = [await linked("--for", "2h"), await linked()]
    expect(second.url.origin).toBe(first.url.origin)
    expect(second.url.hash).toMatch(/^#sign-in=/)
  })

  it("closes in time, with its connections", async () => {
    const { url } = await linked("--role", "watch")
    const socket = new WebSocket(`wss://${url.host}/house`, { ca: certificate(), origin: url.origin })
    const closed = new Promise((resolve) => socket.once("close", resolve))
    await new Promise((resolve) => socket.once("open", resolve))
    socket.send(JSON.stringify({ type: "hello", version: 1, key: url.hash.replace("#key=", "") }))
    await linked("--for", "1s")
    await closed
    // A connection that comes while it closes is ended without an answer.
    await expect.poll(() => statusOf(url, "/").catch(String)).toContain("ECONNREFUSED")
  })
})

describe("opening it", () => {
  it.each([
    [{}, "Only the owner's key", 401],
    [{ authorization: "Bearer lnk_wrong" }, "Only the owner's key", 401],
  ])("needs the owner's key", async (headers, what, status) => {
    const response = await fetch(`${server().url}/lan`, { method: "POST", headers, body: "{}" })
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(what)])
  })

  it.each([
    [["--host", "8.8.8.8"], 1, "--lan: 8.8.8.8: not an address of a private network"],
    [["--host", "10.255.255.254"], 1, "cannot listen there"],
    [["--host", HOST, "--for", "30d"], 1, "seconds"],
    [["--url", "https://x.example"], 2, "--lan cannot be combined"],
  ])("with %j ends with exit code %i", async (args, code, why) => {
    expect(await server().place.run("link", "--lan", ...args)).toMatchObject({
      code,
      stderr: expect.stringContaining(why),
    })
  })

  it("needs a running server, and --host needs --lan", async (test) => {
    const place = newPlace(test)
    expect(await place.run("link", "--lan")).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("turnhouse serve"),
    })
    expect(await place.run("link", "--host", HOST)).toMatchObject({ code: 2 })
  })
})
