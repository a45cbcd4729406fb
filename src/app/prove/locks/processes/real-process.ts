// A process of `prove locks` as its parent sees it.
import { fileURLToPath } from "node:url"
import { moduleUrl } from "../../../../program/program-files.ts"
import type { Workspace } from "../../../demo/workspace.ts"
import { HostProcess } from "../../host-process.ts"
import type { LockAnswer, LockCommand } from "../play/lock-commands.ts"
import type { StagedProcess, Stall } from "../play/stage.ts"
import { machineMs, type ProgramReply, type ProgramRequest } from "./program-messages.ts"

const program = fileURLToPath(moduleUrl("app/prove/locks/processes/lock-program"))

interface Pending {
  readonly answer: (answer: LockAnswer | undefined) => void
  readonly onQueued: (by: string, at: number) => void
}

export class RealProcess implements StagedProcess {
  readonly name: string
  /** False if it ended before. */
  readonly ready: Promise<boolean>
  readonly stalls: Stall[] = []
  diedAt: number | undefined
  readonly #process: HostProcess
  readonly #ready = Promise.withResolvers<boolean>()
  readonly #pending = new Map<number, Pending>()
  #requests = 0

  constructor(workspace: Workspace, programArguments: readonly string[]) {
    this.#process = HostProcess.start(workspace, programArguments, {
      onLine: (line) => this.#take(JSON.parse(line)),
      module: program,
    })
    this.name = `process ${this.#process.pid}`
    this.ready = this.#ready.promise
    void this.#process.exited.then(() => this.#end())
  }

  get hasExited(): boolean {
    return this.#process.exit !== undefined
  }

  perform(command: LockCommand, onQueued: Pending["onQueued"] = () => {}): Promise<LockAnswer | undefined> {
    if (this.hasExited) return Promise.resolve(undefined)
    const id = (this.#requests += 1)
    return new Promise((answer) => {
      this.#pending.set(id, { answer, onQueued })
      this.#send({ type: "perform", id, command })
    })
  }

  setClock(offsetMs: number): void {
    this.#send({ type: "clock", offsetMs })
  }

  freeze(): void {
    this.#process.signal("SIGSTOP")
  }

  thaw(): void {
    this.#process.signal("SIGCONT")
  }

  async kill(): Promise<void> {
    this.diedAt ??= machineMs()
    this.#process.signal("SIGKILL")
    await this.#process.exited
  }

  #send(request: ProgramRequest): void {
    this.#process.stdin?.write(`${JSON.stringify(request)}\n`)
  }

  #take(reply: ProgramReply): void {
    if (reply.type === "ready") return this.#ready.resolve(true)
    if (reply.type === "stalled") return void this.stalls.push(reply)
    const pending = this.#pending.get(reply.id)
    if (reply.type === "queued") return pending?.onQueued(reply.by, reply.at)
    this.#pending.delete(reply.id)
    pending?.answer(reply.answer)
  }

  #end(): void {
    this.#ready.resolve(false)
    for (const { answer } of this.#pending.values()) answer(undefined)
    this.#pending.clear()
  }
}
