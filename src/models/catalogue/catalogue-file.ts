// A catalogue as data: models by provider, as it is bundled with the program and stored in the home after a refresh.
import { isObject } from "../../contract/json-object.ts"
import { formatModel, parseModel, type CatalogueModel } from "./catalogue-line.ts"

export interface CatalogueFile {
  readonly version: 1
  /** Where the data comes from, for people. */
  readonly source: string
  /** Day of the data: 2026-11-02. */
  readonly date: string
  readonly providers: Readonly<Record<string, CatalogueProvider>>
}

export interface CatalogueProvider {
  /** Hosts of its API, by which a configured provider is recognised. */
  readonly hosts: readonly string[]
  /** Lines, see catalogue-line.ts. */
  readonly models: readonly string[]
}

/** Models of one provider. */
export const MAX_MODELS = 5000
export const MAX_PROVIDERS = 500

/** Undefined for a value that is not a catalogue; lines that are no models are left out later. */
export function readCatalogue(value: unknown): CatalogueFile | undefined {
  if (!isObject(value) || value["version"] !== 1) return undefined
  const { source, date, providers } = value
  if (typeof source !== "string" || typeof date !== "string" || !isObject(providers)) return undefined
  const entries = Object.entries(providers).flatMap(([name, provider]) => {
    const found = readProvider(provider)
    return found === undefined ? [] : [[name, found] as const]
  })
  if (entries.length !== Object.keys(providers).length || entries.length > MAX_PROVIDERS) return undefined
  return { version: 1, source, date, providers: Object.fromEntries(entries) }
}

function readProvider(value: unknown): CatalogueProvider | undefined {
  if (!isObject(value)) return undefined
  const { hosts, models } = value
  return isTexts(hosts) && isTexts(models) && models.length <= MAX_MODELS ? { hosts, models } : undefined
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string")
}

export function catalogueProvider(hosts: readonly string[], models: readonly CatalogueModel[]): CatalogueProvider {
  return { hosts, models: models.slice(0, MAX_MODELS).map(formatModel) }
}

export function modelsIn(lines: readonly string[]): readonly CatalogueModel[] {
  return lines.flatMap((line) => parseModel(line) ?? [])
}
