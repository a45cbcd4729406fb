// Log of replaced tool outputs: names and sizes, never contents. A large file is rotated, and one old file is kept.
import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs"
import { dirname } from "node:path"

export interface Replacement {
  readonly extension: string
  /** The tool's name for extensions. */
  readonly tool: string
  /** Bytes before and after. */
  readonly observed: number
  readonly replaced: number
}

const maxBytes = 4 * 1024 * 1024

export function recordReplacement(
  file: string,
  { extension, tool, observed, replaced }: Replacement,
  at: number,
): void {
  const line = {
    timestamp: new Date(at).toISOString(),
    plugin_id: extension,
    hook: "after_tool_call",
    tool_name: tool,
    action: "replace",
    observed_len: observed,
    replacement_len: replaced,
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) renameSync(file, `${file}.old`)
  appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 })
}
