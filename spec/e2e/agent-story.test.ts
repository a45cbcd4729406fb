// The agent at work on this very repository: it reads AGENTS.md, renames a function in all its places, looks at a
// screenshot, runs the tests and corrects a failure, while its process is killed and another terminal watches. Undo restores
// every file.
import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { startPlayer } from "../../bench/agent/player.ts"
import { call, found, use, type Script, type Task } from "../../bench/agent/task.ts"
import { pixelIn, pngOf } from "../../bench/agent/tasks/documents.ts"
import { scriptedModel } from "../../bench/agent/turnhouse.ts"
import { eventually } from "./eventually.ts"
import { eventsOf } from "./printed.ts"
import { newPlace, openInput } from "./turnhouse.ts"

const repository = fileURLToPath(new URL("../..", import.meta.url))
const colour = "3366cc"
const tested = "src/contract/text/text.test.ts"
const runTests = `PATH="$PWD/node_modules/.bin:$PATH" vitest run ${tested}`

/** The model's part. It forgets the test, so that the test fails. */
const script: Script = function* ({ system, prompt }) {
  const rules = `${system}\n${prompt}`.includes("A refusal is a value, a fault is thrown.")
  const screenshot = yield* use("read", { path: "screenshot.png" })
  const seen = screenshot.images[0] === undefined ? "nothing" : pixelIn(screenshot.images[0])
  const places = yield* use("bash", { command: "grep -rlw shortened src --include=*.ts | sort" })
  const files = places.text.split("\n").filter((line) => line.startsWith("src/"))
  yield files.map((path) => call("read", { path, limit: 40 }))
  const others = files.filter((path) => path !== tested)
  yield others.map((path) => rename(path))
  const failed = yield* use("bash", { command: runTests, timeout: 200 })
  const cause = found(failed, /(shortened is not a function|shortened)/)
  yield [rename(tested)]
  const passed = yield* use("bash", { command: runTests, timeout: 200 })
  const outcome = found(passed, /(\d+ passed, 0 failed)/)
  return `rules ${rules ? "read" : "missing"}; colour ${seen}; ${files.length} files; failed by ${cause}; ${outcome}`
}

function rename(path: string) {
  return call("edit", { path, old_string: "shortened", new_string: "shortenedTo", replace_all: true })
}

const task: Task = {
  name: "story",
  measures: "a whole piece of work",
  instruction: "Rename shortened to shortenedTo everywhere; the tests must pass.",
  files: () => ({}),
  check: () => "",
  script,
}

it("works on this repository through a kill and two terminals, and undo restores every file", async (test) => {
  const place = newPlace(test)
  cloneTo(place.folder)
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: place.folder, encoding: "utf8" })
  const player = await startPlayer([task])
  test.onTestFinished(() => player.server.close())
  place.config({
    model: scriptedModel,
    providers: { anthropic: { type: "anthropic", baseURL: `${player.server.url}/v1`, apiKey: "scripted" } },
    tools: { allow: ["read", "edit", "bash"] },
  })
  expect((await place.run("trust")).code).toBe(0)

  const first = place.start(["run", "--json", task.instruction])
  const { sessionId } = await first.event("session.created")
  const second = place.start(["attach", sessionId], { input: openInput })
  await player.server.arrived(3) // the places are known, the files are not yet changed
  first.signal("SIGKILL")
  await second.prints("0 failed")
  const answer = second.stdout.split("\n").findLast((line) => line.startsWith("rules "))
  expect(answer).toMatch(/^rules read; colour 3366cc; \d{2} files; failed by shortened.*; \d+ passed, 0 failed$/)
  expect(git("diff", "--name-only").trim().split("\n").length).toBeGreaterThan(15)

  second.write("/undo\n")
  await eventually("the work tree is as before", async () => git("status", "--porcelain").trim() === "" || undefined)
  second.endInput()
  await second.ended
  const log = await place.log(sessionId)
  expect(eventsOf(log, "turn.ended").map(({ reason }) => reason)).toEqual(["done"])
})

/** The tracked files as they are now, committed, with the installed packages. */
function cloneTo(folder: string): void {
  execFileSync("sh", [
    "-ec",
    `git -C "$0" ls-files -z | (cd "$0" && xargs -0 cp --parents -t "$1")`,
    repository,
    folder,
  ])
  writeFileSync(join(folder, "screenshot.png"), pngOf(colour))
  linkPackages(join(repository, "node_modules"), join(folder, "node_modules"))
  const author = ["-c", "user.name=test", "-c", "user.email=test@localhost"]
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: folder })
  git("init", "--quiet", "--initial-branch=main")
  git("add", "--all")
  git(...author, "commit", "--quiet", "--message", "Start")
}

/** A folder of its own: tools cannot write into the installation that Turnhouse runs from. */
function linkPackages(from: string, to: string): void {
  mkdirSync(to)
  for (const name of readdirSync(from)) if (!name.startsWith(".vite")) symlinkSync(join(from, name), join(to, name))
}
