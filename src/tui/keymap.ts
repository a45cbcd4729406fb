// Every key of the screen, in one table: what it does, and how the help names it. Single letters of the approval card are
// in display/approval-choices.ts.

export interface Binding {
  readonly keys: readonly string[]
  readonly action: string
  /** Absent for keys that everybody expects. */
  readonly help?: string
}

export interface KeyGroup {
  readonly title: string
  readonly bindings: readonly Binding[]
}

export const keyGroups = [
  {
    title: "Writing",
    bindings: [
      { keys: ["return"], action: "send", help: "send; while the agent works, queue it for the next step" },
      { keys: ["shift-return", "alt-return", "ctrl-j"], action: "new-line", help: "new line" },
      { keys: ["tab"], action: "complete", help: "complete a /command or an @file" },
      { keys: ["up"], action: "up", help: "previous prompt; edit the queued one" },
      { keys: ["down"], action: "down" },
      { keys: ["ctrl-r"], action: "search-history", help: "search earlier prompts, of all sessions" },
      { keys: ["ctrl-v", "alt-v"], action: "paste-image", help: "attach the image of the clipboard" },
      { keys: ["ctrl-x"], action: "edit-draft", help: "write in your editor ($VISUAL or $EDITOR)" },
      { keys: ["left"], action: "left" },
      { keys: ["right"], action: "right" },
      { keys: ["alt-b", "alt-left", "ctrl-left"], action: "word-left" },
      { keys: ["alt-f", "alt-right", "ctrl-right"], action: "word-right" },
      { keys: ["ctrl-a", "home"], action: "line-start" },
      { keys: ["ctrl-e", "end"], action: "line-end" },
      { keys: ["backspace"], action: "delete-left" },
      { keys: ["delete"], action: "delete-right" },
      { keys: ["ctrl-w", "alt-backspace", "ctrl-backspace"], action: "delete-word" },
      { keys: ["ctrl-u"], action: "delete-to-start", help: "delete to the start of the line" },
      { keys: ["ctrl-k"], action: "delete-to-end", help: "delete to the end of the line" },
      { keys: ["ctrl-y"], action: "insert-cut", help: "insert what was deleted" },
    ],
  },
  {
    title: "Reading",
    bindings: [
      { keys: ["pageup"], action: "page-up", help: "scroll up; the mouse wheel does too" },
      { keys: ["pagedown"], action: "page-down", help: "scroll down; end shows the newest line" },
      { keys: ["ctrl-up", "shift-up"], action: "line-up" },
      { keys: ["ctrl-down", "shift-down"], action: "line-down" },
      { keys: ["ctrl-home"], action: "first-line" },
      { keys: ["ctrl-end"], action: "newest-line" },
      { keys: ["ctrl-o"], action: "expand", help: "show folded output and thoughts, or fold them" },
      { keys: ["alt-up"], action: "focus-up", help: "choose a call, thought or prompt; enter folds it alone" },
      { keys: ["alt-down"], action: "focus-down" },
    ],
  },
  {
    title: "Session",
    bindings: [
      { keys: ["escape"], action: "escape", help: "interrupt the turn; twice: go back to an earlier prompt" },
      { keys: ["ctrl-p"], action: "sessions", help: "switch to another session" },
      { keys: ["alt-n"], action: "next-request", help: "the next of several requests for approval" },
      { keys: ["shift-tab"], action: "plan-mode", help: "plan mode on or off" },
      { keys: ["alt-m"], action: "model", help: "choose the model" },
      { keys: ["alt-t"], action: "thinking", help: "choose how much the model thinks" },
      { keys: ["alt-o"], action: "tool-mode", help: "choose the tools" },
      { keys: ["ctrl-g"], action: "context", help: "what fills the context" },
      { keys: ["ctrl-t"], action: "panel", help: "agents, tasks, locks, MCP servers, extensions" },
      { keys: ["alt-p"], action: "parent", help: "from an agent to the session that started it" },
      { keys: ["ctrl-l"], action: "timeline", help: "timeline: go through the log, rewind to a place" },
      { keys: ["ctrl-d"], action: "detach", help: "leave; the turn goes on" },
      { keys: ["ctrl-c"], action: "leave", help: "clear the input; twice: leave" },
      { keys: ["ctrl-z"], action: "suspend", help: "suspend this window" },
      { keys: ["f1"], action: "help", help: "this help (also ? in an empty input)" },
    ],
  },
] as const satisfies readonly KeyGroup[]

export type ActionName = (typeof keyGroups)[number]["bindings"][number]["action"]

const bindings: readonly (Binding & { readonly action: ActionName })[] = keyGroups.flatMap((group) => [
  ...group.bindings,
])

const actions = new Map(bindings.flatMap(({ keys, action }) => keys.map((key) => [key, action] as const)))

export function actionOf(key: string): ActionName | undefined {
  return actions.get(key)
}

/** `ctrl-o`, `shift-return` as people write them. */
export function keyLabel(key: string): string {
  return key
    .replace("return", "enter")
    .replace("escape", "esc")
    .replace("pageup", "page up")
    .replace("pagedown", "page down")
}
