// Asking the visitor for something with a card: who they are, or which of a few options they choose. Where their client
// shows the card, the call is left to the visitor and their answer is its result. Where it shows none, the model is
// told to ask in words and to hand in what the visitor said.
import { raisingTool, readSpec, submitTool } from "../../../../contract/interactions.ts"
import { textIn } from "../../../../contract/json-object.ts"
import type { FieldError, InteractionKind, JsonValue } from "../../../../contract/values.ts"
import { inOneGo } from "../../../../tools/define-tool.ts"
import type { Raise, Tool } from "../../../../tools/tool.ts"

const usualReason = "to help you better"

export function interactionTools(): readonly Tool[] {
  return [
    raiser("identity_intake", {
      description: "Asks the visitor who they are. Use it when you need their name, e-mail address or phone number.",
      properties: { fields: identityFields },
      required: ["fields"],
    }),
    raiser("choices", {
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

interface Wording {
  readonly description: string
  readonly properties: Readonly<Record<string, unknown>>
  readonly required: readonly string[]
}

function raiser(kind: InteractionKind, { description, properties, required }: Wording): Tool {
  const name = raisingTool[kind]
  const reason = { type: "string", description: "Why you ask; the visitor reads it." }
  return {
    name,
    description,
    class: "read",
    inputSchema: { type: "object", properties: { ...properties, reason }, required },
    problem: (input) => problemWith(name, kind, input),
    resources: () => [],
    raises: (input) => raiseOf(kind, input),
    prepare: async (input, context) =>
      inOneGo(context, async () => ({ outcome: "done", output: JSON.stringify(inWords(raiseOf(kind, input))) })),
  }
}

function problemWith(name: string, kind: InteractionKind, input: JsonValue): string | undefined {
  const read = readSpec(kind, input)
  return read.kind === "ok" ? undefined : `The input of ${name} does not fit: ${told(read.errors)}.`
}

export function told(errors: readonly FieldError[]): string {
  return errors.map(({ field, message }) => `${field}: ${message}`).join("; ")
}

function raiseOf(kind: InteractionKind, input: JsonValue): Raise {
  const read = readSpec(kind, input)
  if (read.kind === "wrong") throw new Error(`a question was raised that does not fit: ${told(read.errors)}`)
  return { kind, spec: read.value, reason: reasonIn(input) }
}

function reasonIn(input: JsonValue): string {
  return textIn(input, "reason")?.trim() || usualReason
}

function inWords({ kind, spec, reason }: Raise): JsonValue {
  const instructions =
    `The visitor's client cannot show this as a card. Ask for it in your own words, ${reason}. When they have answered, ` +
    `call ${submitTool} with kind "${kind}" and their values, or with declined: true if they do not want to answer.`
  return { mode: "conversational", kind, spec, reason, instructions }
}
