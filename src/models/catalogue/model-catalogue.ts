// Facts about models from three sources: what a provider lists itself, the catalogue that was fetched last, and the one
// that comes with the program. The reader decides which counts for what.
import { join } from "node:path"
import { readdir } from "node:fs/promises"
import { vendors } from "../providers/builtin.ts"
import type { Provider, ProviderType } from "../providers/provider.ts"
import { modelsIn, type CatalogueFile } from "./catalogue-file.ts"
import type { CatalogueModel } from "./catalogue-line.ts"
import { withClaudeOnVertex } from "./claude-on-vertex.ts"
import { readStored } from "./stored-catalogue.ts"

export interface ModelSources {
  readonly own: CatalogueModel | undefined
  readonly fetched: CatalogueModel | undefined
  readonly bundled: CatalogueModel | undefined
}

export interface ModelCatalogue {
  readonly find: (provider: Provider, model: string) => ModelSources
  /** When the list of this provider was fetched; undefined if it was not, or from another address. */
  readonly ownList: (provider: Provider) => Date | undefined
  /** The models that the best source lists for this provider; none if no source knows it. */
  readonly listed: (provider: Provider) => readonly CatalogueModel[]
  readonly bundledData: Pick<CatalogueFile, "source" | "date">
  readonly fetchedData: Pick<CatalogueFile, "source" | "date"> | undefined
  /** Files of the home that were ignored. */
  readonly problems: readonly string[]
}

export const fetchedFile = "catalogue.json"
/** Files with the list of one provider begin with this. */
export const listPrefix = "list-"
const MAX_LISTS = 100

/** `folder`: where a refresh stores what it has fetched; may be missing. */
export async function loadCatalogue(folder: string | undefined): Promise<ModelCatalogue> {
  const [bundled, fetched, ...lists] = await Promise.all([
    bundledCatalogue(),
    folder === undefined ? undefined : readStored(folder, fetchedFile),
    ...(await listFiles(folder)).map((name) => readStored(folder ?? "", name)),
  ])
  const problems = [fetched, ...lists].flatMap((stored) =>
    stored !== undefined && "problem" in stored ? [stored.problem] : [],
  )
  const newer = fetched !== undefined && "file" in fetched ? new Index(fetched.file) : undefined
  const own = lists.flatMap((stored) => (stored !== undefined && "file" in stored ? [new Index(stored.file)] : []))
  const older = new Index(bundled)
  const ofProvider = (provider: Provider) => own.find((list) => list.isListOf(provider))
  return {
    find: (provider, model) => ({
      own: ofProvider(provider)?.find(provider, model),
      fetched: newer?.find(provider, model),
      bundled: older.find(provider, model),
    }),
    ownList: (provider) => {
      const list = ofProvider(provider)
      return list === undefined ? undefined : new Date(list.file.date)
    },
    listed: (provider) =>
      [ofProvider(provider), newer, older]
        .map((index) => index?.models(provider) ?? [])
        .find((models) => models.length > 0) ?? [],
    bundledData: bundled,
    fetchedData: newer?.file,
    problems,
  }
}

/** The file of the list of one provider; names come from the configuration. */
export function listFile(provider: Pick<Provider, "name">): string {
  return `${listPrefix}${encodeURIComponent(provider.name)}.json`
}

async function listFiles(folder: string | undefined): Promise<readonly string[]> {
  if (folder === undefined) return []
  const names = await readdir(join(folder)).catch(() => []) // not there: nothing was fetched yet
  return names.filter((name) => name.startsWith(listPrefix) && name.endsWith(".json")).slice(0, MAX_LISTS)
}

async function bundledCatalogue(): Promise<CatalogueFile> {
  const { bundledData } = await import("./bundled-data.ts")
  return bundledData
}

/** A catalogue whose models are parsed when their provider is first looked at. */
class Index {
  readonly file: CatalogueFile
  readonly #models = new Map<string, ReadonlyMap<string, CatalogueModel>>()

  constructor(file: CatalogueFile) {
    this.file = file
  }

  /** A list counts only for the address that it was fetched from. */
  isListOf({ name, baseURL }: Provider): boolean {
    return Object.hasOwn(this.file.providers, name) && this.file.source === baseURL
  }

  find(provider: Provider, model: string): CatalogueModel | undefined {
    const models = this.#of(provider)
    return models === undefined
      ? undefined
      : variantsOf(model)
          .map((id) => models.get(id))
          .find((found) => found !== undefined)
  }

  models(provider: Provider): readonly CatalogueModel[] {
    return [...(this.#of(provider)?.values() ?? [])]
  }

  #of(provider: Provider): ReadonlyMap<string, CatalogueModel> | undefined {
    const names = this.#namesOf(provider)
    const key = names.join(" ")
    const known = names.length === 0 ? undefined : (this.#models.get(key) ?? this.#parsed(provider.type, names))
    if (known !== undefined) this.#models.set(key, known)
    return known
  }

  #parsed(type: ProviderType, names: readonly string[]): ReadonlyMap<string, CatalogueModel> {
    const found = names.flatMap((name) => modelsIn(this.file.providers[name]?.models ?? []))
    const claude = modelsIn(this.file.providers["anthropic"]?.models ?? [])
    const models = type === "vertex" ? withClaudeOnVertex(found, claude) : found
    return new Map(models.map((model) => [model.id, model]))
  }

  /** By its address, else by its kind. A self-hosted server is in no catalogue, whatever its name. */
  #namesOf(provider: Provider): readonly string[] {
    if (this.isListOf(provider)) return [provider.name]
    const { name, type, baseURL } = provider
    const host = baseURL !== undefined && URL.canParse(baseURL) ? new URL(baseURL).host : undefined
    const atHost = Object.entries(this.file.providers).filter(
      ([, { hosts }]) => host !== undefined && hosts.includes(host),
    )
    const byHost = atHost.find(([candidate]) => candidate === name) ?? atHost[0]
    if (byHost !== undefined) return [byHost[0]]
    return (vendors[type].catalogues ?? [type]).filter((candidate) => Object.hasOwn(this.file.providers, candidate))
  }
}

/** The name itself, then without a date of release or a version of Vertex, then without a region of Bedrock. */
function variantsOf(model: string): readonly string[] {
  const undated = model.replace(/(?:-\d{8}|-\d{4}-\d{2}-\d{2}|@[\w.-]+)$/, "")
  return [...new Set([model, undated, model.replace(/^(?:us|eu|apac|jp|au|global)\./, "")])]
}
