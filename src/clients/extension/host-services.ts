// What every handler of an extension gets: facts, and services of the host (memory and settings). Each service needs a permission in the manifest; a refusal is
// thrown as `HostRefusal`.
import { isJsonObject } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"
import type { MemoryRecord } from "../../protocols/extension/frames.ts"
import { checks } from "../../protocols/extension/generated/frames.js"
import type { HostCalls } from "./host-calls.ts"

export interface MemoryWish {
  /** Case-insensitive. */
  readonly contains?: string
  readonly tagPrefix?: string
  readonly sinceMs?: number
  readonly untilMs?: number
  /** Default: 50. */
  readonly limit?: number
}

export interface Memory {
  /** At most 16 KiB. Returns the time in milliseconds. Needs `memory.write`. */
  append(content: string, more?: { readonly tags?: readonly string[]; readonly meta?: JsonValue }): Promise<number>
  /** Newest first. Needs `memory.read`. */
  query(query?: MemoryWish): Promise<readonly MemoryRecord[]>
}

/** Settings that the extension stores itself. Declared configuration is in `context.config`. */
export interface Settings {
  /** Null when not set. */
  get(key: string): Promise<string | null>
  /** Persistent. Needs `config.write`. */
  set(key: string, value: string): Promise<void>
  /** Hosts accept it but send no changes yet. Needs `config.subscribe`. */
  subscribe(keys?: readonly string[]): Promise<void>
}

export function memoryOf(namespace: string, host: HostCalls): Memory {
  return {
    append: async (content, { tags = [], meta = null } = {}) => {
      const { timestamp_ms: at } = fieldsOf(
        await host.call("memory.append", { namespace, content, tags: [...tags], meta }),
      )
      return typeof at === "number" ? at : invalidAnswer("memory.append")
    },
    query: async ({ contains = null, tagPrefix = null, sinceMs = null, untilMs = null, limit = null } = {}) => {
      const query = { content_contains: contains, tag_prefix: tagPrefix, since_ms: sinceMs, until_ms: untilMs, limit }
      const { records } = fieldsOf(await host.call("memory.query", { namespace, ...query }))
      return Array.isArray(records) ? records.map(readRecord) : invalidAnswer("memory.query")
    },
  }
}

export function settingsOf(host: HostCalls): Settings {
  return {
    get: async (key) => {
      const { value = null } = fieldsOf(await host.call("config.get", { key }))
      return value === null || typeof value === "string" ? value : JSON.stringify(value)
    },
    set: async (key, value) => void (await host.call("config.set", { key, value })),
    subscribe: async (keys = []) => void (await host.call("config.subscribe", { keys: [...keys] })),
  }
}

/** Hosts omit empty fields of a record. */
function readRecord(record: JsonValue): MemoryRecord {
  const whole = { tags: [], meta: null, ...fieldsOf(record) }
  return checks["memory.record"](whole) ? whole : invalidAnswer("memory.query")
}

function fieldsOf(value: JsonValue): { readonly [member: string]: JsonValue | undefined } {
  return isJsonObject(value) ? value : {}
}

function invalidAnswer(method: string): never {
  throw new Error(`invalid answer of the host to ${method}`)
}

/** Facts about the host and the extension, from `initialize`. */
export interface ExtensionContext {
  /** The name of the plugin's folder. */
  readonly pluginId: string
  readonly pluginRoot: string | null
  readonly hostRelease: string
  readonly protocolVersion: number
  /** Configuration by the manifest. A value that is not the default is a string. */
  readonly config: { readonly [key: string]: JsonValue | undefined }
  readonly memory: Memory
  readonly settings: Settings
}

export interface HostConnection {
  readonly calls: HostCalls
  readonly notify: (method: string, params: JsonValue) => Promise<void>
}
