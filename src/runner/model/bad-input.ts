// Arguments of a call that are not JSON, or too large: what is stored of them, and what the model gets. Nothing is
// repaired, since a guess could run something else. The text is scrubbed before it is cut.
import { messageOf } from "../../contract/faults.ts"
import { parseJson } from "../../contract/json-object.ts"
import { limits } from "../../contract/limits.ts"
import { shortened } from "../../contract/text/text.ts"
import type { CalledPart } from "../../session/report.ts"

interface BadInput extends Pick<CalledPart, "input"> {
  readonly problem: string
}

/** Characters on each side of the place where the text stops being JSON. */
const EXCERPT = 40
const MAX_STORED = 10_000

export function invalidJson(scrubbed: string): BadInput {
  return { input: { unparsed: shortened(scrubbed, MAX_STORED) }, problem: `${placeOf(scrubbed)} ${ADVICE}` }
}

const ADVICE = "The call did not run. Send it again with correct JSON."

export function tooLargeInput(scrubbed: string, length: number): BadInput {
  const problem = `The arguments have ${length} characters; at most ${limits.toolInputLength} are accepted. The call did not run. Divide the work into several calls.`
  return { input: { unparsed: shortened(scrubbed, MAX_STORED) }, problem }
}

function placeOf(text: string): string {
  try {
    parseJson(text)
    return "The arguments are not valid JSON."
  } catch (fault) {
    const stated = /at position (\d+)/.exec(messageOf(fault))?.[1]
    const at = stated === undefined ? text.length : Number(stated)
    const place = at >= text.length ? "they end too early" : `at character ${at + 1}`
    const excerpt = JSON.stringify(text.slice(Math.max(0, at - EXCERPT), at + EXCERPT).toWellFormed())
    return `The arguments are not valid JSON: ${place}, near ${excerpt}.`
  }
}
