import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { startPostgres } from "../../testing/servers/postgres-server.ts"
import { appendOf, hostNamed, refusalOf, sessionIdOf, textEvent, valueOf } from "../fixtures.ts"
import { PostgresLog } from "./postgres-log.ts"

const BALLAST_BYTES = 30_000_000
const EVENT_BYTES = 40_000
const MAX_EVENTS = 5000

/** A disk of its own; only root may mount one. */
function smallDisk(): string {
  const folder = mkdtempSync(join(tmpdir(), "turnhouse-small-disk-"))
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=160m", "tmpfs", folder])
  onTestFinished(() => {
    execFileSync("umount", [folder])
    rmSync(folder, { recursive: true, force: true })
  })
  chmodSync(folder, 0o777)
  return folder
}

it("refuses what does not fit on the disk of PostgreSQL, keeps what it acknowledged, and goes on when there is room", async () => {
  const disk = smallDisk()
  const ballast = join(disk, "ballast")
  writeFileSync(ballast, Buffer.alloc(BALLAST_BYTES))
  const settings = ["max_wal_size=32MB", "min_wal_size=32MB"]
  const server = await startPostgres({ folder: disk, settings })
  onTestFinished(() => server.remove())
  const log = new PostgresLog({ url: server.createDatabase() })
  onTestFinished(() => log.close())
  const lease = valueOf(await log.registerHost(hostNamed("first")))
  const one = sessionIdOf(1)
  valueOf(await log.create(lease, appendOf(one, 0, "a")))
  const large = () => [textEvent(randomBytes(EVENT_BYTES).toString("base64"))] // text that cannot be compressed
  let seq = 1
  let refusal: ReturnType<typeof refusalOf>
  while (refusal === undefined && seq < MAX_EVENTS) {
    const appended = await log.append(lease, { ...appendOf(one, seq), events: large() })
    if (appended.kind === "ok") seq += 1
    else refusal = refusalOf(appended)
  }
  expect(refusal).toMatchObject({ code: "log.unavailable", what: expect.stringContaining("No space left on device") })
  rmSync(ballast)
  valueOf(await log.append(lease, { ...appendOf(one, seq), events: large() }))
  expect(valueOf(await log.find(one)).seq).toBe(seq + 1)
  expect(valueOf(await log.inspect())).toEqual([])
})
