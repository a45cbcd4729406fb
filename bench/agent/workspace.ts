// The repository of one run of a task, in a temporary folder, and its check.
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { checkHead, type Task } from "./task.ts"

const execute = promisify(execFile)
const author = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"]
const checkLimitMs = 60_000

export class Workspace {
  readonly folder: string
  readonly #task: Task
  readonly #word: string

  constructor(task: Task, word: string) {
    this.#task = task
    this.#word = word
    this.folder = mkdtempSync(join(tmpdir(), `turnhouse-task-${task.name}-`))
  }

  async prepare(): Promise<void> {
    for (const [name, content] of Object.entries(this.#task.files(this.#word))) this.#write(name, content)
    await this.#git("init", "--quiet", "--initial-branch=main")
    await this.#git("add", "--all")
    await this.#git(...author, "commit", "--quiet", "--message", "Start")
    for (const command of this.#task.setup ?? []) await execute("sh", ["-ec", command], { cwd: this.folder })
  }

  /** Why the task is not solved; undefined if it is. */
  async problem(): Promise<string | undefined> {
    const file = this.#write(".check.mjs", `${checkHead}\n${this.#task.check(this.#word)}\n`)
    try {
      await execute(process.execPath, [file], { cwd: this.folder, timeout: checkLimitMs })
      return undefined
    } catch (fault) {
      return reasonIn(fault)
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  #write(name: string, content: string | Uint8Array): string {
    const path = join(this.folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    return path
  }

  async #git(...args: readonly string[]): Promise<void> {
    await execute("git", args, { cwd: this.folder })
  }
}

function reasonIn(fault: unknown): string {
  const text = fault instanceof Error && "stderr" in fault ? String(fault.stderr) : String(fault)
  const line = text.split("\n").find((candidate) => /Error/.test(candidate))
  return line?.trim() ?? "the check failed"
}
