// MCP servers that the user has given Claude Code, in `~/.claude.json`: for all folders, or for one. The file also has the
// state of that program, so everything unknown is ignored.
import { isTexts, valueAt } from "../../config/plain.ts"
import { readConfigFile } from "../../config/read-config-file.ts"
import { parseJson } from "../../contract/json-object.ts"

export interface ClaudeServers {
  readonly ofFolder: unknown
  readonly ofUser: unknown
  /** Names that the user has switched off there, for this folder. */
  readonly disabled: ReadonlySet<string>
  /** The same for servers of `.mcp.json`. */
  readonly disabledOfProject: ReadonlySet<string>
}

/** Earlier versions kept the history of all prompts in it. */
const MAX_BYTES = 16 * 1024 * 1024

export function claudeServers(path: string, folder: string, note: (problem: string) => void): ClaudeServers {
  const value = contentOf(path, note)
  const names = (key: string) => {
    const list = valueAt(value, ["projects", folder, key])
    return isTexts(list) ? list : []
  }
  const disabled = names("disabledMcpServers")
  return {
    ofFolder: valueAt(value, ["projects", folder, "mcpServers"]),
    ofUser: valueAt(value, ["mcpServers"]),
    disabled: new Set(disabled),
    disabledOfProject: new Set([...disabled, ...names("disabledMcpjsonServers")]),
  }
}

function contentOf(path: string, note: (problem: string) => void): unknown {
  const file = readConfigFile(path, MAX_BYTES)
  if (file.kind === "absent") return undefined
  try {
    if (file.kind === "text") return parseJson(file.text)
    note(`${path}: ${file.what}.`)
  } catch {
    note(`${path}: it is not valid JSON, so its MCP servers are not used.`)
  }
  return undefined
}
