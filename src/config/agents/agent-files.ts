// Named agents of a session: Markdown files in several folders, read when they are listed or used. The first folder that has
// an agent wins. An invalid file is listed with the reason.
import { basename, join } from "node:path"
import { markdownIn, readSmallText } from "../folder-files.ts"
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
      const names = await markdownIn(folder)
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
  const file = await readSmallText(path, MAX_BYTES)
  const read = file.kind === "text" ? await readAgentFile(stem, file.text) : file
  if (read.kind === "agent") return read
  return { kind: "unfit", name: stem, why: `${path}: ${read.kind === "absent" ? "it does not exist" : read.why}` }
}
