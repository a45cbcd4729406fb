// Files and folders that a project's configuration makes the host start or load, besides the project files: folders of
// extensions, and files in command lines of tools, formatters, language servers, hooks and MCP servers. What such programs load themselves is unknown here.
import { isObject } from "../../contract/json-object.ts"
import { isAbsolute, join, relative, resolve } from "node:path"
import { type Environment, withUserHome } from "../home.ts"
import { parseConfigText } from "../parse-config-text.ts"
import { isTexts, valueAt } from "../plain.ts"
import { look, projectConfig, realPathOf } from "./project-files.ts"
import { readConfigFile } from "../read-config-file.ts"

/** Relative to the folder if they are inside it. */
export async function namedFiles(folder: string, env: Environment): Promise<readonly string[]> {
  const config = await valueIn(join(folder, projectConfig))
  const servers = await valueIn(join(folder, ".mcp.json"))
  const paths = valueAt(config, ["extensions", "paths"])
  const extensions = isTexts(paths) ? paths.map((path) => resolve(folder, withUserHome(path, env))) : []
  const lines = [...toolLines(config), ...hookLines(config), ...serverLines(config), ...serverLines(servers)]
  const programs = lines.flat().map((word) => resolve(folder, word))
  const own = programs.filter((path) => isInside(path, folder) && look(path).kind === "file")
  return [...new Set([...extensions, ...own].map((path) => (isInside(path, folder) ? relative(folder, path) : path)))]
}

/** An invalid file names nothing; its content is still part of the digest. */
async function valueIn(path: string): Promise<unknown> {
  const file = readConfigFile(path)
  if (file.kind !== "text") return undefined
  const parsed = await parseConfigText(file.text)
  return parsed.kind === "value" ? parsed.value : undefined
}

function toolLines(config: unknown): readonly (readonly string[])[] {
  const tools = valuesAt(config, ["tools", "define"]).map((tool) => valueAt(tool, ["run"]))
  const servers = valuesAt(config, ["tools", "languageServers"]).map((server) => valueAt(server, ["command"]))
  return [...tools, ...servers, ...valuesAt(config, ["tools", "format"])].filter(isTexts)
}

/** A shell may find more files in a command than its plain words. */
function hookLines(config: unknown): readonly (readonly string[])[] {
  const entries = valuesAt(config, ["hooks"]).flatMap(listed)
  const commands = entries.flatMap((entry) => listed(valueAt(entry, ["hooks"])))
  return commands.map((hook) => wordsOf(valueAt(hook, ["command"])))
}

function wordsOf(command: unknown): readonly string[] {
  if (typeof command !== "string") return []
  const plain = command.replaceAll(/\$\{?CLAUDE_PROJECT_DIR\}?/g, ".").replaceAll(/["']/g, "")
  return plain.split(/[\s;&|()<>]+/).filter((word) => word !== "")
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function serverLines(config: unknown): readonly (readonly string[])[] {
  return valuesAt(config, ["mcpServers"]).flatMap((server) => {
    const args = valueAt(server, ["args"])
    const command = valueAt(server, ["command"])
    return [isTexts(args) ? args : [], typeof command === "string" ? [command] : []]
  })
}

function valuesAt(value: unknown, path: readonly string[]): readonly unknown[] {
  const found = valueAt(value, path)
  return isObject(found) ? Object.values(found) : []
}

function isInside(path: string, folder: string): boolean {
  const inside = relative(realPathOf(folder), realPathOf(path))
  return inside !== ".." && !inside.startsWith("../") && !isAbsolute(inside)
}
