// The session socket (brainwires IPC) as a target: the door in this process, on its real Unix socket.
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import type { SessionId } from "../../../../contract/ids.ts"
import { openIpcDoor, type IpcDoor } from "../../../../doors/ipc/door.ts"
import { newId, newSessionId } from "../../../../host/new-ids.ts"
import { defaultBlocked } from "../../../../slash-commands/resolve.ts"
import type { FuzzTarget, TargetPlace } from "../fuzz-target.ts"
import { FuzzedHost } from "./fuzzed-host.ts"
import { FuzzingViewer, ipcSeeds, ipcWords } from "./ipc-client.ts"

export async function openTarget(place: TargetPlace): Promise<FuzzTarget> {
  const host = await FuzzedHost.open(place, "host")
  const folder = join(host.cwd, "..", "home/sessions")
  let sessionId: SessionId = ""
  let door: IpcDoor | undefined
  const session = async () => {
    if (door?.isReachable === true) return sessionId
    await door?.close() // its session has ended
    sessionId = await host.createSession("ipc")
    door = await openDoor(host, folder, sessionId)
    return sessionId
  }
  const client = new FuzzingViewer({
    folder,
    session,
    report: host.report,
    throwReported: () => host.throwReported(),
  })
  return {
    name: "ipc",
    seeds: ipcSeeds,
    words: ipcWords,
    modules: ["doors/ipc/", "doors/core/", "protocols/ipc/", "transports/framing/", "transports/socket-bytes"],
    run: (input) => client.run(input),
    check: () => client.check(),
    close: async () => {
      client.close()
      await door?.close()
      await host.close()
    },
  }
}

function openDoor(host: FuzzedHost, folder: string, sessionId: SessionId): Promise<IpcDoor> {
  return openIpcDoor({
    sessionId,
    folder,
    port: host.running.port,
    admits: () => true,
    by: { principal: "you", door: "ipc" },
    pid: process.pid,
    newId,
    newToken: () => randomBytes(32).toString("hex"),
    newSessionId: () => newSessionId(Date.now()),
    now: Date.now,
    blockedCommands: defaultBlocked,
    newSessionOnce: false,
    childReady: async () => {},
    warn: (message) => host.report("message", message),
  })
}
