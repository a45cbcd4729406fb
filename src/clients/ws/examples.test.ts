import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { expect, it, onTestFinished } from "vitest"

const root = new URL("../../../", import.meta.url)

function read(path: string): Promise<string> {
  return readFile(new URL(path, root), "utf8")
}

/** The server of the example page, and its address. */
async function startPage(): Promise<string> {
  const program = fileURLToPath(new URL("examples/client/serve-page.ts", root))
  const child = spawn(process.execPath, [program, "0"], { stdio: ["ignore", "pipe", "ignore"] })
  onTestFinished(async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
  })
  const [line] = await once(child.stdout, "data")
  return String(line).replace("page at ", "").trim()
}

it.for(["five-lines.ts", "page.html"])("docs/websocket-client.md contains %s unchanged", async (name) => {
  expect(await read("docs/websocket-client.md")).toContain(await read(`examples/client/${name}`))
})

it("the example page loads all its modules, and the server serves no other file", async () => {
  const address = await startPage()
  const page = await (await fetch(address)).text()
  const found = new Map<string, string>()
  const load = async (url: URL): Promise<void> => {
    if (found.has(url.href)) return
    const response = await fetch(url)
    const type = response.headers.get("content-type") ?? ""
    found.set(url.href, `${response.status} ${type}`)
    for (const [, name] of (await response.text()).matchAll(/\bfrom\s*"([^"]+)"/g)) await load(new URL(name ?? "", url))
  }
  for (const [, name] of page.matchAll(/\bfrom "([^"]+)"/g)) await load(new URL(name ?? "", address))
  expect(found.size).toBeGreaterThan(10)
  expect(new Set(found.values())).toEqual(new Set(["200 text/javascript"]))
  for (const path of ["package.json", "src/cli/main.ts", "src/clients/../cli/main.ts", "examples/client/chat.ts"])
    expect((await fetch(new URL(path, address))).status).toBe(404)
})
