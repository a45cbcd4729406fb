// Requests to visitors that are shown as cards, and the check of their answers, which reports all errors at once. Also
// runs in browsers: a client can show the same errors before it sends.
import { memberIn, textIn } from "../json-object.ts"
import type { FieldError, InteractionKind, JsonValue } from "../values.ts"

export type Checked<Value> =
  | { readonly kind: "ok"; readonly value: Value }
  | { readonly kind: "wrong"; readonly errors: readonly FieldError[] }

export type IdentitySpec = {
  readonly fields: readonly IdentityField[]
}
export type IdentityField = {
  readonly key: "name" | "email" | "phone"
  readonly required: boolean
  readonly label?: string
}
export type ChoicesSpec = {
  readonly questions: readonly ChoiceQuestion[]
}
export type ChoiceQuestion = {
  readonly header: string
  readonly question: string
  readonly multiSelect: boolean
  readonly options: readonly { readonly label: string; readonly description: string }[]
}

/** The capability that a client needs to show a request of this kind. */
export const capabilityOf: Readonly<Record<InteractionKind, string>> = {
  identity_intake: "identity_form",
  choices: "choice_chips",
}

/** The tool that makes a request of this kind. */
export const requestTool: Readonly<Record<InteractionKind, string>> = {
  identity_intake: "request_identity_intake",
  choices: "request_choices",
}

export const interactionKinds: readonly InteractionKind[] = ["identity_intake", "choices"]

/** The tool that submits what a visitor answered in text, where the client shows no cards. */
export const submitTool = "submit_interaction"

/** The canonical form of a model's request, or what is wrong with it. */
export function readSpec(kind: InteractionKind, input: JsonValue): Checked<IdentitySpec | ChoicesSpec> {
  return kind === "identity_intake" ? readIdentitySpec(input) : readChoicesSpec(input)
}

/** The canonical form of an answer, or what is wrong with it. Without a spec only its form is checked. */
export function readValues(kind: InteractionKind, spec: JsonValue | undefined, values: JsonValue): Checked<JsonValue> {
  return kind === "identity_intake" ? readIdentity(spec, values) : readChoices(spec, values)
}

const MAX_HEADER_LENGTH = 12

function readIdentitySpec(input: JsonValue): Checked<IdentitySpec> {
  const fields = listIn(input, "fields")
  if (fields === undefined || fields.length === 0) return fieldFault("fields", "must be a list with at least one field")
  const read = fields.map(identityField)
  if (read.some((field) => field === undefined)) return fieldFault("fields", "may be name, email and phone")
  return { kind: "ok", value: { fields: read.filter((field) => field !== undefined) } }
}

function identityField(field: JsonValue): IdentityField | undefined {
  const key = typeof field === "string" ? field : textIn(field, "key")
  if (key !== "name" && key !== "email" && key !== "phone") return undefined
  const label = textIn(field, "label")
  return { key, required: memberIn(field, "required") !== false, ...(label === undefined ? {} : { label }) }
}

function readChoicesSpec(input: JsonValue): Checked<ChoicesSpec> {
  const questions = listIn(input, "questions")
  if (questions === undefined || questions.length < 1 || questions.length > 4)
    return fieldFault("questions", "must be a list of one to four questions")
  const errors: FieldError[] = []
  const read = questions.map((question, index) => choiceQuestion(question, index, errors))
  const headers = read.map(({ header }) => header)
  if (new Set(headers).size < headers.length) errors.push({ field: "questions", message: "headers must differ" })
  return errors.length === 0 ? { kind: "ok", value: { questions: read } } : { kind: "wrong", errors }
}

function choiceQuestion(question: JsonValue, index: number, errors: FieldError[]): ChoiceQuestion {
  const header = (textIn(question, "header") ?? "").trim()
  const field = `questions[${index}]`
  if (header === "" || Array.from(header).length > MAX_HEADER_LENGTH)
    errors.push({ field, message: `the header must have 1 to ${MAX_HEADER_LENGTH} characters` })
  const options = (listIn(question, "options") ?? []).map(choiceOption)
  if (options.length < 2 || options.length > 4 || options.some(({ label }) => label === ""))
    errors.push({ field, message: "there must be two to four options, each with a label" })
  const multiSelect = memberIn(question, "multiSelect") === true
  return { header, question: textIn(question, "question") ?? header, multiSelect, options }
}

function choiceOption(option: JsonValue): { readonly label: string; readonly description: string } {
  const label = typeof option === "string" ? option : (textIn(option, "label") ?? "")
  return { label: label.trim(), description: textIn(option, "description") ?? "" }
}

