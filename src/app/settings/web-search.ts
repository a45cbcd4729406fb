// Which search service web_search uses: the configured one, or the first whose key is in the environment.
import type { Config } from "../../contract/config.ts"
import type { SearchConnection } from "../../tools/web/search-for-model.ts"
import { searchServices, type SearchService, type SearchServiceName } from "../../tools/web/search-services.ts"
import { learnSecret } from "../secrets/home-secrets.ts"

type Environment = Readonly<Record<string, string | undefined>>
type ApiKey = NonNullable<NonNullable<NonNullable<Config["web"]>["search"]>["apiKey"]>

export interface WebSearch {
  readonly service: SearchService
  readonly baseURL: string
  /** Where the key comes from, for messages; undefined where there is none and none is needed. */
  readonly keySource: string | undefined
  readonly apiKey: ApiKey | undefined
}

/** `missing`: why the configured service cannot be used. */
export type FoundSearch = WebSearch | { readonly missing: string } | undefined

export function findWebSearch({ web }: Config, env: Environment): FoundSearch {
  const name = web?.search?.provider ?? nameByKey(env)
  if (name === undefined) return undefined
  const service: SearchService = searchServices[name]
  const baseURL = web?.search?.baseURL ?? service.baseURL
  if (baseURL === undefined) return { missing: `${service.label} has no address: set web.search.baseURL` }
  const variable = variableWithKey(service, env)
  const apiKey = web?.search?.apiKey ?? (variable === undefined ? undefined : env[variable])
  if (apiKey === undefined && service.needsKey)
    return { missing: `${service.label} has no key: set ${service.variables[0]} or web.search.apiKey` }
  const keySource = web?.search?.apiKey === undefined ? variable : "web.search.apiKey in the configuration"
  return { service, baseURL, keySource, apiKey }
}

function nameByKey(env: Environment): SearchServiceName | undefined {
  const names: readonly SearchServiceName[] = ["brave", "tavily", "exa", "serper"]
  return names.find((name) => variableWithKey(searchServices[name], env) !== undefined)
}

function variableWithKey({ variables }: SearchService, env: Environment): string | undefined {
  return variables.find((variable) => (env[variable] ?? "").trim() !== "")
}

/** The key of a command or keychain is read with the first search, and again when it is refused. */
export function searchConnector({ service, baseURL, keySource, apiKey }: WebSearch): () => Promise<SearchConnection> {
  const connect = async (): Promise<SearchConnection> => {
    const source = keySource ?? "web.search.apiKey in the configuration"
    return { service, baseURL, keySource: source, fetch: await fetchWithKey(service, apiKey) }
  }
  let connection: Promise<SearchConnection> | undefined
  return () => (connection ??= connect())
}

async function fetchWithKey(
  { keyHeader }: SearchService,
  apiKey: ApiKey | undefined,
): Promise<typeof globalThis.fetch> {
  if (apiKey === undefined) return globalThis.fetch
  if (typeof apiKey === "string") {
    return (input, init) => {
      const headers = new Headers(init?.headers)
      headers.set(...keyHeader(apiKey.trim()))
      return globalThis.fetch(input, { ...init, headers })
    }
  }
  const { lateKey, withLateKey } = await import("../../models/credentials/late-key.ts")
  const key = lateKey({ kind: "late", from: apiKey, source: "web.search.apiKey" }, "web.search", learnKey)
  return withLateKey(globalThis.fetch, key, keyHeader)
}

function learnKey(_name: string, value: string): void {
  learnSecret("web.search.apiKey", value)
}
