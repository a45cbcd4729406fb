// Turns a typed definition into a Tool. The generated checker validates the model's input before `prepare` and
// `resources`, and describes an invalid one in one sentence.
import type { Check, Fault } from "../contract/generated/tool-inputs.d.ts"
import type { JsonValue, ToolClass } from "../contract/values.ts"
import type { LockRequest } from "../features/locks/conflicts.ts"
import type { PreparedCall, Tool, ToolContext, ToolResult } from "./tool.ts"

export interface ToolDefinition<Input> {
  readonly name: string
  readonly description: string
  readonly class: ToolClass
  readonly isReadOnly?: true
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly check: Check<Input>
  readonly resources?: (input: Input, cwd: string) => readonly string[]
  readonly locks?: (input: Input, cwd: string) => Promise<readonly LockRequest[]>
  readonly prepare: (input: Input, context: ToolContext) => Promise<PreparedCall>
}

export function defineTool<Input>(definition: ToolDefinition<Input>): Tool {
  const { name, description, isReadOnly, inputSchema, check, locks } = definition
  return {
    name,
    description,
    class: definition.class,
    ...(isReadOnly === undefined ? {} : { isReadOnly }),
    inputSchema,
    problem: (input) => (check(input) ? undefined : sentenceOf(name, input, check.errors ?? [], inputSchema)),
    resources: (input, cwd) => (check(input) ? (definition.resources?.(input, cwd) ?? []) : []),
    ...(locks === undefined ? {} : { locks: async (input, cwd) => (check(input) ? locks(input, cwd) : []) }),
    async prepare(input, context) {
      if (!check(input)) throw new Error(`${name} was prepared with an input that does not fit`)
      return definition.prepare(input, context)
    },
  }
}

/** A call without a process: everything happens when it runs. */
export function withoutPreparation(context: ToolContext, run: () => Promise<ToolResult>): PreparedCall {
  return { run: () => (context.signal.aborted ? Promise.resolve(cancelled) : run()), abandon() {} }
}

export function failed(output: string, details?: JsonValue): ToolResult {
  return { outcome: "failed", output, ...(details === undefined ? {} : { details }) }
}

export const cancelled = failed("The call was cancelled.")

function sentenceOf(
  tool: string,
  input: JsonValue,
  faults: readonly Fault[],
  schema: Readonly<Record<string, unknown>>,
): string {
  const wrong = [...new Set(faults.map(describe))].join("; ")
  const unknown = faults.some((fault) => fault.keyword === "required") ? unknownFields(input, schema) : []
  const hint = unknown.length === 0 ? "" : `; it has no field ${unknown.map((name) => `'${name}'`).join(", ")}`
  return `The input of ${tool} does not fit: ${wrong || "it is not what the tool expects"}${hint}.`
}

function describe({ instancePath, keyword, params, message }: Fault): string {
  const field = instancePath === "" ? "the input" : `'${instancePath.slice(1).replaceAll("/", ".")}'`
  const limit = String(params["limit"])
  switch (keyword) {
    case "required":
      return `'${String(params["missingProperty"])}' is missing`
    case "type":
      return `${field} must be ${withArticle(String(params["type"]))}`
    case "minLength":
      return limit === "1" ? `${field} must not be empty` : `${field} must have at least ${limit} characters`
    case "minimum":
      return `${field} must be at least ${limit}`
    case "maximum":
      return `${field} must be at most ${limit}`
    case "additionalProperties":
    case "unevaluatedProperties":
      return `${field} has no field '${String(params["additionalProperty"] ?? params["unevaluatedProperty"])}'`
    case "enum":
      return `${field} must be one of ${JSON.stringify(params["allowedValues"]).slice(1, -1).replaceAll(",", ", ")}`
    default:
      return `${field} ${message}`
  }
}

function withArticle(type: string): string {
  return type === "integer" ? "a whole number" : `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`
}

function unknownFields(input: JsonValue, schema: Readonly<Record<string, unknown>>): string[] {
  const known = schema["properties"]
  if (typeof input !== "object" || input === null || typeof known !== "object" || known === null) return []
  return Object.keys(input).filter((name) => !(name in known))
}
