// A process that appends events to its own session one by one, and prints each number when it is on disk and how long
// that took. Arguments: database, session id.
import { writeSync } from "node:fs"
import { appendOf, valueOf } from "../../src/log/fixtures.ts"
import { thisHost } from "../../src/log/process-identity.ts"
import { openLogWithWriter } from "../../src/log-writer/client.ts"

const [path = "", sessionId = ""] = process.argv.slice(2)
const log = valueOf(openLogWithWriter({ path }))
const lease = valueOf(await log.registerHost(thisHost("test")))
valueOf(await log.create(lease, appendOf(sessionId, 0, "0")))
process.stdin.on("end", () => process.exit()).resume()
for (let seq = 1; ; seq++) {
  const from = performance.now()
  valueOf(await log.append(lease, appendOf(sessionId, seq, String(seq))))
  writeSync(1, `${JSON.stringify({ seq: seq + 1, ms: performance.now() - from })}\n`)
}
