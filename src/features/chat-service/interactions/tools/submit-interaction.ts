// Tool that submits what a visitor answered in text, if the client cannot show a card. An answer to a request of the
// same turn is checked against it; otherwise only its form is checked.
import { interactionKinds, readValues, submitTool } from "../../../../contract/rules/interactions.ts"
import { memberIn, textIn } from "../../../../contract/json-object.ts"
import type { InteractionKind, JsonValue } from "../../../../contract/values.ts"
import { failed, inOneGo } from "../../../../tools/define-tool.ts"
import { describeErrors } from "./request-interaction.ts"
import type { Tool, ToolContext, ToolResult } from "../../../../tools/tool.ts"

interface Submission {
  readonly kind: InteractionKind
  readonly values: JsonValue
  readonly declined: boolean
}

export function submitInteractionTool(): Tool {
  return {
    name: submitTool,
    description: "Hands in what the visitor answered in words to a question that could not be shown as a card.",
    class: "read",
    inputSchema: {
      type: "object",
      properties: {
        kind: { type: "string", enum: [...interactionKinds] },
        values: {
          type: "object",
          description:
            "For identity_intake: name, email, phone. For choices: answers, a list of {header, options, other}.",
        },
        declined: { type: "boolean", description: "The visitor does not want to answer." },
      },
      required: ["kind"],
    },
    problem: (input) => {
      const read = submissionIn(input)
      return typeof read === "string" ? `The input of ${submitTool} does not fit: ${read}.` : undefined
    },
    resources: () => [],
    prepare: async (input, context) => inOneGo(context, async () => submit(submissionIn(input), context)),
  }
}

function submit(submission: Submission | string, { visitor }: ToolContext): ToolResult {
  if (typeof submission === "string") return failed(submission)
  const { kind, values, declined } = submission
  if (declined) return done({ status: "declined", message: "The visitor does not want to answer." })
  const read = readValues(kind, visitor?.requestedSpec(kind), values)
  if (read.kind === "wrong") return failed(`The values cannot be taken: ${describeErrors(read.errors)}.`)
  const result = done({ status: "submitted", values: read.value })
  return kind === "identity_intake" ? { ...result, details: { introduction: read.value } } : result
}

function done(payload: JsonValue): ToolResult {
  return { outcome: "done", output: JSON.stringify(payload) }
}

function submissionIn(input: JsonValue): Submission | string {
  const kind = interactionKinds.find((known) => known === textIn(input, "kind"))
  const values = memberIn(input, "values")
  const declined = memberIn(input, "declined") === true
  if (kind === undefined) return `'kind' must be one of ${interactionKinds.join(", ")}`
  if (!declined && values === undefined) return "'values' is missing"
  return { kind, values: values ?? {}, declined }
}
