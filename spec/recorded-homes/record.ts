// Records a home for this folder: `node spec/recorded-homes/record.ts 0.1.0`, before that release. The real program makes
// a finished session, one whose host was killed during a tool call, a document and a trusted folder. The key has a test value.
import { execFileSync } from "node:child_process"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { endHosts } from "../e2e/hosts.ts"
import { endWriter } from "../e2e/log-writer.ts"
import { Place } from "../e2e/place.ts"
import { makeWorkFolder, models, workFolder } from "./folder.ts"

const config = {
  model: models.finished,

  providers: { mock: { type: "openai-compatible", baseURL: "http://127.0.0.1:9/v1", apiKey: "test-only" } },
}
const notHome = ["cache", "hosts", "sessions", "turnhouse.db-writer"]

async function record(place: Place): Promise<void> {
  const command = async (...args: readonly string[]) => {
    const { code, stderr } = await place.start(args, { cwd: workFolder }).ended
    if (code !== 0) throw new Error(`${args.join(" ")}: ${stderr}`)
  }
  writeFileSync(join(place.home, "secret.key"), Buffer.alloc(32, 7), { mode: 0o600 })
  place.config(config)
  await command("run", "What do the notes say?", "--yes", "--model", models.finished)
  const killed = place.start(["run", "Wait a while.", "--yes", "--model", models.killed, "--json"], {
    cwd: workFolder,
  })
  await killed.event("tool.started")
  killed.signal("SIGKILL")
  await killed.ended
  await command("trust", workFolder)
  await command("knowledge", "add", join(workFolder, "notes.txt"))
}

const [, , name] = process.argv
if (name === undefined) throw new Error("name the release that is recorded, such as 0.1.0")
const place = new Place().open()
makeWorkFolder()
try {
  await record(place)
  await endHosts(place.home)
  await endWriter(place.home) // afterwards the database file has everything
  for (const file of notHome) rmSync(join(place.home, file), { recursive: true, force: true })
  execFileSync("tar", [
    "-czf",
    join(import.meta.dirname, `${name}.tar.gz`),
    "--owner=0",
    "--group=0",
    "--numeric-owner",
    "-C",
    place.home,
    ".",
  ])
} finally {
  await place.close()
}
