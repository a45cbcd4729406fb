// Handles requests of extensions: memory and their own settings. Each is limited to the permissions of its manifest and
// to its own name; other methods do not exist.
import { messageOf } from "../contract/faults.ts"
import { join } from "node:path"
import type { JsonValue } from "../contract/values.ts"
import { errorAnswer, type Answer } from "../protocols/json-rpc.ts"
import { checks } from "../protocols/extension/generated/frames.js"
import type { Permission } from "../protocols/extension/permissions.ts"
import type { ExtensionSpec } from "./discovery/discover.ts"
import type { RpcCall } from "../processes/rpc-process.ts"
import type { ExtensionMemory } from "./memory.ts"
import { readSettings, writeSetting } from "./discovery/resolve-config.ts"

export interface CallServices {
  readonly memory: ExtensionMemory
  /** Contains `ID/config` for each extension: settings are written there. */
  readonly configFolder: string
  /** Further places of such a file. */
  readonly otherConfigFolders?: readonly string[]
  readonly now: () => number
  readonly scrub: (text: string) => string
}

export async function serveCall(
  spec: ExtensionSpec,
  { method, params }: RpcCall,
  services: CallServices,
): Promise<Answer> {
  try {
    return serve(spec, method, params, services)
  } catch (fault) {
    return errorAnswer("failed", messageOf(fault))
  }
}

function serve(spec: ExtensionSpec, method: string, params: JsonValue, services: CallServices): Answer {
  switch (method) {
    case "memory.append":
      return denied(spec, "memory.write") ?? append(spec, params, services)
    case "memory.query":
      return denied(spec, "memory.read") ?? query(spec, params, services)
    case "config.get":
      return get(spec, params, services)
    case "config.set":
      return denied(spec, "config.write") ?? set(spec, params, services)
    case "config.subscribe":
      return denied(spec, "config.subscribe") ?? result({ ok: true })
    default:
      return errorAnswer("unknownMethod", `there is no method ${method}`)
  }
}

function append({ id }: ExtensionSpec, params: JsonValue, { memory, now, scrub }: CallServices): Answer {
  if (!checks["memory.append"](params)) return badParams("memory.append")
  if (!isOwn(params.namespace, id)) return foreignNamespace(params.namespace, id)
  const scrubbed: unknown = JSON.parse(scrub(JSON.stringify(params)))
  if (!checks["memory.append"](scrubbed)) return errorAnswer("failed", "the record consists of secrets only")
  const appended = memory.append({ ...scrubbed, namespace: params.namespace }, now())
  if (appended.kind === "refused") return errorAnswer("failed", appended.reason)
  return result({ ok: true, timestamp_ms: appended.timestampMs })
}

function query({ id }: ExtensionSpec, params: JsonValue, { memory }: CallServices): Answer {
  if (!checks["memory.query"](params)) return badParams("memory.query")
  if (!isOwn(params.namespace, id)) return foreignNamespace(params.namespace, id)
  return result({ records: memory.query(params) })
}

function get(spec: ExtensionSpec, params: JsonValue, services: CallServices): Answer {
  if (!checks["config.get"](params)) return badParams("config.get")
  if (!isKey(params.key)) return badParams("config.get")
  const folders = [services.configFolder, ...(services.otherConfigFolders ?? [])]
  const found = folders.map((folder) => readSettings(join(folder, spec.id, "config")).get(params.key))
  return result({ value: found.find((value) => value !== undefined) ?? null })
}

function set(spec: ExtensionSpec, params: JsonValue, services: CallServices): Answer {
  if (!checks["config.set"](params)) return badParams("config.set")
  const { key, value } = params
  if (!isKey(key) || /[\r\n]/.test(String(value))) return badParams("config.set")
  writeSetting(join(services.configFolder, spec.id, "config"), key, String(value))
  return result({ ok: true })
}

function isKey(key: string): boolean {
  return /^[^\s=#./]+$/.test(key)
}

function isOwn(namespace: string, id: string): boolean {
  return namespace === id && namespace.length <= 64 && !/[/\s]|\.\./.test(namespace)
}

function denied({ permissions }: ExtensionSpec, permission: Permission): Answer | undefined {
  if (permissions.has(permission)) return undefined
  return errorAnswer("badParams", `permission denied: the manifest does not name ${permission}`)
}

function foreignNamespace(namespace: string, id: string): Answer {
  return errorAnswer("badParams", `the namespace '${namespace.slice(0, 80)}' is not that of ${id}`)
}

function badParams(method: string): Answer {
  return errorAnswer("badParams", `invalid parameters of ${method}`)
}

function result(value: JsonValue): Answer {
  return { kind: "result", value }
}
