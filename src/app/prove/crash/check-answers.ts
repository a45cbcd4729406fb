// The answers of a conversation against what the scripted model says: each text whole, once and in order, also where a crash
// has cut it in two.
import { emptyTranscript, foldTranscript } from "../../../projection/transcript.ts"
import type { Report } from "../violation.ts"
import type { History } from "./check-history.ts"
import { textsOf, type PlayKind } from "./play.ts"

export function checkAnswers(history: History, kind: PlayKind, report: Report): void {
  const said = textsOf(kind)
  const answers = answersIn(history)
  if (!kind.continuesTurns || kind.isCondensed) return checkParts(answers, said, report)
  const expected = said.slice(0, -1) // the last one is interrupted
  const at = expected.findIndex((text, index) => text !== answers[index])
  if (at < 0) return
  const [answer = "", text = ""] = [answers[at], expected[at]]
  report(
    answer.length > text.length ? "doubled" : "lost",
    "text.ended",
    `answer ${at + 1} is "${answer}", the model said "${text}"`,
  )
}

/** Which answer comes next is not known, and one may be cut off. */
function checkParts(answers: readonly string[], said: readonly string[], report: Report): void {
  const foreign = answers.find((answer) => !said.some((text) => text.startsWith(answer)))
  if (foreign !== undefined) report("doubled", "text.ended", `the answer "${foreign}" is not what the model said`)
}

/** One text for each answer; one that was continued after a crash is one. */
function answersIn(history: History): readonly string[] {
  const { items } = history.reduce(foldTranscript, emptyTranscript())
  return items.flatMap((item) => (item.kind === "assistant" && item.text !== "" ? [item.text] : []))
}
