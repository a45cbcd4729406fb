// The working folder of the recorded sessions: fixed, so that a recording says nothing about the machine it was made on.
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
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

export function makeWorkFolder(): void {
  mkdirSync(workFolder)
  writeFileSync(join(workFolder, "notes.txt"), "Water the plants.\n")
  writeFileSync(join(workFolder, "turnhouse.json"), "{}") // something to trust
  writeFileSync(join(workFolder, "finished.json"), JSON.stringify({ delayMs: 0, steps }))
  writeFileSync(join(workFolder, "killed.json"), JSON.stringify({ delayMs: 0, steps: killed }))
}

export function removeWorkFolder(): void {
  rmSync(workFolder, { recursive: true, force: true })
}

function script(name: string): string {
  return `offline/script:${join(workFolder, name)}`
}
