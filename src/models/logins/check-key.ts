// Checks a key with cheap requests that cost no tokens: the list of models, or what the provider says about the key.
import type { CatalogueModel } from "../catalogue/catalogue-line.ts"
import { fetchList, hasList } from "../catalogue/fetch-list.ts"
import type { Fetch, Provider } from "../providers/provider.ts"

export type KeyCheck =
  | { readonly verdict: "refused" }
  | { readonly verdict: "accepted"; readonly models?: readonly CatalogueModel[] }
  /** `models`: the list was fetched, but proves nothing. */
  | { readonly verdict: "unknown"; readonly reason: string; readonly models?: readonly CatalogueModel[] }

const TIMEOUT_MS = 10_000
/** Its list of models is public; this address describes the key itself. */
const aboutKey: Readonly<Record<string, string>> = { "openrouter.ai": "/key" }

export async function checkKey(provider: Provider, key: string, fetch: Fetch): Promise<KeyCheck> {
  const asked: Provider = { ...provider, credentials: { kind: "key", value: key, source: "" }, problem: undefined }
  const path = URL.canParse(provider.baseURL ?? "") ? aboutKey[new URL(provider.baseURL ?? "").host] : undefined
  if (path !== undefined) return askAbout(`${provider.baseURL}${path}`, key, fetch)
  if (!hasList(asked)) return { verdict: "unknown", reason: "the provider has no request for it" }
  const list = await fetchList(asked, fetch, TIMEOUT_MS)
  if ("problem" in list)
    return isRefusal(provider, list.status) ? { verdict: "refused" } : { verdict: "unknown", reason: list.problem }
  const { models } = list
  const open = await fetchList({ ...asked, credentials: { kind: "none" } }, fetch, TIMEOUT_MS)
  return "models" in open
    ? { verdict: "unknown", reason: "the provider lists its models without a key", models }
    : { verdict: "accepted", models }
}

/** Google answers 400 for a wrong key. */
export function isRefusal({ type }: Provider, status: number | undefined): boolean {
  return status === 401 || status === 403 || (type === "google" && status === 400)
}

async function askAbout(url: string, key: string, fetch: Fetch): Promise<KeyCheck> {
  try {
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await response.body?.cancel()
    if (response.ok) return { verdict: "accepted" }
    if (response.status === 401 || response.status === 403) return { verdict: "refused" }
    return { verdict: "unknown", reason: `it answered with status ${response.status}` }
  } catch {
    return { verdict: "unknown", reason: "it cannot be reached" }
  }
}
