import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { startNats } from "../../testing/servers/nats-server.ts"
import { busFindings } from "./bus.ts"

const store = { type: "postgres", url: "postgres://127.0.0.1:1/db" } as const

function findingsWith(url?: string) {
  const home = mkdtempSync(join(tmpdir(), "turnhouse-doctor-bus-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return busFindings({ home, config: url === undefined ? { store } : { store, bus: { type: "nats", url } } })
}

describe("doctor looks at the bus", () => {
  it("and reports how quickly it opens a link", async () => {
    const nats = await startNats()
    onTestFinished(() => nats.stop())
    expect(await findingsWith(nats.url)).toMatchObject([{ what: expect.stringMatching(/opens a link in [\d.]+ ms$/) }])
  })

  it("and names a server that cannot be reached, without its password", async () => {
    const findings = await findingsWith("nats://node:hunter2@127.0.0.1:1")
    expect(findings).toMatchObject([{ level: "problem", what: expect.stringContaining("127.0.0.1:1") }])
    expect(JSON.stringify(findings)).not.toContain("hunter2")
  })

  it("and warns where none is configured", async () => {
    expect(await findingsWith()).toMatchObject([{ level: "warning" }])
  })
})
