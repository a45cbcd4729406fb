// What a host keeps for an extension: things to remember, and its own settings. Each needs a permission in the
// manifest; what the host refuses is thrown as a `HostRefusal`.
import type { JsonValue } from "../../contract/values.ts"
import type { MemoryRecord } from "../../protocols/extension/frames.ts"
import { checks } from "../../protocols/extension/generated/frames.js"
import { isObject } from "../../protocols/extension/receive.ts"
import type { HostCalls } from "./host-calls.ts"

export interface MemoryWish {
  /** Capitals do not count. */
  readonly contains?: string
  readonly tagPrefix?: string
  readonly sinceMs?: number
  readonly untilMs?: number
  /** Default: 50. */
  readonly limit?: number
}

export interface Memory {
  /** At most 16 KiB. When it was remembered, in milliseconds. Needs `memory.write`. */
  append(content: string, more?: { readonly tags?: readonly string[]; readonly meta?: JsonValue }): Promise<number>
  /** Newest first. Needs `memory.read`. */
  query(wish?: MemoryWish): Promise<readonly MemoryRecord[]>
}

/** What the extension has set itself; what the manifest declares comes resolved as `config`. */
export interface Settings {
  /** Null when it was never set. */
  get(key: string): Promise<string | null>
  /** It is there the next time too. Needs `config.write`. */
  set(key: string, value: string): Promise<void>
  /** Hosts take note of it and tell nothing yet. Needs `config.subscribe`. */
  subscribe(keys?: readonly string[]): Promise<void>
}

export function memoryOf(namespace: string, host: HostCalls): Memory {
  return {
    append: async (content, { tags = [], meta = null } = {}) => {
      const { timestamp_ms: at } = membersOf(
        await host.call("memory.append", { namespace, content, tags: [...tags], meta }),
      )
      return typeof at === "number" ? at : misunderstood("memory.append")
    },
    query: async ({ contains = null, tagPrefix = null, sinceMs = null, untilMs = null, limit = null } = {}) => {
      const query = { content_contains: contains, tag_prefix: tagPrefix, since_ms: sinceMs, until_ms: untilMs, limit }
      const { records } = membersOf(await host.call("memory.query", { namespace, ...query }))
      return Array.isArray(records) ? records.map(recordOf) : misunderstood("memory.query")
    },
  }
}

export function settingsOf(host: HostCalls): Settings {
  return {
    get: async (key) => {
      const { value = null } = membersOf(await host.call("config.get", { key }))
      return value === null || typeof value === "string" ? value : JSON.stringify(value)
    },
    set: async (key, value) => void (await host.call("config.set", { key, value })),
    subscribe: async (keys = []) => void (await host.call("config.subscribe", { keys: [...keys] })),
  }
}

/** Hosts leave out what a record does not have. */
function recordOf(record: JsonValue): MemoryRecord {
  const whole = { tags: [], meta: null, ...membersOf(record) }
  return checks["memory.record"](whole) ? whole : misunderstood("memory.query")
}

function membersOf(value: JsonValue): { readonly [member: string]: JsonValue | undefined } {
  return isObject(value) ? value : {}
}

function misunderstood(method: string): never {
  throw new Error(`the host answers ${method} in a way that is not understood`)
}
