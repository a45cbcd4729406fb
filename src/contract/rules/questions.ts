// Questions of the agent as numbered text, and the answers that people type: a number, several numbers, a label, or their
// own words. Text in quotes is always own words. Every door reads answers with these rules.
import { oneLine, shortened } from "../text/text.ts"
import type { Question } from "../values.ts"

export interface ReadAnswer {
  /** Labels of the chosen options. */
  readonly options: readonly string[]
  /** The person's own words. */
  readonly text?: string | undefined
}

export type AnswerRead =
  | { readonly kind: "ok"; readonly answers: readonly ReadAnswer[] }
  | { readonly kind: "wrong"; readonly message: string }

/** For several questions: one line each, or one line with semicolons between the answers. */
export function readAnswers(questions: readonly Question[], text: string): AnswerRead {
  const parts = answerParts(questions.length, text)
  if (parts.length !== questions.length) {
    const message = `There are ${questions.length} questions, and ${parts.length === 1 ? "1 answer" : `${parts.length} answers`}. Give one answer per line, or separate them with semicolons`
    return { kind: "wrong", message }
  }
  const answers: ReadAnswer[] = []
  for (const [index, question] of questions.entries()) {
    const read = readAnswer(question, parts[index] ?? "")
    if (typeof read === "string")
      return { kind: "wrong", message: questions.length > 1 ? `Question ${index + 1}: ${read}` : read }
    answers.push(read)
  }
  return { kind: "ok", answers }
}

function answerParts(count: number, text: string): readonly string[] {
  if (count === 1) return [text]
  const lines = text.trim().split(/\r?\n/)
  return lines.length === 1 ? text.split(";") : lines
}

/** Returns what is wrong with the answer, as a sentence without its full stop. */
export function readAnswer({ options, multiSelect = false }: Question, typed: string): ReadAnswer | string {
  const text = typed.trim()
  if (text === "") return "The answer is empty"
  const quoted = /^"([^"]+)"$/.exec(text)?.[1] ?? /^'([^']+)'$/.exec(text)?.[1]
  if (quoted !== undefined) return { options: [], text: quoted }
  if (options.length === 0) return { options: [], text }
  const labels = options.map(({ label }) => label)
  const chosen = isNumbers(text) ? byNumber(labels, text) : byLabel(labels, text)
  if (typeof chosen === "string") return chosen
  if (chosen === undefined) return { options: [], text }
  return chosen.length > 1 && !multiSelect ? "Choose one option only" : { options: chosen }
}

function isNumbers(text: string): boolean {
  return text.length <= 40 && /^\d+(?:[\s,]+\d+)*$/.test(text)
}

function byNumber(labels: readonly string[], text: string): readonly string[] | string {
  const numbers = [...new Set(text.split(/[\s,]+/).map(Number))]
  const wrong = numbers.find((number) => labels[number - 1] === undefined)
  if (wrong !== undefined)
    return `There is no option ${wrong}; choose 1 to ${labels.length}, or put your own words in quotes: "${text}"`
  return numbers.toSorted((one, other) => one - other).flatMap((number) => labels[number - 1] ?? [])
}

function byLabel(labels: readonly string[], text: string): readonly string[] | undefined {
  const find = (name: string) => labels.find((label) => label.trim().toLowerCase() === name.trim().toLowerCase())
  const whole = find(text)
  if (whole !== undefined) return [whole]
  const each = text.split(",").map(find)
  const known = each.filter((label) => label !== undefined)
  return known.length === each.length ? known : undefined
}

/** The question and its choices, a line each. */
export function questionLines({ question, options, multiSelect = false }: Question): readonly string[] {
  const lines = options.map(({ label, description = "" }, index) => {
    return `  ${index + 1}. ${inLine(label)}${description === "" ? "" : `: ${inLine(description)}`}`
  })
  return [`${inLine(question)}${multiSelect ? " (one or more)" : ""}`, ...lines]
}

/** All questions, for a message. */
export function questionsText(questions: readonly Question[]): string {
  const blocks = questions.map((question, index) => {
    const [first = "", ...rest] = questionLines(question)
    return [questions.length === 1 ? first : `Question ${index + 1}: ${first}`, ...rest].join("\n")
  })
  return blocks.join("\n")
}

/** What to type, for a message or a prompt. */
export function howToType(questions: readonly Question[]): string {
  const each = questions.length === 1 ? "" : `, one answer per question, separated by ';'`
  if (questions.every(({ options }) => options.length === 0)) return `your answer${each}`
  const several = questions.some(({ multiSelect }) => multiSelect === true) ? "a number, several numbers" : "a number"
  return `${several} or your own words${each}`
}

/** For one line: in the list of approvals, in a status. */
export function questionSummary(questions: readonly Question[], length = 200): string {
  const [first] = questions
  const more = questions.length > 1 ? ` (and ${questions.length - 1} more)` : ""
  return `${shortened(inLine(first?.question ?? ""), length)}${more}`
}

/** What was answered, in one line for other clients. */
export function answerSummary(answers: readonly ReadAnswer[]): string {
  return answers.map(answerText).join("; ")
}

/** The result of the call, for the model. */
export function answersForModel(questions: readonly Question[], answers: readonly ReadAnswer[]): string {
  const lines = questions.flatMap(({ question }, index) => {
    const answer = answers[index]
    return answer === undefined
      ? []
      : [
          `Question: ${question}\nAnswer: ${answerText(answer)}${answer.text === undefined ? "" : " (in the user's own words)"}`,
        ]
  })
  return lines.join("\n\n")
}

function answerText({ options, text }: ReadAnswer): string {
  return text ?? options.join(", ")
}

/** Characters of a question, a label and a description that come from outside. */
const MAX_QUESTION_LENGTH = 2000
const MAX_LABEL_LENGTH = 200

/** A question of a program that is not trusted: bounded, each text in one line and without control characters. */
export function shownQuestion({ question, multiSelect, options }: Question): Question {
  return {
    question: oneLine(question, MAX_QUESTION_LENGTH),
    ...(multiSelect === undefined ? {} : { multiSelect }),
    options: options.map(({ label, description }) => ({
      label: oneLine(label, MAX_LABEL_LENGTH),
      ...(description === undefined ? {} : { description: oneLine(description, MAX_LABEL_LENGTH) }),
    })),
  }
}

function inLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim()
}
