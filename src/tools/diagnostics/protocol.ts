// The part of the language server protocol (3.17) that diagnostics need: parameters that are sent, and results that are
// read without trust. Pure.
import { fileURLToPath, pathToFileURL } from "node:url"
import { isJsonObject, memberIn, textIn, type JsonObject } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"
import { errorAnswer, type Answer } from "../../protocols/json-rpc.ts"

export interface Place {
  readonly root: string
  readonly initializationOptions?: JsonValue | undefined
  /** What the server gets when it asks for its configuration. */
  readonly settings?: JsonValue | undefined
}

export function uriOf(path: string): string {
  return pathToFileURL(path).href
}

/** Undefined for other documents than files. Servers escape the same path in different ways. */
export function pathOf(uri: string | undefined): string | undefined {
  try {
    return uri === undefined ? undefined : fileURLToPath(uri)
  } catch {
    return undefined // not an address of a local file
  }
}

export function initializeParams({ root, initializationOptions }: Place): JsonObject {
  const [uri, name] = [uriOf(root), "workspace"]
  return {
    processId: null, // inside a sandbox it would name another process
    clientInfo: { name: "turnhouse" },
    rootPath: root,
    rootUri: uri,
    workspaceFolders: [{ uri, name }],
    ...(initializationOptions === undefined ? {} : { initializationOptions }),
    capabilities: {
      general: { positionEncodings: ["utf-16"] },
      workspace: { configuration: true, workspaceFolders: true, didChangeWatchedFiles: { dynamicRegistration: false } },
      textDocument: {
        synchronization: { didSave: true },
        publishDiagnostics: { versionSupport: true },
        diagnostic: { dynamicRegistration: false },
      },
    },
  }
}

export interface Abilities {
  /** It answers `textDocument/diagnostic`. Other servers publish diagnostics when they have them. */
  readonly pulls: boolean
  readonly identifier: string | undefined
  readonly savesWithText: boolean
}

export function abilitiesIn(result: JsonValue): Abilities {
  const capabilities = memberIn(result, "capabilities")
  const provider = memberIn(capabilities, "diagnosticProvider")
  const save = memberIn(memberIn(capabilities, "textDocumentSync"), "save")
  return {
    pulls: isJsonObject(provider),
    identifier: textIn(provider, "identifier"),
    savesWithText: memberIn(save, "includeText") === true,
  }
}

/** The answer to a call of the server. It gets its settings, and nothing is changed for it. */
export function answerTo(method: string, params: JsonValue, { root, settings = null }: Place): Answer {
  switch (method) {
    case "workspace/configuration":
      return { kind: "result", value: configurationOf(params, settings) }
    case "workspace/workspaceFolders":
      return { kind: "result", value: [{ uri: uriOf(root), name: "workspace" }] }
    case "workspace/applyEdit":
      return { kind: "result", value: { applied: false, failureReason: "edits are not accepted" } }
    case "client/registerCapability":
    case "client/unregisterCapability":
    case "window/workDoneProgress/create":
    case "window/showMessageRequest":
    case "workspace/diagnostic/refresh":
      return { kind: "result", value: null }
    default:
      return errorAnswer("unknownMethod", "not supported")
  }
}

/** Items of a request for the configuration that are answered. */
const MAX_ITEMS = 100

function configurationOf(params: JsonValue, settings: JsonValue): JsonValue[] {
  const items = memberIn(params, "items")
  const list: readonly JsonValue[] = Array.isArray(items) ? items : []
  return list.slice(0, MAX_ITEMS).map((item) => sectionOf(settings, textIn(item, "section") ?? ""))
}

/** `a.b` is a member `a.b`, or the member b of a. */
function sectionOf(settings: JsonValue, section: string): JsonValue {
  if (section === "") return settings
  const whole = memberIn(settings, section)
  if (whole !== undefined) return whole
  return section.split(".").reduce<JsonValue | undefined>((value, key) => memberIn(value, key), settings) ?? null
}
