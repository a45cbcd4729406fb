// Named agents of a session: Markdown files in several folders, read when they are listed or used. The first folder that has
// an agent wins. An invalid file is listed with the reason.
import { readdir, readFile, stat } from "node:fs/promises"
import { basename, join } from "node:path"
import { describeError, hasCode } from "../faults.ts"
import { readAgentFile, type NamedAgent, type ReadAgent } from "./agent-file.ts"

export interface AgentPlace {
  readonly folder: string
  /** Whether they may be used now. */
  readonly isOpen: () => Promise<boolean>
  /** Files of the user; those of a project cannot loosen what asks for approval. */
  readonly isOwn: boolean
}

const MAX_FILES = 200
const MAX_BYTES = 64 * 1024

export class AgentFiles {
  readonly #places: readonly AgentPlace[]

  constructor(places: readonly AgentPlace[]) {
    this.#places = places
  }

  /** In order of their names. */
  async list(): Promise<readonly NamedAgent[]> {
    const agents = (await this.read()).flatMap((read) => (read.kind === "agent" ? [read.agent] : []))
    const first = new Map(agents.toReversed().map((agent) => [agent.name, agent]))
    return [...first.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1))
  }

  async find(name: string): Promise<NamedAgent | undefined> {
    return (await this.list()).find((agent) => agent.name === name)
  }

  /** Every file, unusable ones included. */
  async read(): Promise<readonly ReadAgent[]> {
    const all: ReadAgent[] = []
    for (const { folder, isOpen, isOwn } of this.#places) {
      const names = await namesIn(folder)
      if (names.length === 0 || !(await isOpen())) continue
      for (const name of names.slice(0, MAX_FILES)) all.push(limited(await readFileAt(join(folder, name)), isOwn))
    }
    return all
  }
}

/** An agent of a project asks as often as the session that starts it, or more. */
function limited(read: ReadAgent, isOwn: boolean): ReadAgent {
  if (isOwn || read.kind === "unfit" || read.agent.preset !== "trusting") return read
  return { kind: "unfit", name: read.agent.name, why: "an agent of a project cannot have the preset trusting" }
}

async function readFileAt(path: string): Promise<ReadAgent> {
  const stem = basename(path, ".md")
  const unfit = (why: string): ReadAgent => ({ kind: "unfit", name: stem, why: `${path}: ${why}` })
  try {
    const found = await stat(path)
    if (!found.isFile()) return unfit("it is not a file")
    if (found.size > MAX_BYTES) return unfit(`it has more than ${MAX_BYTES} bytes`)
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await readFile(path))
    const read = await readAgentFile(stem, text)
    return read.kind === "agent" ? read : unfit(read.why)
  } catch (error) {
    return unfit(error instanceof TypeError ? "it is not text" : describeError(error))
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder)
    return names.filter((name) => name.endsWith(".md") && !name.startsWith(".")).toSorted()
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP")) return [] // no usable folder
    throw error
  }
}
