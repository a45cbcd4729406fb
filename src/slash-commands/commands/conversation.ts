// The conversation itself: looking at it, emptying it, going back in it.
import type { JsonValue } from "../../contract/values.ts"
import type { Mark } from "../../projection/session-snapshot.ts"
import { numberOf, tooLong, wordsOf, wrongUsage } from "../arguments.ts"
import { contextText } from "./context-text.ts"
import { statusText } from "./status-text.ts"
import { done, failed, send, type SlashCall, type SlashGroup, type SlashStep } from "../command.ts"

export const conversationCommands: SlashGroup = {
  title: "Conversation",
  commands: [
    { name: "status", usage: "", help: "what the session is and does", run: status },
    { name: "clear", usage: "", help: "empties the conversation; the log keeps it", run: clear },
    { name: "compact", usage: "", help: "lets the model sum up what was said so far", run: compact },
    { name: "context", usage: "", help: "what the model would get next, in numbers", run: context },
    { name: "rewind", usage: "[turns=1]", help: "takes back the newest turns", run: rewind },
    { name: "checkpoint", usage: "[name]", help: "names this place in the conversation", run: checkpoint },
    { name: "checkpoints", usage: "", help: "lists the named places", run: checkpoints },
    { name: "restore", usage: "<name or number>", help: "goes back to a named place", run: restore },
    { name: "rename", usage: "<name>", help: "gives the session a name", run: rename },
    { name: "exit", usage: "", help: "ends the session", run: exit },
  ],
}

function status({ view }: SlashCall): SlashStep {
  return done("status_shown", statusText(view))
}

function clear(): SlashStep {
  return send([{ type: "clear-context" }], done("history_cleared"))
}

function compact(): SlashStep {
  return send([{ type: "compact" }], done("compaction_started"))
}

function context({ view: { sessionId } }: SlashCall): SlashStep {
  return { kind: "ask", query: { type: "context", sessionId }, next: contextAnswer }
}

function contextAnswer(value: JsonValue): SlashStep {
  return done("context_shown", contextText(value))
}

function rewind(call: SlashCall): SlashStep {
  const [word = "1", ...more] = call.args
  const turns = numberOf(word)
  if (turns === undefined || more.length > 0) return wrongUsage(call)
  const taken = turns === 1 ? "The newest turn is taken back" : `The newest ${turns} turns are taken back`
  return send([{ type: "rewind", turns }], done("rewound", taken))
}

function checkpoint(call: SlashCall): SlashStep {
  const name = wordsOf(call) || freeName(call.view.marks)
  return tooLong("The name", name) ?? send([{ type: "mark", name }], done("checkpoint_created", name))
}

function checkpoints({ view: { marks } }: SlashCall): SlashStep {
  const lines = marks.map(({ name }, index) => `${index + 1}. ${name}`)
  return done("checkpoints_listed", lines.length === 0 ? "No checkpoints" : lines.join("\n"))
}

function restore(call: SlashCall): SlashStep {
  const wanted = wordsOf(call)
  if (wanted === "") return wrongUsage(call)
  const found = markMeant(call.view.marks, wanted)
  if (found === undefined) return failed(`No checkpoint '${wanted}'; /checkpoints lists them`)
  return send([{ type: "rewind", toSeq: found.toSeq }], done("restored", found.name))
}

function rename(call: SlashCall): SlashStep {
  const name = wordsOf(call)
  if (name === "") return wrongUsage(call)
  return tooLong("The name", name) ?? send([{ type: "rename", name }], done("renamed", name))
}

function exit(): SlashStep {
  return { kind: "exit", answer: done("exit_requested") }
}

/** A name comes before a number; of two with the same name the newest counts. */
function markMeant(marks: readonly Mark[], wanted: string): Mark | undefined {
  const named = marks.findLast(({ name }) => name === wanted)
  const number = numberOf(wanted)
  return named ?? (number === undefined ? undefined : marks[number - 1])
}

function freeName(marks: readonly Mark[]): string {
  const taken = new Set(marks.map(({ name }) => name))
  for (let number = marks.length + 1; ; number++) {
    const name = `checkpoint-${number}`
    if (!taken.has(name)) return name
  }
}
