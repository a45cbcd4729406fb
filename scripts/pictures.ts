// Makes the pictures and the recording of docs/terminal.md from real runs of the program on a pseudo-terminal, with the
// offline demo: a turn with a tool, an approval, a diff, leaving, coming back, and a host that is killed in mid-answer.
// Run: node scripts/pictures.ts
import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { eventually } from "../spec/e2e/eventually.ts"
import { hostsOf } from "../spec/e2e/hosts.ts"
import { Place, program } from "../spec/e2e/place.ts"
import { Window } from "../spec/terminal/window.ts"
import { Recording } from "./pictures/recording.ts"
import { palettes, svgOf } from "./pictures/svg.ts"

const folder = fileURLToPath(new URL("../docs/pictures/", import.meta.url))
const size = { columns: 80, rows: 24 }
const recording = new Recording()

mkdirSync(folder, { recursive: true })
const place = new Place().open()
try {
  const project = projectIn(place)
  await eventually("a session that waits", async () =>
    (await place.sessions()).find((one) => one["activity"] === "asking"),
  )
  await tell(project)
  writeFileSync(join(folder, "terminal.cast"), recording.end(size))
} finally {
  await place.close()
}

interface Project {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

async function tell(project: Project): Promise<void> {
  const first = open(project, [])
  await first.shows("idle", "· main")
  picture(first, "1-start", "turnhouse without a command: a new session in this folder")
  await ask(first, "read package.json and tell me the name")
  picture(first, "2-tool", "A turn with a tool")
  await ask(first, "read colours.txt")
  send(first, "write green to colours.txt")
  await first.shows("y yes")
  picture(first, "3-approval", "A call that changes a file waits for approval")
  first.type("y")
  await first.shows("I wrote colours.txt", "idle")
  picture(first, "4-diff", "The change as a diff")
  first.press("ctrlD")
  await first.ended
  await first.shows("Come back")
  picture(first, "5-detach", "Leaving: the session stays, and the window says how to come back")
  await comeBack(project)
}

async function comeBack(project: Project): Promise<void> {
  const second = open(project, ["attach"])
  await second.shows("read package.json")
  picture(second, "6-picker", "turnhouse attach: all sessions, those that wait for approval first")
  second.press("down", "enter")
  await second.shows("I wrote colours.txt", "idle")
  picture(second, "7-attach", "The same session in another window")
  const [host = 0] = hostsOf(place.home)
  send(second, "help")
  await second.shows("This is what I can")
  process.kill(host, "SIGKILL")
  await second.shows("reconnecting")
  picture(second, "8-host-killed", "The host was killed in mid-answer: the window reconnects")
  await second.shows("tell me the name.", "idle")
  picture(second, "9-continued", "The next host has finished the answer: nothing is lost or repeated")
  second.press("ctrlD")
  await second.ended
}

/** A small project of a user, and another session that waits for approval. */
function projectIn({ root, env }: Place): Project {
  const home = join(root, "user")
  const cwd = join(home, "shop-api")
  mkdirSync(cwd)
  execFileSync("git", ["init", "-q", "-b", "main", cwd])
  writeFileSync(join(cwd, "package.json"), `{\n  "name": "shop-api",\n  "version": "1.4.0"\n}\n`)
  writeFileSync(join(cwd, "colours.txt"), "red\nblue\n")
  place.config({ model: "offline/demo" })
  const terminal = { TERM: "xterm-256color", LANG: "C.UTF-8" }
  const project = { cwd, env: { ...env, ...terminal } }
  execFileSync(program, ["run", "--detach", "run `git push origin main`"], { cwd, env: project.env })
  return project
}

function open({ cwd, env }: Project, args: readonly string[]): Window {
  recording.command(["turnhouse", ...args].join(" "))
  return new Window(program, args, { ...size, cwd, env, record: recording.add })
}

/** Typed, and answered completely. */
async function ask(window: Window, prompt: string): Promise<void> {
  send(window, prompt)
  await window.shows(`you  ${prompt}`)
  await window.until(
    "the end of the turn",
    () => (window.emulator.lines.at(-1)?.includes("idle") ?? false) || undefined,
  )
}

function send(window: Window, prompt: string): void {
  window.type(prompt)
  window.press("enter")
}

function picture({ emulator }: Window, name: string, title: string): void {
  for (const [palette, colours] of Object.entries(palettes))
    writeFileSync(join(folder, `${name}-${palette}.svg`), svgOf(emulator, colours, title))
}
