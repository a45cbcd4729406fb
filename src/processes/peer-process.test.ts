// Real processes connect to a real socket; each attempt is one process and one verdict.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { connect, createServer, type Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { cleanUp, freshMark } from "./fixtures/marked.ts"
import { peerCheck, peerCheckProblem, toolDescent, type PeerCheck } from "./peer-process.ts"
import { ProcessSupervisor } from "./process-supervisor.ts"

const mark = freshMark()
const folder = mkdtempSync(join(tmpdir(), "peer-"))
const path = join(folder, "s.sock")
const node = process.execPath
/** Connects, then stays until the server closes the connection. */
const client = `require("node:net").connect(${JSON.stringify(path)}).on("error", () => {}).resume()`
const supervisor = new ProcessSupervisor(mark)
const server: Server = createServer()

beforeAll(async () => {
  server.listen(path)
  await once(server, "listening")
})
afterAll(async () => {
  server.close()
  await supervisor.close()
  await cleanUp(mark)
  rmSync(folder, { recursive: true, force: true })
})

/** What a check says about the next connection. */
function nextVerdict(check: PeerCheck = peerCheck()): Promise<string | undefined> {
  return new Promise((resolve) =>
    server.once("connection", (socket) => {
      resolve(check(socket))
      socket.destroy()
    }),
  )
}

async function asTool(script: string): Promise<void> {
  const env = { PATH: process.env["PATH"] ?? "" }
  const gated = await supervisor.spawn({
    command: "sh",
    args: ["-c", script, "sh", node, client],
    cwd: "/",
    env,
    owner: "o",
  })
  gated.go()
}

describe.runIf(process.platform === "linux")("the process at the other end of a Unix socket", () => {
  it("can be identified on this machine", () => {
    expect(peerCheckProblem()).toBeUndefined()
  })

  it("is accepted if a user's shell started it", async () => {
    const verdict = nextVerdict()
    spawn(node, ["-e", client], { stdio: "ignore" })
    expect(await verdict).toBeUndefined()
  })

  it("is accepted when it is this process", async () => {
    const verdict = nextVerdict()
    connect(path).resume()
    expect(await verdict).toBeUndefined()
  })

  it("is refused when a tool started it", async () => {
    const verdict = nextVerdict()
    await asTool(`"$1" -e "$2"`)
    expect(await verdict).toMatch(/^refused a connection of process \d+: a tool started it$/)
  })

  it("is refused when it has cleared its environment, forked twice and left its session", async () => {
    const verdict = nextVerdict()
    await asTool(`(setsid env -i "$1" -e "$2" &) & exit 0`)
    expect(await verdict).toContain("a tool started it")
  })

  it("is refused by its process group where the limit and the environment say nothing", async () => {
    const env = { PATH: process.env["PATH"] ?? "" }
    const child = spawn("sh", ["-c", `"$1" -e "$2"; exit 0`, "sh", node, client], {
      env,
      stdio: "ignore",
      detached: true,
    })
    const verdict = await nextVerdict(peerCheck(() => new Set([child.pid ?? 0])))
    expect(verdict).toContain("it belongs to a process group of a tool")
  })

  it("is refused by the mark of an ancestor where no limit was set", async () => {
    const verdict = nextVerdict()
    const env = { PATH: process.env["PATH"] ?? "", TURNHOUSE_MARK: `${mark}:o:1` }
    spawn("sh", ["-c", `env -i "$1" -e "$2"; exit 0`, "sh", node, client], { env, stdio: "ignore" })
    expect(await verdict).toContain("it carries the mark of a tool's process")
  })

  it("is refused when it has ended, because it may have left its connection to another process", () => {
    expect(toolDescent(2 ** 30)).toBe("it has already ended")
  })
})
