// Lists the models of an OpenAI-compatible server. Used to detect local servers, hence a short timeout.
import { isObject } from "../../contract/json-object.ts"
import type { Fetch } from "./provider.ts"
import { connect } from "node:net"

export interface ServedModel {
  readonly id: string
  /** Reported by vLLM. */
  readonly contextWindow: number | undefined
}

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
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    if (request.fetch === undefined && !(await mayListen(baseURL, timeoutMs))) return undefined
    const response = await fetch(`${baseURL}/models`, { headers: { ...authorization, ...request.headers }, signal })
    return response.ok ? modelsIn(await response.json()) : undefined
  } catch {
    return undefined // refused, too slow or not JSON: all of them mean that there is no such server
  }
}

function modelsIn(answer: unknown): readonly ServedModel[] | undefined {
  if (!isObject(answer) || !Array.isArray(answer["data"])) return undefined
  return answer["data"].filter(isObject).flatMap((entry) => {
    const { id, max_model_len: length } = entry
    if (typeof id !== "string" || /embed/i.test(id)) return []
    return [{ id, contextWindow: typeof length === "number" && length > 0 ? length : undefined }]
  })
}

/**
 * Whether a server listens at a loopback address; true for other addresses. Much cheaper than a request: the first
 * `fetch` of a process is the slowest step of the start-up, and usually there is no local server.
 */
function mayListen(baseURL: string, timeoutMs: number): Promise<boolean> {
  const { hostname, port, protocol } = new URL(baseURL)
  const host = hostname.replace(/^\[(.*)\]$/, "$1")
  if (!["127.0.0.1", "::1", "localhost"].includes(host)) return Promise.resolve(true)
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

function defaultPort(protocol: string): number {
  return protocol === "https:" ? 443 : 80
}
