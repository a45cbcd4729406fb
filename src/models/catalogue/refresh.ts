// Fetches newer data: a catalogue in the format of models.dev, and the list of each provider that can be used. Each part
// is stored alone; what fails leaves the earlier data in place.
import { readFile, stat } from "node:fs/promises"
import { parseJson } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"
import type { Fetch, Provider } from "../providers/provider.ts"
import { catalogueProvider, type CatalogueFile } from "./catalogue-file.ts"
import { fetchList, hasList } from "./fetch-list.ts"
import { fetchedFile, listFile } from "./model-catalogue.ts"
import { catalogueFromModelsDev } from "./models-dev.ts"
import { readJsonBounded } from "./read-json.ts"
import { MAX_CATALOGUE_BYTES, writeStored } from "./stored-catalogue.ts"

export const defaultCatalogueUrl = "https://models.dev/api.json"

export interface Refresh {
  readonly folder: string
  readonly providers: readonly Provider[]
  /** An address, or the path of a file. */
  readonly from: string
  readonly fetch: Fetch
  readonly now: Date
  readonly timeoutMs: number
}

export interface RefreshedPart {
  /** The address or file, or the name of a provider. */
  readonly name: string
  readonly models: number
  readonly problem?: string
}

export async function refreshCatalogue(refresh: Refresh): Promise<readonly RefreshedPart[]> {
  const listing = refresh.providers.filter(hasList)
  return Promise.all([refreshFetched(refresh), ...listing.map((provider) => refreshList(provider, refresh))])
}

async function refreshFetched({ folder, from, fetch, now, timeoutMs }: Refresh): Promise<RefreshedPart> {
  try {
    const answer = isAddress(from) ? await fetchJson(from, fetch, timeoutMs) : await readJsonFile(from)
    const file = catalogueFromModelsDev(answer, from, now.toISOString().slice(0, 10))
    if (file === undefined)
      return { name: from, models: 0, problem: "it is not a catalogue in the format of models.dev" }
    await writeStored(folder, fetchedFile, file)
    return { name: from, models: modelCount(file) }
  } catch (fault) {
    return { name: from, models: 0, problem: problemOf(fault) }
  }
}

async function refreshList(provider: Provider, { folder, fetch, now, timeoutMs }: Refresh): Promise<RefreshedPart> {
  const { name } = provider
  const list = await fetchList(provider, fetch, timeoutMs)
  if ("problem" in list) return { name, models: 0, problem: list.problem }
  await storeList(folder, provider, list.models, now)
  return { name, models: list.models.length }
}

export async function storeList(
  folder: string,
  provider: Provider,
  models: Parameters<typeof catalogueProvider>[1],
  now: Date,
): Promise<void> {
  const { name, baseURL = "" } = provider
  const providers = { [name]: catalogueProvider([], models) }
  await writeStored(folder, listFile(provider), { version: 1, source: baseURL, date: now.toISOString(), providers })
}

function isAddress(from: string): boolean {
  return /^https?:\/\//i.test(from)
}

async function fetchJson(url: string, fetch: Fetch, timeoutMs: number): Promise<JsonValue> {
  const response = await fetch(url, { headers: { accept: "application/json" }, signal: AbortSignal.timeout(timeoutMs) })
  if (!response.ok) throw new Error(`it answered with status ${response.status}`)
  return readJsonBounded(response)
}

async function readJsonFile(path: string): Promise<JsonValue> {
  if ((await stat(path)).size > MAX_CATALOGUE_BYTES) throw new Error(`it has more than ${MAX_CATALOGUE_BYTES} bytes`)
  return parseJson(await readFile(path, "utf8"))
}

function modelCount({ providers }: CatalogueFile): number {
  return Object.values(providers).reduce((count, { models }) => count + models.length, 0)
}

function problemOf(fault: unknown): string {
  if (fault instanceof SyntaxError) return "it is not JSON"
  if (!(fault instanceof Error)) return "it cannot be read"
  if (fault.name === "TimeoutError") return "it did not answer in time"
  if ("code" in fault && fault.code === "ENOENT") return "there is no such file"
  return fault.message === "fetch failed" ? "it cannot be reached" : fault.message
}
