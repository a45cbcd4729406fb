// What a plugin brings and where it is in its folder, for the layouts of synaps and of Claude Code. Reads manifests only and
// starts nothing.
import { basename, dirname, join } from "node:path"
import { isJsonObject, type JsonObject } from "../contract/json-object.ts"
import type { JsonValue } from "../contract/values.ts"
import { readCommands } from "../hooks/discovery/command-manifest.ts"
import { insidePath } from "./inside.ts"
import { lineIn, readJsonFile, readManifests, type ManifestProblems, type Manifests } from "./manifest.ts"

/** A folder of skills, commands or agents. */
export interface ComponentFolder {
  readonly folder: string
  /** Only these names in it. Default: all. */
  readonly only?: ReadonlySet<string>
}

/** A value of a manifest, or the content of a file that it names. */
export interface PluginValue {
  /** The file, for people. */
  readonly source: string
  readonly value: JsonObject
}

export interface PluginLayout {
  readonly id: string
  readonly folder: string
  /** Of the manifest. */
  readonly name: string | undefined
  readonly version: string | undefined
  readonly description: string | undefined
  readonly skills: readonly ComponentFolder[]
  readonly commands: readonly ComponentFolder[]
  readonly agents: readonly ComponentFolder[]
  /** Objects of MCP servers by name. */
  readonly servers: readonly PluginValue[]
  /** Shell hooks by event, as in the settings of Claude Code. */
  readonly hooks: readonly PluginValue[]
  /** Names of commands that the manifest of synaps declares. */
  readonly declaredCommands: readonly string[]
  /** The manifest of a synaps plugin with an extension. */
  readonly extensionText: string | undefined
  readonly manifestProblems: ManifestProblems
  /** Parts that are not used, and why. */
  readonly problems: readonly string[]
}

type Part = "skills" | "commands" | "agents"

/** The id is the name of the folder. */
export function readPlugin(folder: string, id = basename(folder)): PluginLayout {
  const manifests = readManifests(folder)
  const { synaps, synapsText, claude } = manifests
  const problems: string[] = []
  const note = (problem: string) => void problems.push(problem)
  const text = (key: string) => lineIn(synaps, key) ?? lineIn(claude, key)
  const part = (key: Part) => componentFolders(folder, key, claude?.[key], note)
  return {
    id,
    folder,
    name: text("name"),
    version: text("version"),
    description: text("description"),
    skills: part("skills"),
    commands: part("commands"),
    agents: part("agents"),
    servers: serverValues(folder, manifests, note),
    hooks: claude === undefined ? [] : hookValues(folder, claude, note),
    declaredCommands: synapsText === undefined ? [] : readCommands(synapsText).commands.map(({ name }) => name),
    extensionText: synaps?.["extension"] === undefined ? undefined : synapsText,
    manifestProblems: manifests.problems,
    problems,
  }
}

type Note = (problem: string) => void

/** As in Claude Code, folders of skills are added to the usual one; those of commands and agents replace it. */
function componentFolders(folder: string, part: Part, value: JsonValue | undefined, note: Note) {
  const named = value === undefined ? [] : pathsIn(part, value, note)
  const usual = value === undefined || part === "skills" ? [part] : []
  const found = [
    ...usual.map((path) => component(folder, part, path, note)),
    ...named.map((path) => component(folder, part, path, note) ?? missing(part, path, note)),
  ]
  return found.filter((one) => one !== undefined)
}

function missing(part: Part, path: string, note: Note): undefined {
  note(`${part}: ${JSON.stringify(path)} does not exist in the plugin.`)
}

/** A file, or a folder that is itself a skill, is one name in the folder around it. */
function component(folder: string, part: Part, path: string, note: Note): ComponentFolder | undefined {
  const found = insidePath(folder, path)
  if (found.kind === "absent") return undefined
  if (found.kind === "refused") {
    note(`${part}: ${found.why}; it is not used.`)
    return { folder: join(folder, part), only: new Set() }
  }
  const isSingle =
    part === "skills" ? insidePath(folder, join(path, "SKILL.md")).kind === "file" : found.kind === "file"
  return isSingle ? { folder: dirname(found.path), only: new Set([basename(found.path)]) } : { folder: found.path }
}

function pathsIn(part: string, value: JsonValue, note: Note): readonly string[] {
  const paths = Array.isArray(value) ? value : [value]
  const texts = paths.filter((path) => typeof path === "string")
  if (texts.length < paths.length) note(`${part}: the manifest must name paths; other values are not used.`)
  return texts
}

/** Of `.mcp.json`, and of `mcpServers` in a manifest: an object, or the path of a file. */
function serverValues(folder: string, { synaps, claude }: Manifests, note: Note): readonly PluginValue[] {
  const values = [claude, synaps].flatMap((manifest) => manifest?.["mcpServers"] ?? [])
  const sources = [".mcp.json", ...values.flat()]
  return sources.flatMap((value) => {
    const found = valueOf(folder, "mcpServers", value, note)
    if (found === undefined) return []
    const inner = found.value["mcpServers"]
    return [isJsonObject(inner) ? { ...found, value: inner } : found]
  })
}

function hookValues(folder: string, { hooks }: JsonObject, note: Note): readonly PluginValue[] {
  const values = [join("hooks", "hooks.json"), ...(hooks === undefined ? [] : [hooks].flat())]
  const paths = new Set<string>()
  return values.flatMap((value) => {
    const found = valueOf(folder, "hooks", value, note)
    if (found === undefined || (typeof value === "string" && paths.has(found.source))) return []
    paths.add(found.source)
    const inner = found.value["hooks"]
    return [isJsonObject(inner) ? { ...found, value: inner } : found]
  })
}

function valueOf(folder: string, part: string, value: JsonValue, note: Note): PluginValue | undefined {
  const unused = (why: string): undefined => {
    note(`${part}: ${why}; it is not used.`)
  }
  if (isJsonObject(value)) return { source: join(folder, ".claude-plugin", "plugin.json"), value }
  if (typeof value !== "string") return unused("the manifest must have an object or a path")
  const found = insidePath(folder, value)
  if (found.kind === "refused") return unused(found.why)
  if (found.kind !== "file") return undefined
  const read = readJsonFile(found.path)
  if (read.kind === "bad") note(read.why)
  return read.kind === "object" ? { source: found.path, value: read.value } : undefined
}
