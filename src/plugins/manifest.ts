// The manifests of a plugin: `.synaps-plugin/plugin.json` and `.claude-plugin/plugin.json`. A folder may have both: the first
// has the extension, the second says where the other parts are.
import { join } from "node:path"
import { describeError } from "../config/faults.ts"
import { readConfigFile } from "../config/read-config-file.ts"
import { look } from "../config/trust/project-files.ts"
import { isJsonObject, parseJson, textIn, type JsonObject } from "../contract/json-object.ts"
import { oneLine } from "../contract/text/text.ts"

const synapsManifest = join(".synaps-plugin", "plugin.json")
export const claudeManifest = join(".claude-plugin", "plugin.json")

/** As the extensions of synaps. */
const MAX_BYTES = 4 * 1024 * 1024
const MAX_TEXT = 300

export interface Manifests {
  /** The text, for the reader of extensions. */
  readonly synapsText: string | undefined
  readonly synaps: JsonObject | undefined
  readonly claude: JsonObject | undefined
  /** Why a manifest cannot be used. */
  readonly problems: ManifestProblems
}

export interface ManifestProblems {
  readonly synaps?: string
  readonly claude?: string
}

export function readManifests(folder: string): Manifests {
  const synaps = readJsonFile(join(folder, synapsManifest))
  const claude = readJsonFile(join(folder, claudeManifest))
  return {
    synapsText: synaps.kind === "object" ? synaps.text : undefined,
    synaps: synaps.kind === "object" ? synaps.value : undefined,
    claude: claude.kind === "object" ? claude.value : undefined,
    problems: {
      ...(synaps.kind === "bad" ? { synaps: synaps.why } : {}),
      ...(claude.kind === "bad" ? { claude: claude.why } : {}),
    },
  }
}

export type JsonFile =
  | { readonly kind: "object"; readonly value: JsonObject; readonly text: string }
  | { readonly kind: "absent" }
  | { readonly kind: "bad"; readonly why: string }

/** Why it cannot be used is a whole sentence. */
export function readJsonFile(path: string): JsonFile {
  const bad = (why: string): JsonFile => ({ kind: "bad", why: `${path}: ${why}.` })
  if (look(path).kind === "other") return bad("it is not a file") // opening a pipe would block
  const file = readConfigFile(path, MAX_BYTES)
  if (file.kind === "absent") return file
  if (file.kind === "unreadable") return bad(file.what)
  try {
    const value = parseJson(file.text)
    return isJsonObject(value) ? { kind: "object", value, text: file.text } : bad("it is not a JSON object")
  } catch (error) {
    return bad(`it is not JSON: ${describeError(error)}`)
  }
}

/** One line of a manifest for people. */
export function lineIn(manifest: JsonObject | undefined, key: string): string | undefined {
  const text = textIn(manifest, key)?.trim() ?? ""
  return text === "" ? undefined : oneLine(text, MAX_TEXT)
}
