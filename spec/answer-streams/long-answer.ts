// Long answers in each format, one event in each text.
import { chunk } from "./chat-parts.ts"
import { data } from "./events.ts"
import { begin, end as anthropicEnd, start as anthropicStart, stop, text } from "./anthropic-parts.ts"
import { added, completed, done, message, start, text as responseText } from "./responses-parts.ts"
import { formats } from "./compare.ts"

const word = (n: number) => ` word${n % 100}`

/** The events of an answer with this many deltas of text. */
export function answerOf(format: string, deltas: number): readonly string[] {
  const each = (make: (n: number) => string) => Array.from({ length: deltas }, (_, n) => make(n))
  switch (format) {
    case formats.anthropic.name:
      return [
        anthropicStart,
        begin(0, { type: "text", text: "" }),
        ...each((n) => text(0, word(n))),
        stop(0),
        anthropicEnd,
      ]
    case formats.responses.name:
      return [
        start,
        added(0, message("m")),
        ...each((n) => responseText(0, "m", word(n))),
        done(0, message("m")),
        completed(),
      ]
    default:
      return [
        ...each((n) => chunk({ content: word(n) })),
        chunk({}, "stop"),
        data({ choices: [], usage: { prompt_tokens: 1, completion_tokens: deltas } }),
        "data: [DONE]\n\n",
      ]
  }
}
