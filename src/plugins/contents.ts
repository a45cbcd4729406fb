// What a plugin brings, in words for people: names of skills, commands and agents, and everything that it can start.
import { normalize } from "node:path"
import { AgentFiles } from "../config/agents/agent-files.ts"
import { SkillFiles } from "../config/skills/skill-files.ts"
import { CommandReader, nameOf } from "../config/typed-commands/command-reader.ts"
import { isJsonObject, memberIn, textIn, type JsonObject } from "../contract/json-object.ts"
import type { JsonValue } from "../contract/values.ts"
import { checkManifest, readManifest } from "../hooks/discovery/manifest.ts"
import { insidePath } from "./inside.ts"
import type { ComponentFolder, PluginLayout } from "./layout.ts"

export interface PluginContents {
  readonly skills: readonly string[]
  readonly commands: readonly string[]
  readonly agents: readonly string[]
  /** Names with a command line or an address. */
  readonly mcpServers: readonly string[]
  readonly extension: ExtensionContents | null
  /** Events with the command that runs. */
  readonly hooks: readonly string[]
  /** Parts that are not used, and why. */
  readonly problems: readonly string[]
}

export interface ExtensionContents {
  readonly command: string
  readonly permissions: readonly string[]
  readonly hooks: readonly string[]
  /** Whether it runs without a sandbox, and folders that it may write to. */
  readonly sandbox: string | null
}

export async function contentsOf(layout: PluginLayout): Promise<PluginContents> {
  const { id, folder, manifestProblems, problems } = layout
  const place = (component: ComponentFolder) => ({
    ...component,
    source: "",
    isOwn: false,
    isNested: true,
    plugin: { id, folder },
    isOpen: () => Promise.resolve(true),
  })
  const skills = await new SkillFiles(layout.skills.map(place)).list()
  const commands = await new CommandReader(layout.commands.map(place)).read()
  const agents = await new AgentFiles(layout.agents.map(place)).read()
  const unfit = [...commands, ...agents].flatMap((one) => (one.kind === "unfit" ? [one.why] : []))
  const unusable = skills.flatMap(({ name, problem }) => (problem === undefined ? [] : [`skill ${name}: ${problem}`]))
  const extension = extensionIn(layout.extensionText)
  return {
    skills: skills.filter(({ problem }) => problem === undefined).map(({ name }) => name),
    commands: [...commands.filter(({ kind }) => kind !== "unfit").map(nameOf), ...layout.declaredCommands],
    agents: agents.flatMap((one) => (one.kind === "agent" ? [one.agent.name] : [])),
    mcpServers: layout.servers.flatMap(({ value }) => Object.entries(value).map(serverLine)),
    extension: typeof extension === "string" ? null : extension,
    hooks: layout.hooks.flatMap(({ value }) => hookLines(value)),
    problems: [
      ...Object.values(manifestProblems),
      ...(typeof extension === "string" ? [`extension: ${extension}`] : []),
      ...problems,
      ...unfit,
      ...unusable,
    ],
  }
}

function serverLine([name, server]: [string, JsonValue | undefined]): string {
  const args = memberIn(server, "args")
  const words = [textIn(server, "command") ?? textIn(server, "url") ?? "", ...(Array.isArray(args) ? args : [])]
  return `${name}: ${words.map(wordOf).join(" ")}`
}

/** Without quotes where none are needed. */
function wordOf(word: JsonValue): string {
  return typeof word === "string" && /^[^\s"']+$/.test(word) ? word : JSON.stringify(word)
}

/** Or why it cannot be loaded. */
function extensionIn(text: string | undefined): ExtensionContents | string | null {
  const read = text === undefined ? { kind: "none" as const } : readManifest(text)
  if (read.kind === "none") return null
  if (read.kind === "bad") return read.reasons[0]
  const { command, args = [], permissions = [], sandbox } = read.manifest
  const checked = checkManifest(read.manifest, { hasCommands: true })
  if (checked.kind === "bad") return checked.reason
  const writes = sandbox === false || sandbox === undefined ? [] : (sandbox.write ?? [])
  return {
    command: [command, ...args].map(wordOf).join(" "),
    permissions,
    hooks: checked.subscriptions.map(({ kind, tool }) => (tool === undefined ? kind : `${kind} (${tool})`)),
    sandbox:
      sandbox === false ? "runs without a sandbox" : writes.length === 0 ? null : `writes to ${writes.join(", ")}`,
  }
}

function hookLines(hooks: JsonObject): readonly string[] {
  return Object.entries(hooks).flatMap(([event, entries]) =>
    listIn(entries).flatMap((entry) =>
      listIn(memberIn(entry, "hooks")).map((hook) => {
        const matcher = textIn(entry, "matcher") ?? ""
        return `${event}${matcher === "" ? "" : ` ${matcher}`}: ${textIn(hook, "command") ?? JSON.stringify(hook)}`
      }),
    ),
  )
}

function listIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

/** Folders in the plugin that its extension may write to, and that it does not bring itself. */
export function writtenFolders(layout: PluginLayout): readonly string[] {
  return writableFolders(layout).filter((path) => insidePath(layout.folder, path).kind === "absent")
}

/** Folders in the plugin that its extension may write to. */
export function writableFolders({ extensionText }: PluginLayout): readonly string[] {
  const read = extensionText === undefined ? undefined : readManifest(extensionText)
  const sandbox = read?.kind === "manifest" ? read.manifest.sandbox : undefined
  const paths = sandbox === undefined || sandbox === false ? [] : (sandbox.write ?? [])
  return paths.filter((path) => !/^[~/]/.test(path)).map((path) => normalize(path).replace(/\/$/, ""))
}
