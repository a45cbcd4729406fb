// Settings of the session sockets.
import { join } from "node:path"
import { expect } from "vitest"
import { newPlace } from "../e2e/turnhouse.ts"
import { shortFolder, startAgent, type Agent } from "../ipc/agents.ts"
import { newSession } from "../ipc/raw-viewer.ts"
import type { SettingTests, Test } from "./setting-tests.ts"

function agentWith(test: Test, ipc: object, env: Readonly<Record<string, string>> = {}): Promise<Agent> {
  const place = newPlace(test)
  place.config({ ipc })
  return startAgent(place, [], { env })
}

async function isSecondAccepted(test: Test, newSessionOnce: boolean): Promise<unknown> {
  const agent = await agentWith(test, { newSessionOnce })
  await agent.viewer(test)
  const second = await agent.connect(test)
  await second.send(newSession)
  return (await second.response()).accepted
}

async function isBlocked(test: Test, blockedCommands: readonly string[]): Promise<unknown> {
  const viewer = await (await agentWith(test, { blockedCommands })).viewer(test)
  return (await viewer.slash("rename", "shoes")).blocked
}

export const socketSettings: SettingTests = {
  "ipc.dir": async (_, test) => {
    const usual = await agentWith(test, {})
    expect(usual.socket).toBe(join(usual.place.home, "sessions", `${usual.id}.sock`))
    const dir = join(shortFolder(test), "s")
    const agent = await agentWith(test, { dir })
    expect(agent.socket).toBe(join(dir, `${agent.id}.sock`))
  },
  "ipc.brainwires": async (_, test) => {
    const data = shortFolder(test)
    const agent = await agentWith(test, { brainwires: true }, { XDG_DATA_HOME: data })
    expect(agent.socket).toBe(join(data, "brainwires", "sessions", `${agent.id}.sock`))
  },
  "ipc.newSessionOnce": async (_, test) => {
    expect(await isSecondAccepted(test, false)).toBe(true)
    expect(await isSecondAccepted(test, true)).toBe(false)
  },
  "ipc.blockedCommands": async (_, test) => {
    expect(await isBlocked(test, [])).toBe(false)
    expect(await isBlocked(test, ["rename"])).toBe(true)
  },
}
