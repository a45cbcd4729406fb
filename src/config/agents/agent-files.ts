// Named agents of a session: Markdown files in several folders, read when they are listed or used. The first folder that has
// an agent wins. An invalid file is listed with the reason.
import { basename, join } from "node:path"
import { markdownOf, readSmallText } from "../folder-files.ts"
import { callNames, withPluginFolder, type FilePlace } from "../plugin-place.ts"
import { readAgentFile, type NamedAgent, type ReadAgent } from "./agent-file.ts"

export interface AgentPlace extends FilePlace {
  /** Files of the user; those of a project or a plugin cannot loosen what asks for approval. */
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
    const { shown } = await this.#named()
    const agents = [...shown].map(([name, { agent }]) => ({ ...agent, name }))
    return agents.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  }

  async find(name: string): Promise<NamedAgent | undefined> {
    const found = (await this.#named()).find(name)
    return found === undefined ? undefined : { ...found.agent, name }
  }

  /** Why files are not used, each with its path. */
  async problems(): Promise<readonly string[]> {
    return (await this.read()).flatMap((one) => (one.kind === "unfit" ? [one.why] : []))
  }

  /** Why the file of an agent cannot be used. */
  async problemOf(name: string): Promise<string | undefined> {
    const found = (await this.read()).find((one) => one.kind === "unfit" && one.name === name)
    return found?.kind === "unfit" ? found.why : undefined
  }

  /** Every file, unusable ones included. */
  async read(): Promise<readonly ReadAgent[]> {
    return (await this.#files()).map(({ read }) => read)
  }

  async #named() {
    const files = await this.#files()
    return callNames(
      files.flatMap(({ read, plugin }) =>
        read.kind === "agent" ? [{ agent: read.agent, name: read.agent.name, plugin }] : [],
      ),
    )
  }

  async #files(): Promise<readonly { readonly read: ReadAgent; readonly plugin: string | undefined }[]> {
    const all = []
    for (const place of this.#places) {
      const names = await markdownOf(place)
      if (names.length === 0 || !(await place.isOpen())) continue
      for (const name of names.slice(0, MAX_FILES)) {
        all.push({ read: await readFileAt(join(place.folder, name), place), plugin: place.plugin?.id })
      }
    }
    return all
  }
}

/** An agent of a project or a plugin asks as often as the session that starts it, or more. */
function limited(read: ReadAgent, isOwn: boolean): ReadAgent {
  if (isOwn || read.kind === "unfit" || read.agent.preset !== "trusting") return read
  const { name } = read.agent
  return { kind: "unfit", name, why: "only an agent of the user can have the preset trusting" }
}

async function readFileAt(path: string, { plugin, isOwn }: AgentPlace): Promise<ReadAgent> {
  const stem = basename(path, ".md")
  const unfit = (name: string, why: string): ReadAgent => ({ kind: "unfit", name, why: `${path}: ${why}` })
  const file = await readSmallText(path, MAX_BYTES)
  if (file.kind !== "text") return unfit(stem, file.kind === "absent" ? "it does not exist" : file.why)
  const read = limited(await readAgentFile(stem, withPluginFolder(file.text, plugin)), isOwn)
  return read.kind === "agent" ? read : unfit(read.name, read.why)
}
