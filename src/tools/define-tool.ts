// Turns a typed definition into a Tool. The generated checker validates the model's input before `prepare` and
// `resources`, and describes an invalid one in one sentence.
import type { Check } from "../contract/generated/tool-inputs.d.ts"
import type { JsonValue, ToolClass } from "../contract/values.ts"
import type { LockRequest } from "../features/locks/conflicts.ts"
import { inputProblem } from "./input-problem.ts"
import type { ExpectedChanges, PreparedCall, Tool, ToolContext, ToolResult } from "./tool.ts"

export interface ToolDefinition<Input> {
  readonly name: string
  readonly description: string
  readonly class: ToolClass
  readonly isReadOnly?: true
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly check: Check<Input>
  /** What is wrong with an input that matches the schema. */
  readonly refine?: (input: Input) => string | undefined
  readonly resources?: (input: Input, cwd: string) => readonly string[]
  readonly locks?: (input: Input, cwd: string) => Promise<readonly LockRequest[]>
  readonly prepare: (input: Input, context: ToolContext) => Promise<PreparedCall>
  readonly changes?: (input: Input, context: ToolContext) => Promise<ExpectedChanges>
}

export function defineTool<Input>(definition: ToolDefinition<Input>): Tool {
  const { name, description, isReadOnly, inputSchema, check, locks, changes } = definition
  return {
    name,
    description,
    class: definition.class,
    ...(isReadOnly === undefined ? {} : { isReadOnly }),
    inputSchema,
    problem: (input) =>
      check(input) ? definition.refine?.(input) : inputProblem(name, input, check.errors ?? [], inputSchema),
    resources: (input, cwd) => (check(input) ? (definition.resources?.(input, cwd) ?? []) : []),
    ...(locks === undefined ? {} : { locks: async (input, cwd) => (check(input) ? locks(input, cwd) : []) }),
    ...(changes === undefined
      ? {}
      : { changes: async (input, context) => (check(input) ? changes(input, context) : { kind: "unknown" }) }),
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
