import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { textIn } from "../../../contract/json-object.ts"
import { answer } from "../../../host/queries/answer.ts"
import { history, newSession, next, prompt, reopen, testHost, testTool, turn, you } from "../../../testing/test-host.ts"
import { emptyHome } from "../../../testing/empty-home.ts"
import { gate, scriptedSource, type Step } from "../../../testing/index.ts"
import { FileHistory } from "../store/file-history.ts"
import { noFiles } from "../../../host/queries/session-files.ts"

let root: string
let home: string
let cwd: string

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "turnhouse-undo-")))
  home = join(root, "home")
  cwd = join(root, "work")
  execFileSync("git", ["init", "-q", cwd])
  writeFileSync(join(cwd, "a.txt"), "one\n")
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const read = () => readFileSync(join(cwd, "a.txt"), "utf8")
const shell = testTool("bash", (input) => {
  execFileSync("sh", ["-c", textIn(input, "command") ?? ""], { cwd })
  return { outcome: "done", output: "" }
})
const look = testTool("look", () => ({ outcome: "done", output: "" }), { class: "read" })

function runs(command: string): Step {
  return [{ call: { tool: "bash", input: { command } } }]
}

function recording() {
  const fileHistory = new FileHistory(home)
  return { fileHistory: { load: () => Promise.resolve(fileHistory) } }
}

const facts = {
  role: "test",
  release: "1",
  startedAt: 0,
  models: async () => [],
  settings: async () => [],
  home: emptyHome,
  files: noFiles,
}

it("reverts what a command changed, rewinds the conversation and names what it cannot revert", async () => {
  const steps: Step[] = [runs("echo two > a.txt"), [{ text: "Done." }]]
  const { host, log } = await testHost(scriptedSource(steps), [shell], recording())
  const session = await newSession(host, { cwd })
  await turn(session, "change it")
  const plan = await answer(host, facts, { type: "undo-plan", sessionId: session.id })
  expect(plan).toMatchObject({ value: { files: [{ path: "a.txt", action: "restored" }], conversation: "rewound" } })
  expect(read()).toBe("two\n")
  expect(await session.send({ type: "undo" }, you)).toMatchObject({ kind: "accepted" })
  const done = await answer(host, facts, { type: "undo-report", sessionId: session.id })
  expect(done).toMatchObject({
    value: {
      report: {
        folder: cwd,
        reverted: 1,
        notReverted: ["May have had effects outside the folder: bash echo two > a.txt"],
      },
    },
  })
  expect(read()).toBe("one\n")
  const types = (await history(log, session.id)).map(({ type }) => type)
  expect(types.slice(-3)).toEqual(["undo.started", "undo.ended", "context.rewound"])
  await host.close()
})

it("takes no snapshot in a turn that only reads", async () => {
  const { host } = await testHost(
    scriptedSource([[{ call: { tool: "look", input: {} } }], [{ text: "Seen." }]]),
    [look],
    recording(),
  )
  const session = await newSession(host, { cwd })
  await turn(session, "look")
  await host.close()
  expect(existsSync(join(home, "snapshots"))).toBe(false)
})

it("is finished by the next host when its own dies in the middle", async () => {
  const steps: Step[] = [runs("echo two > a.txt"), [{ text: "Done." }]]
  const first = await testHost(scriptedSource(steps), [shell], recording())
  const session = await newSession(first.host, { cwd })
  await turn(session, "change it")
  await first.host.closeSession(session.id)
  const stuck = { fileHistory: { load: () => new Promise<FileHistory>(() => {}) } }
  const second = await testHost(scriptedSource([]), [shell], stuck, first.log, 2)
  const dying = await reopen(second.host, session.id)
  await dying.send({ type: "undo" }, you)
  await second.crash()
  expect(read()).toBe("two\n")
  const third = await testHost(scriptedSource([]), [shell], recording(), first.log, 3)
  const opened = await reopen(third.host, session.id)
  const done = await answer(third.host, facts, { type: "undo-report", sessionId: session.id })
  expect(done).toMatchObject({ value: { report: { reverted: 1 } } })
  expect({ text: read(), undoing: opened.state.undoing }).toEqual({ text: "one\n", undoing: undefined })
})

it("records what an interrupted call has changed", async () => {
  const passage = gate()
  const slow = testTool("bash", async () => {
    writeFileSync(join(cwd, "a.txt"), "half\n")
    await passage.pass()
    return { outcome: "done", output: "" }
  })
  const { host } = await testHost(scriptedSource([runs("x"), [{ text: "Done." }]]), [slow], recording())
  const session = await newSession(host, { cwd })
  const started = next(session, "tool.started")
  await prompt(session, "go")
  await started
  await passage.arrived
  await session.send({ type: "interrupt" }, you)
  passage.open()
  await session.send({ type: "undo" }, you)
  const done = await answer(host, facts, { type: "undo-report", sessionId: session.id })
  expect(done).toMatchObject({ value: { report: { reverted: 1, conflicts: 0 } } })
  expect(read()).toBe("one\n")
  await host.close()
})
