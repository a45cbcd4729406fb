// One field of a server's form: the question that a person gets, and what the server gets for the answer. Supports the
// flat types of MCP's elicitation schemas. A `pattern` of a server is not run.
import { shownQuestion, type ReadAnswer } from "../../contract/rules/questions.ts"
import { oneLine } from "../../contract/text/text.ts"
import type { Question } from "../../contract/values.ts"
import { listOf, memberOf, numberOf, textOf } from "./read-value.ts"
import { textProblem } from "./text-format.ts"

export type FieldValue = string | number | boolean | readonly string[]

export interface FormField {
  readonly name: string
  readonly title: string
  readonly question: Question
  /** `value` is undefined where the field is left empty. */
  readonly read: (answer: ReadAnswer) => ReadField
}

export type ReadField =
  | { readonly kind: "value"; readonly value: FieldValue | undefined }
  /** A clause about the field. */
  | { readonly kind: "wrong"; readonly problem: string }

/** What a person types to leave a field empty, or to take its default. */
export const EMPTY = "-"
const MAX_OPTIONS = 100
const MAX_TITLE_LENGTH = 100
const MAX_DEFAULT_LENGTH = 200

/** Undefined where the schema is of another kind. */
export function formField(name: string, schema: unknown, isRequired: boolean): FormField | undefined {
  const kind = kindOf(schema)
  if (kind === undefined) return undefined
  const title = oneLine(textOf(schema, "title") ?? name, MAX_TITLE_LENGTH)
  const fallback = memberOf(schema, "default")
  const defaultValue = isFieldValue(fallback) ? fallback : undefined
  const canBeEmpty = !isRequired || defaultValue !== undefined
  const hints = [...kind.hints, ...(canBeEmpty ? [emptyHint(defaultValue, kind)] : [])]
  const about = [title, textOf(schema, "description")].filter((text) => text !== undefined).join(": ")
  const question = hints.length === 0 ? about : `${about} (${hints.join("; ")})`
  const read = (answer: ReadAnswer): ReadField => {
    const isEmpty = canBeEmpty && answer.text?.trim() === EMPTY
    return isEmpty ? { kind: "value", value: defaultValue } : kind.read(answer)
  }
  const { multiSelect, labels } = kind
  const options = labels.map((label) => ({ label }))
  return { name, title, question: shownQuestion({ question, multiSelect, options }), read }
}

function emptyHint(value: FieldValue | undefined, { shown }: FieldKind): string {
  if (value === undefined) return `optional, ${EMPTY} leaves it empty`
  const values = typeof value === "object" ? value : [value]
  const texts = values.map((one) => oneLine(shown?.(one) ?? String(one), MAX_DEFAULT_LENGTH))
  return `${EMPTY} for the default: ${oneLine(texts.join(", "), MAX_DEFAULT_LENGTH)}`
}

function isFieldValue(value: unknown): value is FieldValue {
  if (Array.isArray(value)) return value.every((item) => typeof item === "string")
  return (
    typeof value === "string" || typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))
  )
}

interface FieldKind {
  readonly labels: readonly string[]
  readonly multiSelect: boolean
  readonly hints: readonly string[]
  /** What people see in place of a value. */
  readonly shown?: (value: string | number | boolean) => string | undefined
  readonly read: (answer: ReadAnswer) => ReadField
}

function kindOf(schema: unknown): FieldKind | undefined {
  switch (memberOf(schema, "type")) {
    case "string":
      return hasChoices(schema) ? choiceKind(schema) : textKind(schema)
    case "number":
    case "integer":
      return numberKind(schema)
    case "boolean":
      return booleanKind
    case "array":
      return listKind(schema)
    default:
      return undefined
  }
}

function textKind(schema: unknown): FieldKind {
  const format = textOf(schema, "format")
  const bounds = { format, min: numberOf(schema, "minLength"), max: numberOf(schema, "maxLength") }
  const read = ({ text = "" }: ReadAnswer): ReadField => {
    const problem = textProblem(text, bounds)
    return problem === undefined ? { kind: "value", value: text } : wrong(problem)
  }
  return { labels: [], multiSelect: false, hints: format === undefined ? [] : [format], read }
}

