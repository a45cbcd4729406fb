// A real process of the program that gets some of the inputs, and what its system says that it uses.
import { readFileSync } from "node:fs"
import type { Workspace } from "../../../demo/workspace.ts"
import { HostProcess } from "../../host-process.ts"
import { proofHome } from "../../proof-home.ts"
import type { ProofFolder } from "../../run-proof.ts"
import { proofLimits } from "../../served/proof-server.ts"
import { megabytes, openDescriptors } from "../engine/bounds.ts"
import { fuzzedConfig } from "../doors/fuzzed-host.ts"
import { Finding } from "../fuzz-target.ts"

const MAX_MEMORY_BYTES = 1536 * 1024 ** 2
const MAX_MORE_DESCRIPTORS = 256

/** No frame may run a tool here either. */
export const realConfig = { ...fuzzedConfig, server: { limits: proofLimits } }

export class RealProcess {
  readonly workspace: Workspace
  process: HostProcess
  readonly #start: () => HostProcess
  #faults: Finding[] = []
  #firstDescriptors: number | undefined

  /** `name`: of its home in the folder of the proof. */
  constructor(folder: ProofFolder, name: string, args: readonly string[], onLine?: (line: string) => void) {
    this.workspace = proofHome(folder, name)
    this.workspace.writeJson("home/config.json", realConfig)
    this.#start = () => HostProcess.start(this.workspace, args, onLine === undefined ? {} : { onLine })
    this.process = this.#start()
  }

  /** When it has ended as it should. */
  startAgain(): void {
    this.process = this.#start()
    this.#firstDescriptors = undefined
  }

  readonly report = (event: string, what: string): void => {
    this.#faults.push(new Finding(event, what))
  }

  throwReported(): void {
    const [first] = this.#faults.splice(0)
    if (first !== undefined) throw first
  }

  /** It must run, and within bounds. */
  check(): void {
    const { exit, pid } = this.process
    if (exit !== undefined) throw new Finding("process", `it has ended with ${exit.code ?? exit.signal}`)
    const memory = memoryOf(pid)
    if (memory > MAX_MEMORY_BYTES) throw new Finding("memory", `the process uses ${megabytes(memory)} MB`)
    const descriptors = openDescriptors(pid) ?? 0
    this.#firstDescriptors ??= descriptors
    if (descriptors - this.#firstDescriptors > MAX_MORE_DESCRIPTORS)
      throw new Finding("descriptors", `${descriptors} are open, at first ${this.#firstDescriptors}`)
  }

  /** Leaves no process behind; the folder stays. */
  async close(): Promise<void> {
    this.process.signal("SIGKILL")
    await this.process.exited
    await this.workspace.close(true)
  }
}

/** Resident bytes; 0 where the system does not tell. */
function memoryOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8")
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}
