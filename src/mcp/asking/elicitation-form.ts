// `elicitation/create` of an MCP server: its form as questions for a person, and the answers as the result for the server.
// An answer that does not fit is asked for again. An address is shown and never opened.
import type { ReadAnswer } from "../../contract/rules/questions.ts"
import { isObject } from "../../contract/json-object.ts"
import type { Question } from "../../contract/values.ts"
import type { Elicitation, ElicitationAnswer } from "../../tools/tool.ts"
import { formField, type FieldValue, type FormField } from "./form-field.ts"
import { listOf, memberOf, textOf } from "./read-value.ts"

/** Asks a person, for the server of the form. */
export type AskPerson = (
  request: Pick<Elicitation, "message" | "questions">,
  signal: AbortSignal,
) => Promise<ElicitationAnswer>

/** MCP's ElicitResult. The reason says why there is no content. */
export interface FormResult {
  readonly action: "accept" | "decline" | "cancel"
  readonly content?: FormContent
  readonly _meta?: { readonly reason: string }
}

export type FormContent = Readonly<Record<string, FieldValue>>

const MAX_FIELDS = 20
const MAX_ADDRESS_LENGTH = 1500
/** How often a person is asked at most. */
export const MAX_ATTEMPTS = 3

export async function askForm(ask: AskPerson, params: unknown, signal: AbortSignal): Promise<FormResult> {
  const form = readForm(params)
  if (form.kind === "no") return without("decline", form.reason)
  let problem = ""
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const message = problem === "" ? form.message : `Asked again: ${problem}. ${form.message}`
    const answer = await ask({ message, questions: form.questions }, signal)
    if (answer.kind === "declined") return without("decline", answer.reason)
    if (answer.kind === "cancelled") return without("cancel", answer.reason)
    const result = form.read(answer.answers)
    if (typeof result !== "string") return result
    problem = result
  }
  return without("cancel", `no valid answer: ${problem}`)
}

export type Form =
  | {
      readonly kind: "form"
      readonly message: string
      readonly questions: readonly Question[]
      /** The result, or what is wrong with an answer. */
      readonly read: (answers: readonly ReadAnswer[]) => FormResult | string
    }
  | { readonly kind: "no"; readonly reason: string }

export function readForm(params: unknown): Form {
  const message = textOf(params, "message") ?? ""
  const mode = memberOf(params, "mode") ?? "form"
  if (mode === "url") return addressForm(message, textOf(params, "url") ?? "")
  if (mode !== "form") return no("this mode of elicitation is not supported")
  const schema = memberOf(params, "requestedSchema")
  const properties = memberOf(schema, "properties")
  if (memberOf(schema, "type") !== "object" || !isObject(properties))
    return no("requestedSchema is not an object schema")
  const names = Object.keys(properties)
  if (names.length > MAX_FIELDS) return no(`a form may have ${MAX_FIELDS} fields, and it has ${names.length}`)
  if (names.length === 0) return confirmation(message, "Do you accept?", { action: "accept", content: {} })
  const required = new Set(listOf(schema, "required"))
  const fields = names.map((name) => formField(name, properties[name], required.has(name)))
  const known = fields.filter((field) => field !== undefined)
  const unknown = names[fields.indexOf(undefined)]
  return unknown === undefined
    ? fieldsForm(message, known)
    : no(`the schema of the field ${JSON.stringify(unknown)} is not supported`)
}

function fieldsForm(message: string, fields: readonly FormField[]): Form {
  const read = (answers: readonly ReadAnswer[]): FormResult | string => {
    const entries: [string, FieldValue][] = []
    for (const [index, field] of fields.entries()) {
      const answer = field.read(answers[index] ?? { options: [] })
      if (answer.kind === "wrong") return `${field.title} ${answer.problem}`
      if (answer.value !== undefined) entries.push([field.name, answer.value])
    }
    return { action: "accept", content: Object.fromEntries(entries) }
  }
  return { kind: "form", message, questions: fields.map(({ question }) => question), read }
}

/** Names in other scripts are shown as the URL parser writes them. */
function addressForm(message: string, address: string): Form {
  const url = URL.parse(address)
  if (url === null || url.protocol !== "https:" || url.username !== "" || url.password !== "")
    return no("the address is not an https address without a user name")
  if (url.href.length > MAX_ADDRESS_LENGTH) return no(`an address may have ${MAX_ADDRESS_LENGTH} characters`)
  const question = `Open this address of ${url.host} yourself, if you trust it: ${url.href}`
  return confirmation(message, question, { action: "accept" })
}

const ACCEPT = "Accept"
const DECLINE = "Decline"

function confirmation(message: string, question: string, accepted: FormResult): Form {
  const read = ([answer]: readonly ReadAnswer[]): FormResult | string => {
    const [choice] = answer?.options ?? []
    if (choice === undefined) return "choose one of the options"
    return choice === ACCEPT ? accepted : { action: "decline" }
  }
  return { kind: "form", message, questions: [{ question, options: [{ label: ACCEPT }, { label: DECLINE }] }], read }
}

function no(reason: string): Form {
  return { kind: "no", reason }
}

function without(action: "decline" | "cancel", reason: string): FormResult {
  return { action, _meta: { reason } }
}
