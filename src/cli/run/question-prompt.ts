// Asks the questions of the agent, or of an MCP server, at a terminal, one after another, each with a numbered list.
import { howToType, questionLines, readAnswer } from "../../contract/rules/questions.ts"
import { oneLine, printable } from "../../contract/text/text.ts"
import type { Question } from "../../contract/values.ts"
import { printNotice, styled } from "../../app/terminal.ts"

/** Reads a line; undefined at the end of the input. */
type ReadLine = (prompt: string) => Promise<string | undefined>

export interface Questionnaire {
  readonly questions: readonly Question[]
  /** Who asks, and why; absent where the agent asks. */
  readonly intro: string | undefined
}

/** The answers, a line each; undefined where the person declines. */
export async function askQuestions(
  { questions, intro }: Questionnaire,
  readLine: ReadLine,
): Promise<string | undefined> {
  if (intro !== undefined) printNotice(`\n${styled("yellow", oneLine(intro, Infinity))}`)
  const answers: string[] = []
  for (const [index, question] of questions.entries()) {
    const [first = "", ...options] = questionLines(question)
    const number = questions.length === 1 ? "Question:" : `Question ${index + 1} of ${questions.length}:`
    printNotice(`\n${styled("yellow", number)} ${printable([first, ...options].join("\n"))}`)
    const answer = await askUntilValid(question, readLine)
    if (answer === undefined) return undefined
    answers.push(answer)
  }
  return answers.join("\n")
}

async function askUntilValid(question: Question, readLine: ReadLine): Promise<string | undefined> {
  for (;;) {
    const line = await readLine(`Answer (${howToType([question])}; Ctrl-D declines): `)
    if (line === undefined) return undefined
    const read = readAnswer(question, line)
    if (typeof read !== "string") return line.trim()
    printNotice(`${read}.`)
  }
}