function numberKind(schema: unknown): FieldKind {
  const isInteger = memberOf(schema, "type") === "integer"
  const [min, max] = [numberOf(schema, "minimum"), numberOf(schema, "maximum")]
  const read = ({ text = "" }: ReadAnswer): ReadField => {
    const value = text.trim() === "" ? NaN : Number(text)
    if (!Number.isFinite(value)) return wrong("is not a number")
    if (isInteger && !Number.isSafeInteger(value)) return wrong("is not a whole number")
    if (min !== undefined && value < min) return wrong(`is less than ${min}`)
    return max !== undefined && value > max ? wrong(`is more than ${max}`) : { kind: "value", value }
  }
  const range = [...(min === undefined ? [] : [`at least ${min}`]), ...(max === undefined ? [] : [`at most ${max}`])]
  return { labels: [], multiSelect: false, hints: [isInteger ? "whole number" : "number", ...range], read }
}

const booleanKind: FieldKind = {
  labels: ["Yes", "No"],
  multiSelect: false,
  hints: [],
  shown: (value) => (value === true ? "Yes" : value === false ? "No" : undefined),
  read: ({ options: [label] }) => (label === undefined ? notOffered : { kind: "value", value: label === "Yes" }),
}

const notOffered = wrong("is none of the options")

function choiceKind(schema: unknown): FieldKind | undefined {
  const choices = choicesOf(schema)
  if (choices === undefined) return undefined
  const read = ({ options: [label = ""] }: ReadAnswer): ReadField => {
    const value = choices.get(label)
    return value === undefined ? notOffered : { kind: "value", value }
  }
  return { labels: [...choices.keys()], multiSelect: false, hints: [], shown: labelIn(choices), read }
}

function listKind(schema: unknown): FieldKind | undefined {
  const choices = choicesOf(memberOf(schema, "items"))
  if (choices === undefined) return undefined
  const [min = 0, max = Infinity] = [numberOf(schema, "minItems"), numberOf(schema, "maxItems")]
  const read = ({ options }: ReadAnswer): ReadField => {
    if (options.length === 0) return notOffered
    if (options.length < min) return wrong(`needs at least ${min} options`)
    if (options.length > max) return wrong(`takes at most ${max} options`)
    return { kind: "value", value: options.flatMap((label) => choices.get(label) ?? []) }
  }
  return { labels: [...choices.keys()], multiSelect: true, hints: [], shown: labelIn(choices), read }
}

function labelIn(choices: ReadonlyMap<string, string>): NonNullable<FieldKind["shown"]> {
  return (value) => [...choices].find(([, one]) => one === value)?.[0]
}

function hasChoices(schema: unknown): boolean {
  return ["enum", "oneOf", "anyOf"].some((name) => memberOf(schema, name) !== undefined)
}

/** Values by label. Undefined where they are not text, are too many, or two look the same. */
function choicesOf(schema: unknown): ReadonlyMap<string, string> | undefined {
  const titled = listOf(schema, "oneOf") ?? listOf(schema, "anyOf")
  const names = listOf(schema, "enumNames") ?? []
  const pairs =
    titled?.map((one) => [memberOf(one, "const"), memberOf(one, "title")] as const) ??
    listOf(schema, "enum")?.map((value, index) => [value, names[index]] as const)
  if (pairs === undefined || pairs.length === 0 || pairs.length > MAX_OPTIONS) return undefined
  const choices = new Map<string, string>()
  for (const [value, name] of pairs) {
    const label = typeof value === "string" ? shownLabel(typeof name === "string" ? name : value) : undefined
    if (typeof value !== "string" || label === undefined || choices.has(label)) return undefined
    choices.set(label, value)
  }
  return choices
}

/** As the question shows it: answers name it. */
function shownLabel(text: string): string | undefined {
  return shownQuestion({ question: "", options: [{ label: text }] }).options[0]?.label || undefined
}

function wrong(problem: string): ReadField {
  return { kind: "wrong", problem }
}
