// The WebSocket API of a real server, with any bytes on its sockets.
import { setTimeout as sleep } from "node:timers/promises"
import { serverUrl } from "../../../serve/server-note.ts"
import type { ProofFolder } from "../../run-proof.ts"
import { FuzzingVisitor, wsSeeds, wsWords } from "../doors/ws-client.ts"
import { Finding, type FuzzTarget } from "../fuzz-target.ts"
import { openRawWebSocket } from "./raw-websocket.ts"
import { RealProcess } from "./real-process.ts"

const LOOK_MS = 20
const START_MS = 60_000

export async function openReal(folder: ProofFolder): Promise<FuzzTarget> {
  const server = new RealProcess(folder, "ws-real", ["serve", "--port", "0", "--quiet"])
  try {
    const port = await portOf(server)
    const client = new FuzzingVisitor({
      connect: (onText) => openRawWebSocket(port, "/ws", onText),
      report: server.report,
      throwReported: () => server.throwReported(),
    })
    return {
      name: "ws",
      seeds: wsSeeds,
      words: wsWords,
      modules: [],
      run: (input) => client.run(input),
      check: async () => {
        await client.check()
        server.check()
      },
      close: async () => {
        client.close()
        await server.close()
      },
    }
  } catch (fault) {
    await server.close()
    throw fault
  }
}

async function portOf(server: RealProcess): Promise<number> {
  for (const deadline = performance.now() + START_MS; performance.now() < deadline; await sleep(LOOK_MS)) {
    const url = serverUrl(server.workspace.home)
    if (url !== undefined) return Number(new URL(url).port)
    server.check()
  }
  throw new Finding("process", "the server does not get ready")
}
