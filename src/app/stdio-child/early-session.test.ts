import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { readStatus } from "../../projection/status.ts"
import { openHomeLog } from "../host/open-log.ts"
import { earlySession } from "./early-session.ts"

const options = { cwd: "/", origin: "rpc", preset: "trusting", model: "offline/demo" } as const

function place() {
  const home = mkdtempSync(join(tmpdir(), "early-"))
  onTestFinished(() => rmSync(home, { recursive: true }))
  return { home, cwd: "/", config: {}, warnings: [], ownPlaces: [], serverFiles: new Map(), trusted: false }
}

describe("an early session", () => {
  it("is stored, and has no owner after its release", async () => {
    const context = place()
    const early = await earlySession(context, { ...options, system: "Be brief." }, undefined)
    expect(early).toMatchObject({ model: "offline/demo", isNew: true })
    await early?.release()
    const log = openHomeLog(context.home)
    const row = await log.find(early?.sessionId ?? "")
    const read = await log.read(early?.sessionId ?? "", 0, 10)
    await log.close()
    expect(row).toMatchObject({ kind: "ok", value: { owner: undefined, seq: 1 } })
    expect(read).toMatchObject({ value: [{ event: { origin: "rpc", system: "Be brief.", toolMode: "Smart" } }] })
  })

  it("has the configured model when the parent names none", async () => {
    const context = { ...place(), config: { model: "mock/any" } }
    const early = await earlySession(context, { ...options, model: undefined }, undefined)
    await early?.release()
    expect(early?.model).toBe("mock/any")
  })

  it("is an idle session that the parent continues, with its model or the given one", async () => {
    const context = place()
    const first = await earlySession(context, options, undefined)
    await first?.release()
    for (const model of [undefined, "other"]) {
      const second = await earlySession(context, { ...options, model }, first?.sessionId)
      await second?.release()
      expect(second).toMatchObject({ sessionId: first?.sessionId, model: model ?? "offline/demo", isNew: false })
    }
  })

  it("is left to the engine if it is unknown, owned or in a turn", async () => {
    const context = place()
    expect(await earlySession(context, options, "nobody")).toBeUndefined()
    const owned = await earlySession(context, options, undefined)
    expect(await earlySession(context, options, owned?.sessionId)).toBeUndefined()
    await owned?.release()
    await interruptedIn(context.home, owned?.sessionId ?? "")
    expect(await earlySession(context, options, owned?.sessionId)).toBeUndefined()
  })
})

/** As if its host had died in the middle of a turn. */
async function interruptedIn(home: string, sessionId: string): Promise<void> {
  const log = openHomeLog(home)
  const row = await log.find(sessionId)
  const identity = { hostId: "h", role: "rpc", pid: 1, startTime: "0", bootId: "another" }
  const registered = await log.registerHost(identity)
  if (registered.kind === "refused" || row.kind === "refused") throw new Error("the log cannot be used")
  const lease = registered.value
  await log.claim(lease, sessionId)
  const summary = { ...readStatus(row.value.summary), inTurn: true }
  const events = [{ type: "turn.started", turnId: "trn_1" }] as const
  await log.append(lease, { sessionId, expectedSeq: 1, at: Date.now(), events, summary })
  await log.releaseHost(lease)
  await log.close()
}
