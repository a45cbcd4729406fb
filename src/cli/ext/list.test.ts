import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { thisHost } from "../../log/process-identity.ts"
import { listen } from "../../doors/house/door.ts"
import type { Answered } from "../../contract/host-port.ts"
import { portOf } from "../../testing/doors/served-host.ts"
import { scriptedSource } from "../../testing/index.ts"
import { testHost, you } from "../../testing/test-host.ts"
import { openHomeLog } from "../../app/host/open-log.ts"
import { socketPath } from "../../app/host/connections.ts"
import { askHosts } from "../../app/extensions/list.ts"
import { modelsText, runningText } from "./list.ts"

const times = { calls: 3, medianMs: 1.5, longestMs: 20 }
const state = { id: "policy", sessionId: "01890000-0000-7000-8000-000000000001", health: "degraded", times }
const restarted = { ...state, isOutdated: false, restarts: 2, lastFault: "it ended\nwith exit code 4" }

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), "turnhouse-ext-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

/** A home in whose log a host lives; it listens only if it has an answer. */
async function homeWithHost(answer?: Answered<unknown>) {
  const home = newHome()
  const log = openHomeLog(home)
  onTestFinished(() => log.close())
  const host = thisHost("run")
  await log.registerHost(host)
  if (answer === undefined) return { home, host }
  const tested = await testHost(scriptedSource([]))
  const port = Object.assign(portOf(tested.host), { query: () => Promise.resolve(answer) })
  const about = { port, by: you, host: host.hostId, role: "run", release: "0" }
  const listener = await listen(socketPath(home, host.hostId), () => true, about)
  onTestFinished(() => listener.close())
  return { home, host }
}

describe("asking hosts for their extensions", () => {
  it("creates nothing in an empty home", async () => {
    const home = newHome()
    expect(await askHosts({ home, config: {} })).toEqual([])
    expect(readdirSync(home)).toEqual([])
  })

  it("returns the report of a host, and shows it in a table", async () => {
    const { home, host } = await homeWithHost({ kind: "answer", value: [restarted] })
    const reports = await askHosts({ home, config: {} })
    expect(reports).toMatchObject([{ host: { hostId: host.hostId }, extensions: [restarted] }])
    expect(modelsText(reports)).toBe("")
    expect(runningText(reports)).toMatch(
      /^policy +01890000-0000 +run \d+ +degraded +2 +3 +1.5 ms +20 ms +it ended with exit code 4$/m,
    )
  })

  it("lists each model of the extensions once", async () => {
    const models = [{ name: "policy:p:small", displayName: "Small", contextWindow: 9000 }]
    const { home } = await homeWithHost({
      kind: "answer",
      value: [
        { ...restarted, models },
        { ...restarted, models },
      ],
    })
    expect(
      modelsText(await askHosts({ home, config: {} }))
        .trimEnd()
        .split("\n")
        .slice(1),
    ).toEqual([expect.stringMatching(/^policy:p:small +Small +9,000$/)])
  })

  it.each<[string, Answered<unknown> | undefined]>([
    ["does not listen", undefined],
    ["does not know the question", { kind: "refused", refusal: { code: "frame.bad", what: "no such query" } }],
    ["answers something else", { kind: "answer", value: [{ id: "policy" }] }],
    ["has models without a name", { kind: "answer", value: [{ ...restarted, models: [{}] }] }],
  ])("has no report of a host that %s", async (_, answer) => {
    const { home, host } = await homeWithHost(answer)
    const reports = await askHosts({ home, config: {} })
    expect(reports).toMatchObject([{ host: { hostId: host.hostId }, extensions: undefined }])
    expect(runningText(reports)).toBe("")
  })
})
