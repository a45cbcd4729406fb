// Lists the models of an OpenAI-compatible server. Used to detect local servers, hence a short timeout.
import type { CatalogueModel } from "../catalogue/catalogue-line.ts"
import { readProviderList } from "../catalogue/provider-list.ts"
import { readJsonBounded } from "../catalogue/read-json.ts"
import type { Fetch } from "./provider.ts"
import { connect } from "node:net"

export type ServedModel = CatalogueModel

export interface ModelsRequest {
  readonly baseURL: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly key?: string | undefined
  readonly fetch?: Fetch | undefined
  readonly timeoutMs: number
}

/** Undefined without a valid answer in time. */
export async function servedModels(request: ModelsRequest): Promise<readonly ServedModel[] | undefined> {
  const { baseURL, key, timeoutMs, fetch = globalThis.fetch } = request
  const authorization = key === undefined ? {} : { Authorization: `Bearer ${key}` }
  try {
    if (request.fetch === undefined && !(await mayListen(baseURL, timeoutMs))) return undefined
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(`${baseURL}/models`, { headers: { ...authorization, ...request.headers }, signal })
    return response.ok ? readProviderList(await readJsonBounded(response)) : undefined
  } catch {
    return undefined // refused, too slow or not JSON: all of them mean that there is no such server
  }
}

/**
 * Whether a server listens at a loopback address; true for other addresses. Much cheaper than a request: the first
 * `fetch` of a process is the slowest step of the start-up, and usually there is no local server.
 */
function mayListen(baseURL: string, timeoutMs: number): Promise<boolean> {
  if (!isLoopback(baseURL)) return Promise.resolve(true)
  const { hostname, port, protocol } = new URL(baseURL)
  const host = withoutBrackets(hostname)
  return new Promise((resolve) => {
    const socket = connect({ host, port: port === "" ? defaultPort(protocol) : Number(port), timeout: timeoutMs })
    const settle = (listening: boolean) => {
      socket.destroy()
      resolve(listening)
    }
    socket.once("connect", () => settle(true))
    socket.once("error", () => settle(false))
    socket.once("timeout", () => settle(false))
  })
}

/** Whether a server is on this machine: it has models only while it runs. */
export function isLoopback(baseURL: string): boolean {
  if (!URL.canParse(baseURL)) return false
  return ["127.0.0.1", "::1", "localhost"].includes(withoutBrackets(new URL(baseURL).hostname))
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1")
}

function defaultPort(protocol: string): number {
  return protocol === "https:" ? 443 : 80
}
