import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, it } from "vitest"
import { valueOf } from "../../log/fixtures.ts"
import { openMemoryLog } from "../../log/sqlite/sqlite-log.ts"
import { thisHost } from "../../log/process-identity.ts"
import { version } from "../../program/program-files.ts"
import { versionProblem } from "../../protocols/house/limits.ts"
import { backgroundHost, backgroundRole } from "./background-host.ts"
import { Connections } from "./connections.ts"
import { socketPath } from "./socket-path.ts"

it("a background host that speaks no version of this release is named, with its process and what to do", async (test) => {
  const home = mkdtempSync(join(tmpdir(), "turnhouse-other-release-"))
  test.onTestFinished(() => rmSync(home, { recursive: true }))
  const log = openMemoryLog()
  const { hostId } = valueOf(await log.registerHost(thisHost(backgroundRole)))
  const what = versionProblem(1, [9, 8]) ?? ""
  const server = createServer((socket) => {
    socket.on("data", () =>
      socket.write(`${JSON.stringify({ type: "refused", refusal: { code: "frame.bad", what } })}\n`),
    )
  })
  test.onTestFinished(() => void server.close())
  const path = socketPath(home, hostId)
  mkdirSync(dirname(path))
  await new Promise<void>((resolve) => server.listen(path, resolve))

  const connections = new Connections(home, "test")
  const releases = `is of another release than this Turnhouse ${version()}: ${what}`
  const advice = `Use its release, end it with 'kill ${process.pid}', or set TURNHOUSE_HOME to another folder.`
  await expect(backgroundHost(home, log, connections)).rejects.toThrow(
    `the background host (pid ${process.pid}) ${releases}. ${advice}`,
  )
  connections.close()
})
