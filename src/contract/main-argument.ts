// The argument that says most about a call: a command, a path, a pattern. It is what people are shown in a line and,
// for our own tools, what a permission given in advance is matched against.
import { coreTool } from "./core-tools.ts"
import { isJsonObject } from "./json-object.ts"
import type { JsonValue } from "./values.ts"

const telling = ["command", "path", "pattern", "task"] as const

export function mainArgument(tool: string, input: JsonValue): string {
  const own = ownMember(tool, input)
  if (own !== undefined) return own
  for (const name of telling) {
    const text = textAt(input, name)
    if (text !== undefined) return text
  }
  return JSON.stringify(input)
}

/**
 * What a permission given in advance is matched against. Inputs may have members that a tool does not read, so a model
 * could add the one that was allowed: only the member that the tool is known to use counts, and of other tools all.
 */
export function permissionArgument(tool: string, input: JsonValue): string {
  return ownMember(tool, input) ?? JSON.stringify(input)
}

function ownMember(tool: string, input: JsonValue): string | undefined {
  const name = coreTool(tool)?.argument
  return name === undefined ? undefined : textAt(input, name)
}

function textAt(input: JsonValue, name: string): string | undefined {
  const value = isJsonObject(input) ? input[name] : undefined
  return typeof value === "string" ? value : undefined
}
