// Completion in the box: slash commands at the beginning, files of the session's folder after `@`.
import { useEffect, useMemo, useState } from "preact/hooks"
import type { Answers } from "../../../../src/contract/queries.ts"
import { fileMention, typedPart } from "../../../../src/contract/text/typed-part.ts"
import { limits } from "../../../../src/contract/limits.ts"
import { fuzzyFilter } from "../../../../src/display/fuzzy.ts"
import { safe } from "../../../../src/display/safe-text.ts"
import { slashCatalogue } from "../../../../src/slash-commands/table.ts"
import type { PanelContext } from "../../panels/panel.ts"
import { useQuery } from "../../state/use-query.ts"

interface Choice {
  readonly text: string
  readonly detail: string
}

/** What is in the box, and where the cursor is. */
export interface Written {
  readonly text: string
  readonly cursor: number
}

export interface Completion {
  readonly kind: "file" | "command"
  readonly choices: readonly Choice[]
  readonly selected: number
  /** The box once a choice is taken. */
  readonly taken: (choice: Choice) => Written
  /** Whether the key was for the list. */
  readonly onKey: (event: KeyboardEvent, write: (written: Written) => void) => boolean
}

const MAX_CHOICES = 8

const builtIn: readonly Choice[] = [
  ...slashCatalogue.groups.flatMap(({ commands }) =>
    commands.flatMap(({ name, help, usage = "" }) =>
      name === "exit" ? [] : [{ text: `/${name}`, detail: usage === "" ? help : `${usage}  ${help}` }],
    ),
  ),
  { text: "/stop", detail: "interrupt the turn" },
]

export function useCompletion(context: PanelContext, sessionId: string, written: Written): Completion {
  const { text, cursor } = written
  const [selected, setSelected] = useState(0)
  const [closedFor, setClosedFor] = useState<string>()
  const typed = useMemo(() => typedPart(written), [text, cursor])
  const found = useChoices(context, sessionId, typed)
  useEffect(() => setSelected(0), [text])
  const isDone = found.length === 1 && found[0]?.text === text.slice(typed?.from, cursor)
  const choices = closedFor === text || isDone ? [] : found
  const from = typed?.from ?? 0
  const taken = (choice: Choice): Written => {
    const before = `${text.slice(0, from)}${choice.text} `
    return { text: before + text.slice(cursor).replace(/^ /, ""), cursor: before.length }
  }
  const onKey = (event: KeyboardEvent, write: (written: Written) => void): boolean => {
    if (choices.length === 0) return false
    const choice = choices[selected]
    switch (event.key) {
      case "ArrowDown":
        setSelected((selected + 1) % choices.length)
        return true
      case "ArrowUp":
        setSelected((selected + choices.length - 1) % choices.length)
        return true
      case "Escape":
        setClosedFor(text)
        return true
      case "Tab":
      case "Enter":
        if (event.key === "Enter" && choices.some((one) => one.text === text)) return false
        if (choice !== undefined) write(taken(choice))
        return true
      default:
        return false
    }
  }
  return { kind: typed?.kind ?? "command", choices, selected, taken, onKey }
}

/** Files are matched where they are; commands are few, and matched here. */
function useChoices({ port }: PanelContext, sessionId: string, typed: ReturnType<typeof typedPart>): readonly Choice[] {
  const isCommand = typed?.kind === "command"
  const isFile = typed?.kind === "file" && typed.query.length <= limits.nameLength
  const commands = useQuery(port, isCommand ? { type: "commands", sessionId } : undefined)
  const files = useQuery(port, isFile ? { type: "files", sessionId, text: typed.query } : undefined)
  return useMemo(() => {
    if (isFile) return filesFor(files, typed.query)
    if (!isCommand) return []
    return fuzzyFilter([...customChoices(commands), ...builtIn], typed.query, ({ text }) => text.slice(1), MAX_CHOICES)
  }, [commands, files, typed])
}

/** Until the answer for the last letter is there, those of the answer before it that still match. */
function filesFor(files: Answers["files"] = [], query: string): readonly Choice[] {
  const matching = fuzzyFilter(files, query, (file) => file, MAX_CHOICES)
  return matching.map((file) => ({ text: fileMention(file), detail: "" }))
}

function customChoices(commands: Answers["commands"] = []): readonly Choice[] {
  return commands.map(({ name, description }) => ({ text: `/${name}`, detail: description }))
}

interface CompletionListProps {
  readonly completion: Completion
  readonly write: (written: Written) => void
}

export function CompletionList({ completion: { kind, choices, selected, taken }, write }: CompletionListProps) {
  if (choices.length === 0) return null
  return (
    <ul class="completion" role="listbox" aria-label={kind === "file" ? "Files" : "Commands"}>
      {choices.map((choice, at) => (
        <li
          key={choice.text}
          role="option"
          aria-selected={at === selected}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => write(taken(choice))}
        >
          <strong>{safe(choice.text)}</strong> <span class="muted">{safe(choice.detail)}</span>
        </li>
      ))}
    </ul>
  )
}
