import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterEach, expect, it } from "vitest"
import { startProviderServer } from "./server.ts"

const opened: { close: () => unknown }[] = []
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close()
})

function post(url: string, body: object, path = "/v1/chat/completions"): Promise<Response> {
  return fetch(`${url}${path}`, { method: "POST", body: JSON.stringify(body) })
}

async function start(script: Parameters<typeof startProviderServer>[0]) {
  const server = await startProviderServer(script)
  opened.push(server)
  return server
}

it("answers a request with the first unused reply that matches it", async () => {
  const server = await start({
    replies: [
      { blocks: [{ text: "for two" }], when: "two" },
      { blocks: [{ text: "first" }] },
      { blocks: [{ text: "again" }], times: 2 },
    ],
  })
  const said: string[] = []
  for (const user of ["one", "two", "two", "one", "one"]) {
    const response = await post(server.url, { model: "m", messages: [{ role: "user", content: user }] })
    said.push(/for two|first|again|no reply left/.exec(await response.text())?.[0] ?? "")
  }
  expect(said).toEqual(["first", "for two", "again", "again", "no reply left"])
})

it("refuses an unknown key in the format of the provider", async () => {
  const server = await start({ replies: [], keys: ["good"] })
  const response = await post(server.url, { model: "m" }, "/v1/messages")
  expect(response.status).toBe(401)
  expect(await response.json()).toEqual({
    type: "error",
    error: { type: "authentication_error", message: "scripted 401" },
  })
})

it("answers an unknown path with a plain 404", async () => {
  const server = await start({ replies: [] })
  expect((await post(server.url, {}, "/elsewhere")).status).toBe(404)
  expect(server.requests).toEqual([])
})

it("runs as a separate process from a script file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnhouse-provider-"))
  const script = join(folder, "script.json")
  writeFileSync(script, JSON.stringify({ replies: [{ status: 429, headers: { "retry-after": "9" } }], models: ["m1"] }))
  const main = new URL("main.ts", import.meta.url).pathname
  const child = spawn(process.execPath, [main, script], { stdio: ["ignore", "pipe", "inherit"] })
  opened.push({ close: () => child.kill("SIGKILL") }, { close: () => rmSync(folder, { recursive: true }) })
  const [line] = await once(createInterface(child.stdout), "line")
  const url = String(line).replace("listening on ", "")
  expect(await (await fetch(`${url}/v1/models`)).json()).toMatchObject({ data: [{ id: "m1" }] })
  expect((await post(url, { model: "m1" })).headers.get("retry-after")).toBe("9")
  child.kill("SIGTERM")
  expect(await once(child, "exit")).toEqual([0, null])
})