function readIdentity(spec: JsonValue | undefined, values: JsonValue): Checked<JsonValue> {
  const texts = Object.fromEntries(identityKeys.map((key) => [key, (textIn(values, key) ?? "").trim()]))
  if (Object.values(texts).every((text) => text === "")) return fieldFault("values", "nothing was given")
  const required = spec === undefined ? [] : requiredKeys(spec)
  const errors = required
    .filter((key) => texts[key] === "")
    .map((field) => ({ field, message: "this field is required" }))
  const identity: Record<string, string> = {}
  for (const key of identityKeys) {
    const text = texts[key] ?? ""
    if (text === "") continue
    const value = normalised[key](text)
    if (value === undefined) errors.push({ field: key, message: faultMessages[key] })
    else identity[key] = value
  }
  return errors.length > 0 ? { kind: "wrong", errors } : { kind: "ok", value: identity }
}

const identityKeys = ["name", "email", "phone"] as const
const normalised = { name: (text: string) => text, email: emailOf, phone: phoneOf }
const faultMessages = {
  name: "must be a name",
  email: "must be a valid email address",
  phone: "must be a valid phone number",
}

function requiredKeys(spec: JsonValue): readonly string[] {
  const fields = listIn(spec, "fields") ?? []
  return fields.flatMap((field) => (memberIn(field, "required") === false ? [] : (textIn(field, "key") ?? [])))
}

/** One `@`, no blanks, a dotted domain without empty labels. */
function emailOf(text: string): string | undefined {
  const [user, domain, ...more] = text.split("@")
  if (user === undefined || user === "" || domain === undefined || more.length > 0 || /\s/.test(text)) return undefined
  const labels = domain.split(".")
  return labels.length < 2 || labels.includes("") ? undefined : `${user}@${domain.toLowerCase()}`
}

function phoneOf(text: string): string | undefined {
  const digits = text.replaceAll(/[\s\-.()]/g, "")
  if (/^\+[1-9]\d{7,14}$/.test(digits)) return digits
  if (/^\d{10}$/.test(digits)) return `+1${digits}`
  return /^1\d{10}$/.test(digits) ? `+${digits}` : undefined
}

function readChoices(spec: JsonValue | undefined, values: JsonValue): Checked<JsonValue> {
  const answers = (listIn(values, "answers") ?? []).map(parseAnswer)
  if (answers.length === 0) return fieldFault("values", "nothing was chosen")
  if (spec === undefined) return checkedAnswers(answers)
  const choices = readChoicesSpec(spec)
  if (choices.kind === "wrong") return choices
  const errors = choices.value.questions.flatMap((question) => answerProblem(question, answers))
  const ordered = choices.value.questions.flatMap(({ header }) => answers.filter((answer) => answer.header === header))
  return errors.length > 0 ? { kind: "wrong", errors } : checkedAnswers(ordered)
}

interface ParsedAnswer {
  readonly header: string
  readonly options: readonly string[]
  readonly other: string
}

function parseAnswer(answer: JsonValue): ParsedAnswer {
  const options = (listIn(answer, "options") ?? []).flatMap((option) =>
    typeof option === "string" ? option.trim() : [],
  )
  const header = (textIn(answer, "header") ?? "").trim()
  return { header, options: options.filter((option) => option !== ""), other: (textIn(answer, "other") ?? "").trim() }
}

function checkedAnswers(answers: readonly ParsedAnswer[]): Checked<JsonValue> {
  const plain = answers.map(({ header, options, other }) => ({ header, options, ...(other === "" ? {} : { other }) }))
  return { kind: "ok", value: { answers: plain } }
}

function answerProblem(question: ChoiceQuestion, answers: readonly ParsedAnswer[]): readonly FieldError[] {
  const { header: field, multiSelect, options } = question
  const answer = answers.find(({ header }) => header === field)
  const choiceCount = (answer?.options.length ?? 0) + (answer !== undefined && answer.other !== "" ? 1 : 0)
  if (answer === undefined || choiceCount === 0) return [{ field, message: "this question is not answered" }]
  const labels = new Set(options.map(({ label }) => label))
  if (answer.options.some((option) => !labels.has(option)))
    return [{ field, message: "there is no such option to choose" }]
  return !multiSelect && choiceCount > 1 ? [{ field, message: "only one option may be chosen" }] : []
}

function fieldFault(
  field: string,
  message: string,
): { readonly kind: "wrong"; readonly errors: readonly FieldError[] } {
  return { kind: "wrong", errors: [{ field, message }] }
}

function listIn(value: JsonValue, name: string): readonly JsonValue[] | undefined {
  const member = memberIn(value, name)
  return Array.isArray(member) ? member : undefined
}
