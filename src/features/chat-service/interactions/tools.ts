// Tools that ask the visitor for their identity or a choice. If the client can show a card, the visitor's answer is the
// result of the call; otherwise the result tells the model to ask in text and submit the answer with another tool.
import {
  requestTool,
  readSpec,
  submitTool,
  interactionKinds,
  readValues,
} from "../../../contract/rules/interactions.ts"
import { textIn, memberIn } from "../../../contract/json-object.ts"
import type { FieldError, InteractionKind, JsonValue } from "../../../contract/values.ts"
import { withoutPreparation, failed } from "../../../tools/define-tool.ts"
import type { InteractionRequest, Tool, ToolContext, ToolResult } from "../../../tools/tool.ts"

const DEFAULT_REASON = "to help you better"

export function interactionTools(): readonly Tool[] {
  return [
    requestInteractionTool("identity_intake", {
      description: "Asks the visitor who they are. Use it when you need their name, e-mail address or phone number.",
      properties: { fields: identityFields },
      required: ["fields"],
    }),
    requestInteractionTool("choices", {
      description: "Lets the visitor choose. Use it when a few options answer what you need to know.",
      properties: { questions: choiceQuestions },
      required: ["questions"],
    }),
  ]
}

const identityKey = { type: "string", enum: ["name", "email", "phone"] }
const identityFields = {
  type: "array",
  minItems: 1,
  description: "What to ask for; a bare name means that it is required.",
  items: {
    anyOf: [
      identityKey,
      {
        type: "object",
        properties: { key: identityKey, required: { type: "boolean" }, label: { type: "string" } },
        required: ["key"],
      },
    ],
  },
}
const option = {
  anyOf: [
    { type: "string" },
    {
      type: "object",
      properties: { label: { type: "string" }, description: { type: "string" } },
      required: ["label"],
    },
  ],
}
const choiceQuestions = {
  type: "array",
  minItems: 1,
  maxItems: 4,
  items: {
    type: "object",
    properties: {
      header: { type: "string", maxLength: 12, description: "A very short name of the question." },
      question: { type: "string" },
      multiSelect: { type: "boolean", description: "Whether more than one option may be chosen." },
      options: { type: "array", minItems: 2, maxItems: 4, items: option },
    },
    required: ["header", "options"],
  },
}

interface ToolTexts {
  readonly description: string
  readonly properties: Readonly<Record<string, unknown>>
  readonly required: readonly string[]
}

function requestInteractionTool(kind: InteractionKind, { description, properties, required }: ToolTexts): Tool {
  const name = requestTool[kind]
  const reason = { type: "string", description: "Why you ask; the visitor reads it." }
  return {
    name,
    description,
    class: "read",
    inputSchema: { type: "object", properties: { ...properties, reason }, required },
    problem: (input) => problemWith(name, kind, input),
    resources: () => [],
    interaction: (input) => requestIn(kind, input),
    prepare: async (input, context) =>
      withoutPreparation(context, async () => ({
        outcome: "done",
        output: JSON.stringify(askInText(requestIn(kind, input))),
      })),
  }
}

function problemWith(name: string, kind: InteractionKind, input: JsonValue): string | undefined {
  const read = readSpec(kind, input)
  return read.kind === "ok" ? undefined : `The input of ${name} does not fit: ${describeErrors(read.errors)}.`
}

export function describeErrors(errors: readonly FieldError[]): string {
  return errors.map(({ field, message }) => `${field}: ${message}`).join("; ")
}

function requestIn(kind: InteractionKind, input: JsonValue): InteractionRequest {
  const read = readSpec(kind, input)
  if (read.kind === "wrong") throw new Error(`invalid interaction: ${describeErrors(read.errors)}`)
  return { kind, spec: read.value, reason: reasonIn(input) }
}

function reasonIn(input: JsonValue): string {
  return textIn(input, "reason")?.trim() || DEFAULT_REASON
}

function askInText({ kind, spec, reason }: InteractionRequest): JsonValue {
  const instructions =
    `The visitor's client cannot show this as a card. Ask for it in your own words, ${reason}. When they have answered, ` +
    `call ${submitTool} with kind "${kind}" and their values, or with declined: true if they do not want to answer.`
  return { mode: "conversational", kind, spec, reason, instructions }
}

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
    prepare: async (input, context) => withoutPreparation(context, async () => submit(submissionIn(input), context)),
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
