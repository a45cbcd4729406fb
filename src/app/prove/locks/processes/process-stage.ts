// Real processes that share one lock table. They are suspended, continued and killed with signals; their tools move a ref of
// one repository, whose reflog has what they did in the order in which they did it.
import { existsSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import type { Workspace } from "../../../demo/workspace.ts"
import type { Stage, StagedProcess, Stall } from "../play/stage.ts"
import { machineMs } from "./program-messages.ts"
import { RealProcess } from "./real-process.ts"

/** Leases of 15 seconds take less than one. */
const SPEED = 20
/** On a busy machine. */
const LATE_MS = 450
const effectsRef = "refs/effects/all"
/** Between its start and its effect its process may lose the lock. */
const tool = `cd "$1" || exit
commit=$(git commit-tree -m "$2" "$3") || exit
sleep 0.0$(($$ % 10))
git update-ref --create-reflog -m "$2" ${effectsRef} "$commit"
`

export class ProcessStage implements Stage {
  readonly speed = SPEED
  readonly lateMs = LATE_MS
  /** A process that is killed in the middle of a change may have removed the file of a hold that it could not take. */
  readonly hasCertainFiles = false
  readonly #workspace: Workspace
  readonly #arguments: readonly string[]
  readonly #processes: RealProcess[] = []
  #isClosed = false
  readonly #idle = new Set<StagedProcess>()

  static async open(workspace: Workspace): Promise<ProcessStage> {
    const repository = workspace.path("repository")
    await workspace.git(["init", "-q", repository], workspace.folder)
    await workspace.git(["config", "user.name", "prove"], repository)
    await workspace.git(["config", "user.email", "prove@example.invalid"], repository)
    const tree = await workspace.git(["hash-object", "-w", "-t", "tree", "/dev/null"], repository)
    const table = workspace.path("home/locks.db")
    return new ProcessStage(workspace, [table, String(SPEED), workspace.write("tool.sh", tool), repository, tree])
  }

  private constructor(workspace: Workspace, programArguments: readonly string[]) {
    this.#workspace = workspace
    this.#arguments = programArguments
  }

  now(): number {
    return machineMs()
  }

  pause(ms: number): Promise<void> {
    return sleep(ms, undefined, { ref: false })
  }

  async start(): Promise<RealProcess> {
    if (this.#isClosed) throw new Error("the proof is over")
    const idle = this.#processes.find((process) => this.#idle.delete(process))
    if (idle !== undefined) return idle
    const process = new RealProcess(this.#workspace, this.#arguments)
    this.#processes.push(process)
    if (!(await process.ready)) throw new Error("a process of the proof ended by itself")
    return process
  }

  async dismiss(process: StagedProcess): Promise<void> {
    this.#idle.add(process)
  }

  setClock(offsetMs: number): void {
    for (const process of this.#processes) process.setClock(offsetMs)
  }

  /** What it started is stopped by its numbers, so its locks are free at once. */
  freedAt(name: string): number | undefined {
    return this.#find(name)?.diedAt
  }

  stallsOf(name: string): readonly Stall[] {
    return this.#find(name)?.stalls ?? []
  }

  async effects(): Promise<ReadonlyMap<string, readonly number[]>> {
    const reflog = this.#workspace.path("repository/.git/logs", effectsRef)
    const effects = new Map<string, number[]>()
    for (const line of existsSync(reflog) ? readFileSync(reflog, "utf8").split("\n") : [])
      for (const { id, fence } of locksIn(line)) effects.set(id, [...(effects.get(id) ?? []), fence])
    return effects
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#processes.map((process) => process.kill()))
  }

  #find(name: string): RealProcess | undefined {
    return this.#processes.find((process) => process.name === name)
  }
}

/** Locks and their numbers in the message of a line: `build:/1/0 7 test:/1/0 8`. */
function locksIn(line: string): readonly { readonly id: string; readonly fence: number }[] {
  const words = (line.split("\t")[1] ?? "").split(" ")
  return words.flatMap((id, index) => (index % 2 === 0 && id !== "" ? [{ id, fence: Number(words[index + 1]) }] : []))
}
