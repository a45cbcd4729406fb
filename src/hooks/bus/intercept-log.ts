// Who has put another output in the place of a tool's, one line for each time: sizes and names, never what it said. A
// file that has grown large is put aside, and only the newest of those is kept.
import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs"
import { dirname } from "node:path"

export interface Replacement {
  readonly extension: string
  /** As extensions know it. */
  readonly tool: string
  /** Bytes of what the extension was shown, and of what it put there. */
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
