// The conversation itself: its state, clearing, compacting, rewinding, checkpoints.
import { describeContext } from "../../contract/text/describe-context.ts"
import { activityOf } from "../../projection/status.ts"
import type { Mark } from "../../contract/views/session-snapshot.ts"
import { lengthError, parseNumber, textOf, usageError } from "../arguments.ts"
import type { SlashCall, SlashGroup, SlashStep, SlashView } from "../command.ts"
import { done, failed, list, query, querySnapshot, send } from "../steps.ts"
import { toolModeName } from "./tools.ts"
import type { UndoReport } from "../../contract/views/undo.ts"
import { undoText } from "../../features/undo/report-text.ts"

export const conversationCommands: SlashGroup = {
  title: "Conversation",
  commands: [
    {
      name: "status",
      help: "show the state of the session",
      run: ({ view }) => done("status_shown", statusText(view)),
    },
    {
      name: "clear",
      help: "clear the conversation; the log keeps it",
      run: () => send({ type: "clear-context" }, done("history_cleared")),
    },
    {
      name: "compact",
      usage: "[what matters]",
      help: "summarise the conversation so far; the text says what to keep above all",
      run: compact,
    },
    { name: "context", help: "show what fills the context window", run: showContext },
    { name: "undo", usage: "[turns=1]", help: "undo the newest turns and revert their files", maxArgs: 1, run: undo },
    { name: "rewind", usage: "[turns=1]", help: "undo the newest turns; files stay", maxArgs: 1, run: rewind },
    { name: "checkpoint", usage: "[name]", help: "name this point of the conversation", run: addCheckpoint },
    {
      name: "checkpoints",
      help: "list checkpoints",
      run: (call) => querySnapshot(call, ({ marks }) => listCheckpoints(marks)),
    },
    { name: "restore", usage: "<name or number>", help: "return to a checkpoint", run: restore },
    { name: "rename", usage: "<name>", help: "name the session", run: rename },
    { name: "exit", help: "end the session", run: () => ({ kind: "exit", answer: done("exit_requested") }) },
  ],
}

function statusText({ sessionId, toolMode, status, tasks, requests }: SlashView): string {
  const { name, model, cwd, turns, waitingPrompts, children, usage } = status
  const open = tasks.filter((task) => task.status !== "completed" && task.status !== "skipped")
  const { input, output, usd, unpricedCalls } = usage.total
  const lines: readonly (readonly [string, string | number | undefined])[] = [
    ["Session", sessionId],
    ["Name", name],
    ["Model", model],
    ["Status", activityOf(status)],
    ["Folder", cwd],
    ["Turns", turns],
    ["Tools", toolModeName(toolMode)],
    ["Waiting prompts", waitingPrompts || undefined],
    ["Pending approvals", requests.length || undefined],
    ["Open tasks", open.length || undefined],
    ["Agents", children || undefined],
    ["Tokens", `${input} in, ${output} out`],
    ["Cost", `$${usd.toFixed(4)}${unpricedCalls > 0 ? " plus calls without a known price" : ""}`],
  ]
  return lines.flatMap(([label, value]) => (value === undefined ? [] : [`${label}: ${value}`])).join("\n")
}

function compact(call: SlashCall): SlashStep {
  const focus = textOf(call)
  const command = focus === "" ? ({ type: "compact" } as const) : ({ type: "compact", focus } as const)
  return lengthError("The text", focus) ?? send(command, done("compaction_started"))
}

function showContext({ view: { sessionId } }: SlashCall): SlashStep {
  return query({ type: "context-usage", sessionId }, (usage) => done("context_shown", describeContext(usage)))
}

function rewind(call: SlashCall): SlashStep {
  const turns = parseNumber(call.args[0] ?? "1")
  if (turns === undefined) return usageError(call)
  const output = turns === 1 ? "Undid the newest turn" : `Undid the newest ${turns} turns`
  return send({ type: "rewind", turns }, done("rewound", output))
}

/** The host reverts the files; the answer is what it did. */
function undo(call: SlashCall): SlashStep {
  const turns = parseNumber(call.args[0] ?? "1")
  if (turns === undefined) return usageError(call)
  const { sessionId } = call.view
  const report = query({ type: "undo-report", sessionId }, (answer) => answerUndo(answer.report))
  return send({ type: "undo", turns }, report)
}

function answerUndo(report: UndoReport | undefined): SlashStep {
  if (report === undefined) return failed("The undo has no report")
  const text = undoText(report).join("\n")
  return report.refused === undefined ? done("undone", text) : failed(text)
}

function addCheckpoint(call: SlashCall): SlashStep {
  const name = textOf(call)
  if (name === "") return querySnapshot(call, ({ marks }) => mark(unusedName(marks)))
  return lengthError("The name", name) ?? mark(name)
}

function mark(name: string): SlashStep {
  return send({ type: "mark", name }, done("checkpoint_created", name))
}

function listCheckpoints(marks: readonly Mark[]): SlashStep {
  const lines = marks.map(({ name }, index) => `${index + 1}. ${name}`)
  return list("checkpoints_listed", lines, "No checkpoints")
}

function restore(call: SlashCall): SlashStep {
  const nameOrNumber = textOf(call)
  if (nameOrNumber === "") return usageError(call)
  return querySnapshot(call, ({ marks }) => {
    const found = findCheckpoint(marks, nameOrNumber)
    if (found === undefined) return failed(`No checkpoint '${nameOrNumber}'; /checkpoints lists them`)
    return send({ type: "rewind", toSeq: found.toSeq }, done("restored", found.name))
  })
}

function rename(call: SlashCall): SlashStep {
  const name = textOf(call)
  if (name === "") return usageError(call)
  return lengthError("The name", name) ?? send({ type: "rename", name }, done("renamed", name))
}

/** A name wins over a number; of two checkpoints with one name the newest wins. */
function findCheckpoint(marks: readonly Mark[], nameOrNumber: string): Mark | undefined {
  return marks.findLast(({ name }) => name === nameOrNumber) ?? marks[(parseNumber(nameOrNumber) ?? 0) - 1]
}

function unusedName(marks: readonly Mark[]): string {
  const used = new Set(marks.map(({ name }) => name))
  let number = marks.length + 1
  while (used.has(`checkpoint-${number}`)) number += 1
  return `checkpoint-${number}`
}
