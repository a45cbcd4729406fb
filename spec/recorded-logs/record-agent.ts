// Records the work of an agent for this folder: `node spec/recorded-logs/record-agent.ts 0.2.0-agent`. It drives the real
// program through background shells, tasks, undo, plan mode, a fallback model, and settings that clients type.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Part, Step } from "../../src/models/offline/part.ts"
import type { JsonValue } from "../../src/contract/values.ts"
import { command, folder, place, record } from "./recording.ts"

const [, , name] = process.argv
if (name === undefined) throw new Error("name what is recorded, such as 0.2.0-agent")

const call = (tool: string, input: JsonValue): Part => ({ call: { tool, input } })
const busy: Part = { error: { status: 529, message: "overloaded", retryAfter: 0 } }
let scripts = 0

async function type(id: string, ...lines: readonly string[]): Promise<void> {
  const { stderr } = await place.start(["attach", id], { cwd: folder, input: `${lines.join("\n")}\n` }).ended
  if (stderr.includes("turnhouse: ")) throw new Error(stderr)
}

/** In an empty conversation: a script plays the step that the length of the conversation says. */
async function turn(id: string, prompt: string, steps: readonly Step[]): Promise<void> {
  scripts += 1
  writeFileSync(join(folder, `${scripts}.json`), JSON.stringify({ delayMs: 0, steps }))
  await type(id, "/clear", `/model offline/script:${folder}/${scripts}.json`)
  const { code, stderr } = await place.start(["run", "--session", id, prompt], { cwd: folder }).ended
  if (code === 2) throw new Error(stderr)
}

async function play(): Promise<string> {
  writeFileSync(join(folder, "spare.json"), JSON.stringify({ delayMs: 0, steps: [[{ text: "I step in." }]] }))
  place.config({
    tools: { allow: ["bash", "bash_*", "todo"] },
    fallback: [`offline/script:${folder}/spare.json`],
  })
  const id = await command("new")
  await type(id, "/rename agent", "/thinking high", "/thinking off")
  const shell = call("bash", { command: "sleep 600", run_in_background: true })
  await turn(id, "Start a server.", [[shell], [call("bash_kill", { id: "bash_1" })], [{ text: "It is gone." }]])
  const todos = [{ content: "Look around", status: "in_progress" }]
  await turn(id, "Plan your work.", [[call("todo", { todos })], [{ text: "Planned." }]])
  await type(id, "/task:add mend it", "/task:start 1", "/checkpoint before", "/mdap on", "/mdap off")
  await turn(id, "Change a file.", [[call("bash", { command: "echo two > notes.txt" })], [{ text: "Changed." }]])
  await type(id, "/undo")
  await type(id, "/plan:mode the shop", "/plan:mode:exit", "/edit")
  await turn(id, "Who answers?", [{ attempts: Array.from({ length: 6 }, () => [busy]) }])
  await command("stop", id)
  return id
}

await record(name, () => {
  writeFileSync(join(folder, "notes.txt"), "one\n")
  return play()
})
