// Lists the models of an OpenAI-compatible server. Used to detect local servers, hence a short timeout.
import { isObject } from "../../contract/json-object.ts"
import { mayListen } from "./listening.ts"
import type { Fetch } from "./provider.ts"

export interface ServedModel {
  readonly id: string
  /** Reported by vLLM. */
  readonly contextWindow: number | undefined
}

export interface Asking {
  readonly baseURL: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly key?: string | undefined
  readonly fetch?: Fetch | undefined
  readonly timeoutMs: number
}

/** Undefined without a valid answer in time. */
export async function servedModels(asking: Asking): Promise<readonly ServedModel[] | undefined> {
  const { baseURL, key, timeoutMs, fetch = globalThis.fetch } = asking
  const authorization = key === undefined ? {} : { Authorization: `Bearer ${key}` }
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    if (asking.fetch === undefined && !(await mayListen(baseURL, timeoutMs))) return undefined
    const response = await fetch(`${baseURL}/models`, { headers: { ...authorization, ...asking.headers }, signal })
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
