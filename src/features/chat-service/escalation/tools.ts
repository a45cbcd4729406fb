// Tool with which an agent asks for a person. The reason is in the details of its result and becomes an event.
import { ESCALATION_TOOL } from "./state.ts"
import { textIn } from "../../../contract/json-object.ts"
import type { JsonValue } from "../../../contract/values.ts"
import { withoutPreparation } from "../../../tools/define-tool.ts"
import type { Tool } from "../../../tools/tool.ts"

const MAX_REASON_LENGTH = 1000

export function escalateTool(): Tool {
  return {
    name: ESCALATION_TOOL,
    description:
      "Hands the conversation over to a staff member. Use it when the visitor asks for one, or when you cannot help.",
    class: "read",
    inputSchema: {
      type: "object",
      properties: { reason: { type: "string", minLength: 1, description: "Why a person is needed, in one sentence." } },
      required: ["reason"],
    },
    problem: (input) =>
      reasonIn(input) === "" ? "The input of escalate does not fit: 'reason' is missing." : undefined,
    resources: () => [],
    prepare: async (input, context) =>
      withoutPreparation(context, async () => ({
        outcome: "done",
        output: "A person was asked to take over. Tell the visitor so.",
        details: { escalation: reasonIn(input) },
      })),
  }
}

function reasonIn(input: JsonValue): string {
  return (textIn(input, "reason") ?? "").trim().slice(0, MAX_REASON_LENGTH).toWellFormed()
}
