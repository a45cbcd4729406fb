// Refuses connections to a host's Unix sockets from processes that a tool or an extension started. A refused connection
// is closed without an answer and logged once per reason.
import { endedPeer, peerCheck, type ToolGroups } from "../../processes/peer-process.ts"
import type { Admits } from "../../transports/unix-socket.ts"
import { printNotice } from "../terminal.ts"

/** A tool that keeps retrying must not fill the log. */
const maxReports = 100

export function admitPeers(toolGroups: ToolGroups): Admits {
  const check = peerCheck(toolGroups)
  const reported = new Set<string>()
  return (socket) => {
    const reason = check(socket)
    if (reason !== undefined && !reason.endsWith(endedPeer) && !reported.has(reason) && reported.size < maxReports) {
      reported.add(reason)
      printNotice(`turnhouse: ${reason}`)
    }
    return reason === undefined
  }
}
