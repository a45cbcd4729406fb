// A host in this process for a door that is fed: everything is real but the disk, its log is in memory.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { SessionId } from "../../../../contract/ids.ts"
import { openMemoryLog } from "../../../../log/sqlite/sqlite-log.ts"
import { accepted } from "../../../app-fault.ts"
import { startHost, type RunningHost } from "../../../compose.ts"
import { loadContext } from "../../../context.ts"
import { Finding, type TargetPlace } from "../fuzz-target.ts"

/** No frame may run a tool on the machine of the user: all are denied, whatever a frame asks for. */
export const fuzzedConfig = {
  model: "offline/demo:0",
  tools: { deny: ["*"], sandbox: "off" },
  agents: { shop: { tools: [] } },
}

/** Stands in inputs for the id of the session that the door has. */
export const sessionPlaceholder = "01890000-0000-7000-8000-0000000f0022"
/** And for the visit of the WebSocket API, its `sessionId`. */
export const visitPlaceholder = "01890000-0000-4000-8000-0000000f0023"

export class FuzzedHost {
  readonly running: RunningHost
  readonly cwd: string
  readonly #faults: Finding[] = []

  static async open({ folder }: TargetPlace, role: string): Promise<FuzzedHost> {
    const root = mkdtempSync(join(folder, "host-"))
    const home = join(root, "home")
    const cwd = join(root, "folder")
    mkdirSync(home, { mode: 0o700 })
    mkdirSync(cwd)
    writeFileSync(join(home, "config.json"), JSON.stringify(fuzzedConfig))
    const context = await loadContext({ home, cwd })
    const running = await startHost(context, { role, approvalWaitMs: "by preset", openLog: () => openMemoryLog() })
    return new FuzzedHost(running, cwd)
  }

  private constructor(running: RunningHost, cwd: string) {
    this.running = running
    this.cwd = cwd
  }

  async createSession(origin: string): Promise<SessionId> {
    const created = await this.running.port.create({ cwd: this.cwd, origin }, { principal: "you", door: origin })
    return accepted(created).handle.sessionId
  }

  /** Called with what the door could not handle, and with frames that it must not send. */
  readonly report = (event: string, what: string): void => {
    this.#faults.push(new Finding(event, what))
  }

  throwReported(): void {
    const [first] = this.#faults.splice(0)
    if (first !== undefined) throw first
  }

  close(): Promise<void> {
    return this.running.close()
  }
}

/** Puts an id of the same length in the place of a placeholder. The input stays as it is. */
export function withId(input: Uint8Array, placeholder: string, id: string): Uint8Array {
  const mark = Buffer.from(placeholder)
  let changed: Buffer | undefined
  let at = Buffer.from(input.buffer, input.byteOffset, input.byteLength).indexOf(mark)
  while (at !== -1) {
    changed ??= Buffer.from(input)
    changed.write(id, at)
    at = changed.indexOf(mark, at + mark.length)
  }
  return changed ?? input
}

/** Of a frame that is repeated in a report. */
const MAX_QUOTE = 500

export function quoted(text: string): string {
  return text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}…` : text
}
