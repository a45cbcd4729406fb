// Asks a provider for the list of its models.
import { lateKey } from "../credentials/late-key.ts"
import { ModelUnavailable } from "../model-source.ts"
import type { Fetch, Provider, ProviderType } from "../providers/provider.ts"
import type { CatalogueModel } from "./catalogue-line.ts"
import { readProviderList } from "./provider-list.ts"
import { readJsonBounded } from "./read-json.ts"

interface Request {
  /** Added to the base URL. */
  readonly path: string
  readonly headers: (key: string | undefined) => Readonly<Record<string, string>>
}

const bearer = (key: string | undefined): Readonly<Record<string, string>> =>
  key === undefined ? {} : { authorization: `Bearer ${key}` }

/** Providers of other kinds have no list that a key alone opens. */
const requests: Partial<Record<ProviderType, Request>> = {
  anthropic: {
    path: "/models?limit=1000",
    headers: (key = "") => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
  },
  openai: { path: "/models", headers: bearer },
  google: { path: "/models?pageSize=1000", headers: (key = "") => ({ "x-goog-api-key": key }) },
  "openai-compatible": { path: "/models", headers: bearer },
}

export type FetchedList =
  | { readonly models: readonly CatalogueModel[] }
  /** `status`: the provider answered, and with an error. */
  | { readonly problem: string; readonly status?: number }

export function hasList({ type, baseURL }: Provider): boolean {
  return requests[type] !== undefined && baseURL !== undefined
}

/** Never throws. */
export async function fetchList(provider: Provider, fetch: Fetch, timeoutMs: number): Promise<FetchedList> {
  const request = requests[provider.type]
  if (request === undefined || provider.baseURL === undefined) return { problem: "it has no list of models" }
  try {
    const headers = { accept: "application/json", ...request.headers(await keyOf(provider)), ...provider.headers }
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(`${provider.baseURL}${request.path}`, { headers, signal, redirect: "error" })
    if (!response.ok) return { problem: `it answered with status ${response.status}`, status: response.status }
    const models = readProviderList(await readJsonBounded(response))
    return models === undefined ? { problem: "its answer is not a list of models" } : { models }
  } catch (fault) {
    if (fault instanceof ModelUnavailable) return { problem: fault.message }
    return {
      problem:
        fault instanceof Error && fault.name === "TimeoutError" ? "it did not answer in time" : "it cannot be reached",
    }
  }
}

async function keyOf({ name, credentials }: Provider): Promise<string | undefined> {
  if (credentials.kind === "late") return lateKey(credentials, name, () => {}).get()
  return credentials.kind === "key" ? credentials.value : undefined
}
