// The help: every key of the keymap, every slash command.
import { columnsOf, padToWidth, plain, type Line } from "../../display/spans.ts"
import { keyGroups, keyLabel, type KeyGroup } from "../keymap.ts"
import type { CompletionChoice } from "../state/completion.ts"
import type { Overlay } from "./overlay.ts"
import { pager } from "./pager.ts"

const approvals: readonly (readonly [string, string])[] = [
  ["y", "yes, run it"],
  ["n", "no, and tell the agent why"],
  ["a", "always for such calls in this session"],
  ["t", "always for exactly this call"],
  ["f", "always in this folder"],
  ["e", "change the call before it runs"],
  ["d", "the exact arguments"],
]

const input: readonly (readonly [string, string])[] = [
  ["/", "commands"],
  ["@", "attach a file or the list of a folder"],
  ["!", "run a command in your shell; its output goes with the next prompt"],
  ["?", "this help, in an empty input"],
]

export function helpPage(commands: readonly CompletionChoice[]): Overlay {
  const groups: readonly KeyGroup[] = keyGroups
  const keys = groups.map(({ title, bindings }) => ({
    title,
    rows: bindings.flatMap(({ keys: names, help }) =>
      help === undefined ? [] : [[names.map(keyLabel).join(", "), help] as const],
    ),
  }))
  return pager("help", [
    ...section("In the input", input),
    ...keys.flatMap(({ title, rows }) => section(title, rows)),
    ...section("When a call waits for approval", approvals),
    ...section(
      "Commands",
      commands.map(({ text, detail }) => [text, detail] as const),
    ),
  ])
}

function section(title: string, rows: readonly (readonly [string, string])[]): readonly Line[] {
  const width = Math.max(...rows.map(([name]) => columnsOf(name)))
  return [
    [{ text: title, styles: ["bold"] }],
    ...rows.map(([name, help]): Line => [plain(`  ${padToWidth(name, width)}  `), { text: help, styles: ["muted"] }]),
    [],
  ]
}
