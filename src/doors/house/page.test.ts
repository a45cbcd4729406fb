import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import type { SessionHost } from "../../host/session-host.ts"
import { newSession, testHost, turn } from "../../testing/test-host.ts"
import { scriptedSource } from "../../testing/index.ts"
import { portOf, serve } from "../../testing/doors/served-host.ts"

const page = readFileSync(new URL("../../../docs/house-wire.md", import.meta.url), "utf8")
const client = /^```python\n(.*?)^```/ms.exec(page)?.[1] ?? ""

const cleanups: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

/** A home with one host, whose socket is where the page says. */
async function homeOf(host: SessionHost): Promise<string> {
  const options = { role: "host", host: host.lease.hostId }
  const served = await serve(portOf(host), options, join("hosts", `${host.lease.hostId}.sock`))
  cleanups.push(() => served.close())
  return dirname(dirname(served.path))
}

async function ask(home: string, ...args: readonly string[]): Promise<{ code: unknown; said: string; wrong: string }> {
  const folder = mkdtempSync(join(tmpdir(), "ask-"))
  cleanups.push(() => rmSync(folder, { recursive: true }))
  const child = spawn("python3", ["-c", client, ...args], {
    cwd: folder,
    env: { ...process.env, TURNHOUSE_HOME: home },
  })
  let [said, wrong] = ["", ""]
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (wrong += chunk.toString()))
  const [code]: unknown[] = await once(child, "close") // throws when there is no python3
  return { code, said, wrong }
}

describe("the Python client on the page", () => {
  it("creates a session, sends a prompt and prints the answer", async () => {
    const { host } = await testHost(scriptedSource([[{ chunks: ["Grüße ", "from\u2028here."] }]]))
    const home = await homeOf(host)
    expect(await ask(home, "hello")).toEqual({ code: 0, said: "Grüße from\u2028here.\n", wrong: "" })
  })

  it("continues an open session, and prints only the new answer", async () => {
    const { host } = await testHost(scriptedSource([[{ text: "One." }], [{ text: "Two." }]]))
    const session = await newSession(host)
    await turn(session, "first")
    const home = await homeOf(host)
    expect(await ask(home, "second", session.id)).toEqual({ code: 0, said: "Two.\n", wrong: "" })
  })

  it("prints the reason of a refusal", async () => {
    const { host } = await testHost(scriptedSource([]))
    const home = await homeOf(host)
    const { code, wrong } = await ask(home, "hello", "01890000-0000-7000-8000-0000000000ff")
    expect({ code, wrong }).toEqual({ code: 1, wrong: expect.stringContaining("session.unknown") })
  })
})
