import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openTestServer } from "./fixtures/test-server.ts"
import type { HttpServer } from "./http-server.ts"
import { demoAgent, widgetRoutes, widgetScript } from "./widget-routes.ts"

const folder = mkdtempSync(join(tmpdir(), "turnhouse-widget-"))
let server: HttpServer

async function open(agent: string | undefined, hasDemo: boolean): Promise<HttpServer> {
  return openTestServer({
    routes: widgetRoutes({ folder, agent, hasDemo }),
    sharedPaths: new Set([widgetScript]),
  })
}

beforeAll(async () => {
  mkdirSync(join(folder, "demo"))
  writeFileSync(join(folder, "widget.js"), "run()")
  writeFileSync(join(folder, "demo/index.html"), '<p title="{agent}">{agent}</p>')
  writeFileSync(join(folder, "demo/demo.css"), "p {}")
  server = await open('"><script>', true)
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

const get = (path: string, headers = {}, { port } = server) => fetch(`http://127.0.0.1:${port}${path}`, { headers })

describe("the script of the widget", () => {
  it("is for pages of every origin, and is revalidated by its tag", async () => {
    const reply = await get("/widget.js", { origin: "https://shop.example" })
    expect([reply.status, await reply.text()]).toEqual([200, "run()"])
    expect(reply.headers.get("access-control-allow-origin")).toBe("*")
    expect(reply.headers.get("cache-control")).toContain("max-age=300")
    const tag = reply.headers.get("etag") ?? ""
    expect((await get("/widget.js", { "if-none-match": tag })).status).toBe(304)
  })

  it("is all that pages of other origins get", async () => {
    expect((await get("/demo/", { origin: "https://shop.example" })).status).toBe(403)
  })
})

describe("the demo page", () => {
  it("names the agent as text, under a policy without inline scripts", async () => {
    const reply = await get("/demo/")
    expect(await reply.text()).toBe('<p title="&quot;&gt;&lt;script&gt;">&quot;&gt;&lt;script&gt;</p>')
    expect(reply.headers.get("content-security-policy")).not.toContain("unsafe")
    expect((await get("/demo/demo.css")).status).toBe(200)
    expect((await get("/demo/widget.js")).status).toBe(404)
  })

  it("says why it is not there: visitors need tokens, or no agent is configured", async () => {
    const [locked, empty] = [await open("shop", false), await open(undefined, true)]
    expect(await (await get("/demo/", {}, locked)).text()).toContain("its visitors need tokens")
    expect(await (await get("/demo/", {}, empty)).text()).toContain("none is configured")
    await Promise.all([locked.close(), empty.close()])
  })

  it("embeds the first agent for visitors, preferably one that any page may use", () => {
    expect(demoAgent({ staff: { visibility: "internal" }, a: { embed: {} }, b: {} })).toBe("b")
    expect(demoAgent({ a: { embed: {} } })).toBe("a")
    expect(demoAgent({})).toBeUndefined()
  })
})
