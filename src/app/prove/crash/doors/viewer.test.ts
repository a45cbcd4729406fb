import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { OwnFiles } from "../../../../doors/ipc/agent-files.ts"
import { metadataOf } from "../../../../protocols/ipc/agent-descriptions.ts"
import { agentFiles } from "../../../../protocols/ipc/agent-paths.ts"
import { emptyFolder, ipcWorld, openDoor } from "../../../../testing/doors/ipc-world.ts"
import { claimSocket } from "../../../../transports/claimed-socket.ts"
import { DoorMemory } from "./door-client.ts"
import { connectViewer } from "./viewer.ts"

it("leaves the socket of a suspended host, which accepts it and never answers, for that of the next host", async () => {
  const { port, session } = await ipcWorld()
  const folder = emptyFolder()
  const files = new OwnFiles(
    agentFiles(folder, session.id),
    "0".repeat(64),
    metadataOf(session.id, session.status, { pid: process.pid, now: Date.now() }),
    (fault) => expect.unreachable(String(fault)),
  )
  const asked = Promise.withResolvers<void>()
  const suspended = await claimSocket(
    join(folder, `${session.id}.sock`),
    () => true,
    (socket) =>
      void socket
        .on("error", () => {})
        .on("end", () => socket.end())
        .once("data", () => asked.resolve()),
    { beforehand: () => files.write() },
  )
  onTestFinished(() => suspended.leave())
  const problems: string[] = []
  const report = (_: string, __: string, what: string): void => expect.unreachable(what)
  const connecting = connectViewer(folder, session.id, {
    memory: new DoorMemory("host", report, false),
    signal: new AbortController().signal,
    onProblem: (problem) => problems.push(problem),
  })
  await asked.promise
  expect(problems).toEqual(["it is connected and has no answer"])
  await openDoor(port, session.id, { folder, replaces: true })
  const viewer = await connecting
  expect(problems).toContain("the socket was replaced first")
  viewer.close()
})
