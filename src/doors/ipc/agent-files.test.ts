import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { agentFiles } from "../../protocols/ipc/agent-paths.ts"
import type { AgentMetadata } from "../../protocols/ipc/frames.ts"
import { OwnFiles } from "./agent-files.ts"

const metadata: AgentMetadata = {
  session_id: "a",
  parent_agent_id: null,
  spawn_reason: null,
  model: "offline/demo",
  created_at: 1,
  last_activity: 1,
  working_directory: "/",
  is_busy: false,
  pid: 1,
}

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnhouse-agent-files-"))
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true })
})

function ownFiles(onFault = (fault: unknown): void => expect.unreachable(String(fault)), token = "secret"): OwnFiles {
  const files = new OwnFiles(agentFiles(folder, "a"), token, metadata, onFault)
  files.write()
  return files
}

function stored(): { readonly fields: unknown; readonly inode: number } {
  const path = agentFiles(folder, "a").metadata
  return { fields: JSON.parse(readFileSync(path, "utf8")), inode: statSync(path).ino }
}

describe("the description of a session", () => {
  it("says a moment later that the session is busy", () => {
    const files = ownFiles()
    files.describe({ is_busy: true, last_activity: 2 })
    expect(stored().fields).toMatchObject({ is_busy: false })
    vi.runAllTimers()
    expect(stored().fields).toMatchObject({ is_busy: true, last_activity: 2 })
  })

  it("is not written for a turn that ends within that moment", () => {
    const files = ownFiles()
    const before = stored()
    files.describe({ is_busy: true })
    files.describe({ is_busy: false })
    vi.runAllTimers()
    expect(stored()).toEqual(before)
  })

  it("is written at once for every other change, with what waits", () => {
    const files = ownFiles()
    files.describe({ is_busy: true })
    files.describe({ parent_agent_id: "b" })
    const written = stored()
    expect(written.fields).toMatchObject({ is_busy: true, parent_agent_id: "b" })
    vi.runAllTimers()
    expect(stored()).toEqual(written)
  })

  it("is not written after its removal", () => {
    const files = ownFiles()
    files.describe({ is_busy: true })
    files.remove()
    vi.runAllTimers()
    expect(() => stored()).toThrow("ENOENT")
  })

  it("is neither written nor removed once the next host has written its own", () => {
    const suspended = ownFiles()
    suspended.describe({ is_busy: true })
    ownFiles(undefined, "other secret").describe({ pid: 2 })
    const ofNextHost = stored()
    vi.runAllTimers()
    suspended.describe({ pid: 3 })
    suspended.remove()
    expect(stored()).toEqual(ofNextHost)
    expect(ofNextHost.fields).toMatchObject({ pid: 2 })
  })

  it("reports a late write that fails", () => {
    const faults: unknown[] = []
    const files = ownFiles((fault) => void faults.push(fault))
    files.describe({ is_busy: true })
    rmSync(folder, { recursive: true })
    vi.runAllTimers()
    expect(String(faults)).toContain("ENOENT")
    folder = mkdtempSync(join(tmpdir(), "turnhouse-agent-files-"))
  })
})
