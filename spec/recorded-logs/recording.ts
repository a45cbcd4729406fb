// What the recorders of this folder share: the real program in a fixed folder, and the files that a recording becomes.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Place } from "../e2e/place.ts"
import { eventsOfExport, replayed } from "./replayed.ts"

/** Part of the recorded events, so it is always the same. */
export const folder = "/tmp/turnhouse-demo"
export const place = new Place().open()

/** Runs a command of the program to its end. */
export async function command(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await place.start(args, { cwd: folder }).ended
  if (code !== 0) throw new Error(`${args.join(" ")}: ${stderr}`)
  return stdout.trim()
}

/** `play` gives the id of the session to record. */
export async function record(name: string, play: () => Promise<string>): Promise<void> {
  mkdirSync(folder)
  try {
    const id = await play()
    await command("export", id, join(place.root, "out"))
    const text = readFileSync(join(place.root, "out"), "utf8")
    const base = join(import.meta.dirname, name)
    writeFileSync(`${base}.ndjson`, text)
    writeFileSync(`${base}.expected.json`, replayed(eventsOfExport(text)))
  } finally {
    await place.close()
    rmSync(folder, { recursive: true })
  }
}
