// The notice for people when the last answer of a turn is incomplete.
import type { Shortfall } from "../values.ts"

const sentences: Readonly<Record<Shortfall, string>> = {
  length: "The answer was cut off at the limit of output tokens. Ask the model to continue.",
  "content-filter": "The provider's content filter stopped the answer. Rephrase the prompt or choose another model.",
  refusal: "The model refused to answer. Rephrase the prompt or choose another model.",
  empty: "The model gave an empty answer. Try again, or choose another model.",
}

export function finishSentence(finish: Shortfall): string {
  return sentences[finish]
}
