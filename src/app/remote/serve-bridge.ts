// The remote side of `attach user@box`: the native API of this home on standard input and output, for one client. Starts
// the background host if none runs, and follows sessions from host to host, so that the client sees no change of host.
import { doors } from "../../doors/table.ts"
import { version } from "../../program/program-files.ts"
import { attachStreams } from "../../transports/stream-lines.ts"
import type { AppContext } from "../context.ts"
import { connectHome } from "../host/home-connection.ts"
import { ask } from "../host/send-command.ts"
import { localUser } from "../local-user.ts"

/** Clients send a sign of life every 15 seconds; without one the connection is dead. */
const MAX_SILENCE_MS = 60_000

/** Resolves when the client is gone. */
export async function serveBridge(context: AppContext): Promise<void> {
  const home = await connectHome(context, "bridge")
  try {
    const { hostId, role } = await ask(home.port, { type: "host" }) // a host that does not start is reported by now
    const { open, limits } = await doors.house.load()
    const options = {
      port: home.port,
      by: { principal: localUser(), door: "house" },
      host: hostId,
      role,
      release: version(),
    }
    await new Promise<void>((resolve) => {
      const connection = attachStreams(process.stdin, process.stdout, limits.lineBytes, (lines) => {
        const receive = open(lines, options)
        return (line) => {
          silence.refresh()
          receive(line)
        }
      })
      const silence = setTimeout(() => connection.destroy(), MAX_SILENCE_MS)
      void connection.closed.then(() => clearTimeout(silence)).then(resolve)
    })
  } finally {
    await home.close()
  }
}
