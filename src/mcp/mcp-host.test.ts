// How many processes a host starts for its sessions, when they end, and how long turns wait for them. The servers are real.
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import type { SessionId } from "../contract/ids.ts"
import { cleanUp, freshMark } from "../processes/fixtures/marked.ts"
import { ProcessSupervisor } from "../processes/process-supervisor.ts"
import { misbehavingServer } from "./fixtures/servers.ts"
import { McpHost, type ServerPlan } from "./mcp-host.ts"
import type { McpServer } from "./mcp-server.ts"

const env = { PATH: process.env["PATH"] ?? "" }
const one: SessionId = "01a1e14a-0000-7000-8000-000000000001"
const other: SessionId = "01a1e14a-0000-7000-8000-000000000002"

function hostOf(servers: readonly McpServer[]) {
  const mark = freshMark()
  const processes = new ProcessSupervisor(mark)
  const host = new McpHost()
  onTestFinished(async () => {
    await host.close()
    await processes.close()
    await cleanUp(mark)
  })
  const plan = (place: Partial<Pick<ServerPlan, "org" | "folder">> = {}) => ({
    servers,
    org: "local",
    folder: "/shop",
    warnings: [],
    ...place,
    deps: (_: McpServer, owner: string) => ({
      release: "1.0.0",
      spawn: ({ command = "", args = [] }: McpServer) =>
        processes.spawn({ command, args, env, cwd: tmpdir(), owner, stdin: "pipe" as const }),
      debug: () => {},
    }),
  })
  /** A session of the tree, whose servers run. */
  const open = async (rootId: SessionId = one, place?: Partial<Pick<ServerPlan, "org" | "folder">>) => {
    const entered = host.enter(rootId, () => Promise.resolve(plan(place)))
    await entered.ready()
    return entered
  }
  return { host, open }
}

function logFile(): { readonly path: string; readonly started: () => readonly number[] } {
  const folder = mkdtempSync(join(tmpdir(), "mcp-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, "log")
  const started = () => [...readFileSync(path, "utf8").matchAll(/^started (\d+)$/gm)].map(([, pid]) => Number(pid))
  return { path, started }
}

function isRunning(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0)
  } catch {
    return false
  }
}

describe("a server", () => {
  it("has one process for a session and its sub-agents, another for another session, and ends with the last of them", async () => {
    const log = logFile()
    const { host, open } = hostOf([misbehavingServer("well", {}, log.path)])
    await Promise.all([open(one), open(one), open(other)])
    const pids = log.started()
    expect(pids).toHaveLength(2)
    await host.leave(one)
    expect(pids.map(isRunning)).toEqual([true, true])
    await host.leave(one)
    await host.leave(other)
    expect(pids.map(isRunning)).toEqual([false, false])
  })

  it("that is shared has one process for all sessions of a folder, until the last of them", async () => {
    const log = logFile()
    const { host, open } = hostOf([misbehavingServer("well", { isShared: true }, log.path)])
    await Promise.all([open(one), open(other)])
    const [pid] = log.started()
    expect(log.started()).toHaveLength(1)
    await host.leave(one)
    expect(isRunning(pid)).toBe(true)
    await host.leave(other)
    expect(isRunning(pid)).toBe(false)
  })

  it.each([
    ["organisations", { org: "acme" }],
    ["folders", { folder: "/other" }],
  ])("that is shared is not shared across %s", async (_, place) => {
    const log = logFile()
    const { open } = hostOf([misbehavingServer("well", { isShared: true }, log.path)])
    await Promise.all([open(one), open(other, place)])
    expect(log.started()).toHaveLength(2)
  })
})
