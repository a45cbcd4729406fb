// Which processes may connect to the Unix sockets of a host: none that a tool or an extension started. A refused
// connection is closed without an answer and reported in the host's log, once per reason.
import { endedPeer, peerCheck, type ToolGroups } from "../../processes/peer-process.ts"
import type { Admits } from "../../transports/unix-socket.ts"
import { printNotice } from "../terminal.ts"

/** A tool that tries again and again must not fill the log. */
const maxReports = 100

export function admitPeers(toolGroups: ToolGroups): Admits {
  const check = peerCheck(toolGroups)
  const reported = new Set<string>()
  return (socket) => {
    const why = check(socket)
    if (why !== undefined && !why.endsWith(endedPeer) && !reported.has(why) && reported.size < maxReports) {
      reported.add(why)
      printNotice(`turnhouse: ${why}`)
    }
    return why === undefined
  }
}
