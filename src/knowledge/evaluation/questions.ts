// Questions with the documents that answer them, for measuring a search: a JSON array, or one JSON object per line.
import { isObject } from "../../contract/json-object.ts"

export interface JudgedQuestion {
  readonly question: string
  /** Ids of the documents of which each answers the question. */
  readonly documents: readonly string[]
  /** A label of the user's; results are also shown per label. */
  readonly kind: string | undefined
}

/** The message says what is wrong, and where. */
export class QuestionsFault extends Error {
  override readonly name = "QuestionsFault"
}

/** Further questions are refused. */
export const MAX_QUESTIONS = 10_000

export function readQuestions(text: string): readonly JudgedQuestion[] {
  const rows = text.trimStart().startsWith("[") ? arrayRows(text) : lineRows(text)
  if (rows.length === 0) throw new QuestionsFault("the file has no questions")
  if (rows.length > MAX_QUESTIONS) throw new QuestionsFault(`the file has more than ${MAX_QUESTIONS} questions`)
  return rows.map(({ value, place }) => questionOf(value, place))
}

interface Row {
  readonly value: unknown
  readonly place: string
}

function arrayRows(text: string): readonly Row[] {
  const values = parse(text, "the file")
  if (!Array.isArray(values)) throw new QuestionsFault("the file is not an array of questions")
  return values.map((value: unknown, index) => ({ value, place: `question ${index + 1}` }))
}

function lineRows(text: string): readonly Row[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    const place = `line ${index + 1}`
    return line.trim() === "" ? [] : [{ value: parse(line, place), place }]
  })
}

function parse(text: string, place: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new QuestionsFault(`${place} is not valid JSON. Write one object per line, or an array: ${shape}`)
  }
}

const shape = '{"question": "…", "documents": ["ID", …], "kind": "…"}'

function questionOf(value: unknown, place: string): JudgedQuestion {
  if (!isObject(value)) throw new QuestionsFault(`${place} is not an object. Write ${shape}`)
  const { question, documents, kind, ...others } = value
  const [unknownField] = Object.keys(others)
  if (unknownField !== undefined) throw new QuestionsFault(`${place}: unknown field "${unknownField}". Write ${shape}`)
  if (typeof question !== "string" || question.trim() === "")
    throw new QuestionsFault(`${place}: "question" must be a text that is not empty`)
  if (!isListOfNames(documents))
    throw new QuestionsFault(`${place}: "documents" must be a list of document ids that is not empty`)
  if (kind !== undefined && typeof kind !== "string") throw new QuestionsFault(`${place}: "kind" must be a text`)
  return { question, documents, kind }
}

function isListOfNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === "string" && name !== "")
}
