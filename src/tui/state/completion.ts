// What can be completed at the cursor: a file after `@`, a slash command at the beginning. Pure.
import { fileMention, typedPart, type TypedPart } from "../../contract/text/typed-part.ts"
import { replaceBefore, type Draft } from "./draft.ts"
import { fuzzyFilter } from "../../display/fuzzy.ts"

export interface CompletionChoice {
  /** What replaces the typed part. */
  readonly text: string
  readonly detail: string
}

export interface Completion {
  readonly kind: TypedPart["kind"]
  /** Where the typed part begins. */
  readonly from: number
  readonly choices: readonly CompletionChoice[]
  readonly selected: number
}

export interface CompletionSources {
  readonly files: readonly string[]
  readonly commands: readonly CompletionChoice[]
}

const MAX_CHOICES = 8

export function completionOf(draft: Draft, { files, commands }: CompletionSources): Completion | undefined {
  const typed = typedPart(draft)
  if (typed === undefined) return undefined
  const { kind, from, query } = typed
  const choices =
    kind === "command"
      ? fuzzyFilter(commands, query, ({ text }) => text.slice(1), MAX_CHOICES)
      : fuzzyFilter(files, query, (file) => file, MAX_CHOICES).map((file) => ({ text: fileMention(file), detail: "" }))
  const isDone = choices.length === 1 && choices[0]?.text === draft.text.slice(from, draft.cursor)
  return choices.length === 0 || isDone ? undefined : { kind, from, choices, selected: 0 }
}

export function accept(draft: Draft, { from, choices, selected }: Completion): Draft {
  const choice = choices[selected]
  return choice === undefined
    ? draft
    : replaceBefore(draft, from, choice.text.endsWith("/") ? choice.text : `${choice.text} `)
}

export function selectNext(completion: Completion, by: 1 | -1): Completion {
  const count = completion.choices.length
  return { ...completion, selected: (completion.selected + by + count) % count }
}
