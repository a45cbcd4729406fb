// The working folder of the recorded sessions: fixed, so that a recording says nothing about the machine it was made on.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Step } from "../../src/models/offline/part.ts"

export const workFolder = "/tmp/turnhouse-recorded-home"

/** One for each model call of the recording, then one for each of the test. */
const steps: readonly Step[] = [
  [{ text: "I look." }, { call: { tool: "bash", input: { command: "cat notes.txt" } } }],
  [{ text: "The notes say: water the plants." }],
  [{ text: "The plants, as I said." }],
]
const killed: readonly Step[] = [
  [{ call: { tool: "bash", input: { command: "sleep 600" } } }],
  [{ text: "I do not know how it ended." }],
]

export const models = { finished: script("finished.json"), killed: script("killed.json") }

/** It stays: another run of the tests on this machine may use it at the same time. */
export function makeWorkFolder(): void {
  mkdirSync(workFolder, { recursive: true })
  writeOnce("notes.txt", "Water the plants.\n")
  writeOnce("turnhouse.json", "{}") // something to trust
  writeOnce("finished.json", JSON.stringify({ delayMs: 0, steps }))
  writeOnce("killed.json", JSON.stringify({ delayMs: 0, steps: killed }))
}

function writeOnce(name: string, text: string): void {
  const path = join(workFolder, name)
  if (existsSync(path) && readFileSync(path, "utf8") === text) return
  writeFileSync(`${path}.${process.pid}`, text)
  renameSync(`${path}.${process.pid}`, path)
}

function script(name: string): string {
  return `offline/script:${join(workFolder, name)}`
}
