// The tools that every agent of the chat service has, unless its configuration omits them.
import { escalateTool } from "./escalation/tools.ts"
import { interactionTools, submitInteractionTool } from "./interactions/tools.ts"
import { isObject } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"
import { inputProblem } from "../../tools/input-problem.ts"
import type { Tool } from "../../tools/tool.ts"

export function serviceTools(): readonly Tool[] {
  return [escalateTool(), ...interactionTools(), submitInteractionTool()].map(withoutOtherFields)
}

/** Unknown fields are refused, as by all built-in tools. */
function withoutOtherFields(tool: Tool): Tool {
  const inputSchema = { ...tool.inputSchema, additionalProperties: false }
  return { ...tool, inputSchema, problem: (input) => unknownFields(tool, input) ?? tool.problem(input) }
}

function unknownFields({ name, inputSchema }: Tool, input: JsonValue): string | undefined {
  const { properties } = inputSchema
  if (!isObject(input) || !isObject(properties)) return undefined
  const unknown = Object.keys(input).filter((field) => !Object.hasOwn(properties, field))
  const faults = unknown.map((additionalProperty) => ({
    instancePath: "",
    keyword: "additionalProperties",
    params: { additionalProperty },
    message: "has an unknown field",
  }))
  return faults.length === 0 ? undefined : inputProblem(name, input, faults, inputSchema)
}
