// The session sockets of a real background host.
import { existsSync } from "node:fs"
import type { SessionId } from "../../../../contract/ids.ts"
import { agentFiles } from "../../../../protocols/ipc/agent-paths.ts"
import type { ProofFolder } from "../../run-proof.ts"
import { FuzzingViewer, ipcSeeds, ipcWords } from "../doors/ipc-client.ts"
import type { FuzzTarget } from "../fuzz-target.ts"
import { RealHost } from "./real-host.ts"

export async function openReal(folder: ProofFolder): Promise<FuzzTarget> {
  const host = await RealHost.start(folder, "ipc-real")
  const hasSocket = (id: SessionId) => existsSync(agentFiles(host.sessionsFolder, id).socket)
  let sessionId = ""
  const session = async () => {
    if (sessionId === "" || !hasSocket(sessionId)) sessionId = await host.createSession()
    return sessionId
  }
  const client = new FuzzingViewer({
    folder: host.sessionsFolder,
    session,
    report: host.report,
    throwReported: () => host.throwReported(),
  })
  return {
    name: "ipc",
    seeds: ipcSeeds,
    words: ipcWords,
    modules: [],
    run: (input) => client.run(input),
    check: async () => {
      await client.check()
      host.check()
    },
    close: async () => {
      client.close()
      await host.close()
    },
  }
}
