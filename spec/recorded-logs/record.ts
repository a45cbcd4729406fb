// Records a session for this folder: `node spec/recorded-logs/record.ts 0.1.0`. It drives the real program through
// every kind of event that it can store, with a scripted model, and takes more than a minute because one turn waits for
// a quota. Its working folder is fixed, so that the recording says nothing about the machine.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Part, Script, Step } from "../../src/models/offline/part.ts"
import { Place } from "../e2e/place.ts"
import { objects } from "../e2e/printed.ts"
import type { Running } from "../e2e/running.ts"
import { eventsOfExport, replayed } from "./replayed.ts"

const folder = "/tmp/turnhouse-demo"
const bash = (command: string): Part => ({ call: { tool: "bash", input: { command } } })
const look: Part = { call: { tool: "ls", input: {} } }
const read: Part = { call: { tool: "read", input: { path: "notes.txt" } } }

/** One a model call, in the order of the turns below. */
const steps: readonly Step[] = [
  [{ reasoning: "I look first." }, { text: "Let me see." }, read, bash("date >stamp")],
  [{ text: "That is what I found." }],
  [bash("echo no; exit 7"), { call: { tool: "teleport", input: {} } }],
  [{ text: "It failed, as it should." }],
  [bash("sleep 600")],
  [bash("touch never")],
  [bash("touch granted")],
  [{ text: "Thank you." }],
  [bash("touch denied")],
  [{ text: "Then not." }],
  [bash("sleep 601")],
  [{ text: "I cannot tell how" }, { hang: true }, { text: " it ended." }],
  { attempts: [[{ error: { status: 429, message: "come back later", retryAfter: 61 } }], [{ text: "Here I am." }]] },
  [{ text: "Where were we?" }],
  [look],
  [look],
  [look],
  [{ text: "I hold" }, { hang: true }, { text: " on" }, { hang: true }],
  [{ text: "Welcome back." }],
]
const quotaStep = 12

class Recording {
  readonly place = new Place().open()
  id = ""

  script(name: string, script: Script): void {
    writeFileSync(join(folder, name), JSON.stringify({ delayMs: 0, ...script }))
  }

  start(...args: readonly string[]): Running {
    const session = this.id === "" ? [] : ["--session", this.id]
    return this.place.start(["run", ...args, ...session, "--json"], { cwd: folder })
  }

  async turn(...args: readonly string[]): Promise<void> {
    const { code, stderr } = await this.start(...args).ended
    if (code === 2 || code === 4) throw new Error(stderr)
  }

  /** Stops a turn at some point of it, by a signal. */
  async stopped(signal: NodeJS.Signals, running: Running, reached: Promise<unknown>): Promise<void> {
    await reached
    running.signal(signal)
    await running.ended
  }

  async stoppedAt(
    signal: NodeJS.Signals,
    at: "tool.started" | "approval.requested" | "compaction.started" | "prompt.admitted",
    ...args: readonly string[]
  ): Promise<void> {
    const running = this.start(...args)
    await this.stopped(signal, running, running.event(at))
  }

  /** Text in the air is kept from time to time; it is killed when that has happened. */
  async killedWhenKept(text: string, ...args: readonly string[]): Promise<void> {
    const running = this.start(...args)
    const kept = async () => {
      await running.prints(text)
      while (!(await this.command("log", this.id, "--json")).includes(".streamed"));
    }
    await this.stopped("SIGKILL", running, kept())
  }

  /** Nothing runs, and nobody has it open. */
  async idle(): Promise<void> {
    while ((await this.place.sessions())[0]?.["activity"] !== "idle");
    await this.command("host", "--stop")
  }

  async command(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.place.start(args, { cwd: folder }).ended
    if (code !== 0) throw new Error(`${args.join(" ")}: ${stderr}`)
    return stdout
  }

  async idOf(...list: readonly string[]): Promise<string> {
    const id = objects(await this.command(...list, "--json"))[0]?.["id"]
    if (typeof id !== "string") throw new Error(`${list.join(" ")} lists nothing`)
    return id
  }
}

async function play(recording: Recording): Promise<void> {
  const broken = steps.with(quotaStep + 1, [{ error: { status: 400, message: "no such thing" } }])
  recording.script("demo.json", { steps })
  recording.script("broken.json", { steps: broken })
  recording.script("small.json", { steps, contextWindow: 4400, maxOutput: 300, summary: "Notes were read.", delayMs: 40 })
  recording.place.config({ limits: { stepsPerTurn: 3 } })

  await recording.turn("Look at the notes.", "--model", "offline/script:demo.json") // nobody approves
  recording.id = await recording.idOf("ls")
  await recording.turn("Try something.", "--yes")
  await recording.stoppedAt("SIGINT", "tool.started", "Sleep.", "--yes")
  await recording.stoppedAt("SIGINT", "approval.requested", "Touch a file.", "--wait", "1h")
  await recording.stoppedAt("SIGKILL", "approval.requested", "Touch another.", "--wait", "1h")
  await recording.command("approve", await recording.idOf("approvals"), "--for", "session")
  await recording.idle() // its turn goes on in the background host
  await recording.command("approvals", "--revoke", await recording.idOf("approvals", "--granted"))
  await recording.stoppedAt("SIGKILL", "approval.requested", "And one more.", "--wait", "1h")
  await recording.command("approve", await recording.idOf("approvals"), "--deny", "--note", "not today")
  await recording.idle()
  await recording.stoppedAt("SIGKILL", "tool.started", "Sleep again.", "--yes")
  await recording.killedWhenKept("how", "--yes")
  await recording.turn("--yes")
  await recording.turn("Are you there?") // waits for a quota
  await recording.turn("Fail.", "--model", "offline/script:broken.json")
  await recording.stoppedAt("SIGINT", "compaction.started", "Make room.", "--model", "offline/script:small.json")
  await recording.turn("Make room again.")
  await recording.turn("Look around, often.", "--model", "offline/script:demo.json")
  await recording.killedWhenKept("hold", "Hold on.")
  await recording.stoppedAt("SIGKILL", "prompt.admitted", "And then?")
  await recording.command("stop", recording.id)
  await recording.turn("Hello again.")
}

const [, , name] = process.argv
if (name === undefined) throw new Error("name the version that is recorded, such as 0.1.0")
const base = join(import.meta.dirname, name)
const recording = new Recording()
mkdirSync(folder)
try {
  writeFileSync(join(folder, "notes.txt"), "A line of notes, so that there is something to read.\n".repeat(250))
  await play(recording)
  await recording.command("export", recording.id, join(recording.place.root, "out"))
  const text = readFileSync(join(recording.place.root, "out"), "utf8")
  writeFileSync(`${base}.ndjson`, text)
  writeFileSync(`${base}.expected.json`, replayed(eventsOfExport(text)))
} finally {
  await recording.place.close()
  rmSync(folder, { recursive: true })
}
