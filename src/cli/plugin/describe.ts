// Texts about plugins for a user who decides whether to trust one. Hidden characters are shown as escapes, and what a
// plugin can start is never cut.
import type { StagedPlugin } from "../../app/plugins/staging.ts"
import type { PluginChanges } from "../../app/plugins/update.ts"
import { oneLine, withVisibleCharacters } from "../../contract/text/text.ts"

const MAX_FILES = 50
const MAX_LINE = 500

export function shown(text: string): string {
  return withVisibleCharacters(oneLine(text, MAX_LINE))
}

export function describePlugin({ name, version, description, contents, files, pin }: StagedPlugin): string {
  const { skills, commands, agents, mcpServers, extension, hooks, problems } = contents
  const { command, permissions, hooks: heard, sandbox } = extension ?? none
  const lines = [
    [name, version ?? "", description ?? ""].filter(isText).map(shown).join("  "),
    ...rows("from", [pin.commit === undefined ? pin.source : `${pin.source} (commit ${pin.commit.slice(0, 12)})`]),
    ...rows("skills", [skills.join(", ")]),
    ...rows("commands", [commands.map((one) => `/${one}`).join(", ")]),
    ...rows("agents", [agents.join(", ")]),
    ...rows("MCP servers", mcpServers),
    ...rows("extension", [command, sandbox ?? ""]),
    ...rows("", [permissions.length === 0 ? "" : `permissions: ${permissions.join(", ")}`]),
    ...rows("", [heard.length === 0 ? "" : `hooks: ${heard.join(", ")}`]),
    ...rows("hooks", hooks),
    ...rows("not used", problems),
    ...rows("files", [
      `${[...files.values()].filter((kind) => kind !== "folder").length}, ${pin.digest.slice(0, 19)}…`,
    ]),
  ]
  return `${lines.join("\n")}\n`
}

const none = { command: "", permissions: [], hooks: [], sandbox: null }

function isText(part: string): boolean {
  return part !== ""
}

function rows(title: string, values: readonly string[]): readonly string[] {
  return values.filter(isText).map((value, at) => `  ${(at === 0 ? title : "").padEnd(13)}${exact(value)}`)
}

function exact(text: string): string {
  return withVisibleCharacters(text).replaceAll("\n", String.raw`\n`)
}

export function describeChanges(name: string, { added, removed, changed, gained }: PluginChanges): string {
  const lines = [
    `${name}: changes`,
    ...fileRows("+", added),
    ...fileRows("-", removed),
    ...fileRows("~", changed),
    ...rows("new", gained),
  ]
  return `${lines.join("\n")}\n`
}

function fileRows(sign: string, paths: readonly string[]): readonly string[] {
  const rest = paths.length > MAX_FILES ? [`  ${sign} … and ${paths.length - MAX_FILES} more`] : []
  return [...paths.slice(0, MAX_FILES).map((path) => `  ${sign} ${shown(path)}`), ...rest]
}
