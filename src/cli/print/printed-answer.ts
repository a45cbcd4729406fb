// The sources below an answer, and a note about quotations that are in none of them.
import type { SessionEvent } from "../../contract/events.ts"
import type { StepId } from "../../contract/ids.ts"
import { oneLine } from "../../contract/text/text.ts"
import type { Citation } from "../../contract/values.ts"
import { AnswerSources, citationsOf, unsupportedNote } from "../../projection/answer-sources/answer-sources.ts"

const SNIPPET_WIDTH = 100
const MAX_SOURCES = 8

export interface AnswerEnd {
  /** The list as text; empty without sources. */
  readonly sources: string
  readonly note: string | undefined
}

export class PrintedAnswer {
  readonly #sources = new AnswerSources()
  readonly #prompts = new Map<string, string>()
  #text = ""
  #stepId: StepId | undefined

  take(event: SessionEvent): void {
    this.#sources.add(event)
    if (event.type === "prompt.admitted") this.#prompts.set(event.promptId, event.text)
    if (event.type === "prompt.promoted") this.#promote(event.promptId)
    if (event.type === "prompt.withdrawn") this.#prompts.delete(event.promptId)
    if (event.type === "text.ended") this.#add(event.stepId, event.text)
  }

  /** At the end of a turn; the next one starts anew. */
  end(): AnswerEnd {
    const support = this.#sources.supportFor(this.#text)
    this.#sources.clear()
    this.#text = ""
    const lines = citationsOf(support, MAX_SOURCES).map(lineOf)
    return { sources: lines.length === 0 ? "" : `\nSources:\n${lines.join("")}`, note: unsupportedNote(support) }
  }

  #promote(promptId: string): void {
    this.#sources.addPrompt(this.#prompts.get(promptId) ?? "")
    this.#prompts.delete(promptId)
  }

  /** The answer is the text of the last step that has some. */
  #add(stepId: StepId, text: string): void {
    this.#text = stepId === this.#stepId ? `${this.#text}\n${text}` : text
    this.#stepId = stepId
  }
}

function lineOf({ title, url, snippet }: Citation): string {
  const place = url === undefined || url === title ? title : `${title} (${url})`
  return `  ${oneLine(place, 200)}: "${oneLine(snippet, SNIPPET_WIDTH)}"\n`
}
