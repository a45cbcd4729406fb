// The internal command `log-writer DATABASE`: the process that writes the log of a home (see src/log-writer). Prints one
// line: that it is ready, or why it cannot start.
import { dirname } from "node:path"
import { messageOf } from "../../log/sqlite/faults.ts"
import { serveWriter } from "../../log-writer/server.ts"
import { peerCheck } from "../../processes/peer-process.ts"
import { headKey, homeKey } from "../../secrets/home-key.ts"
import { version } from "../../program/program-files.ts"

export async function runLogWriter(database: string): Promise<number> {
  process.stdout.on("error", () => {}) // the process that started this one has exited
  for (const name of ["SIGHUP", "SIGINT"] as const) process.on(name, () => {})
  try {
    const key = headKey(homeKey(dirname(database)))
    const options = { database, release: version(), headKey: key, refusePeer: peerCheck() }
    await serveWriter(options, () => process.stdout.write("ready\n"))
    return 0
  } catch (fault) {
    process.stdout.write(`${messageOf(fault).replaceAll("\n", " ")}\n`)
    return 1
  }
}
