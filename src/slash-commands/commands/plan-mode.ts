// Plan mode: going in and out, looking at the plan, emptying it. What is said in between is an ordinary line.
import type { JsonValue } from "../../contract/values.ts"
import { trackOf, type TranscriptItem } from "../../projection/transcript.ts"
import { readScene, type OpenPlan } from "../../projection/session-snapshot.ts"
import { statusWords } from "../../protocols/ipc/view/status-text.ts"
import { tooLong, wordsOf, wrongUsage } from "../arguments.ts"
import { done, failed, send, type SlashCall, type SlashGroup, type SlashStep } from "../command.ts"

export const planCommands: SlashGroup = {
  title: "Plan mode",
  commands: [
    {
      name: "plan:mode",
      usage: "[focus]",
      help: "plans apart from the conversation; nothing can be changed",
      run: enter,
    },
    {
      name: "plan:mode:exit",
      usage: "[summary]",
      help: "goes back to the conversation, with the plan or a summary of it",
      run: exit,
    },
    { name: "plan:mode:status", usage: "", help: "says what is planned, and how much was said about it", run: status },
    { name: "plan:mode:clear", usage: "", help: "empties the plan; the log keeps it", run: clear },
    { name: "plan:mode:export", usage: "", help: "shows the whole plan as text", run: show },
  ],
}

const notIn = failed("Not in plan mode")
/** As many as a house shows at once. */
const turns = 1000

function enter(call: SlashCall): SlashStep {
  if (call.view.status.planMode) return failed("Already in plan mode")
  const focus = wordsOf(call)
  const answer: SlashStep = { kind: "ask", query: sceneOf(call), next: entered }
  return tooLong("The focus", focus) ?? send([{ type: "enter-plan", ...(focus === "" ? {} : { focus }) }], answer)
}

/** Of a plan that is gone on with the focus is known only then. */
function entered(value: JsonValue): SlashStep {
  return done("plan_mode_entered", statusWords.planMode(readScene(value)?.plan?.focus))
}

function exit(call: SlashCall): SlashStep {
  if (!call.view.status.planMode) return notIn
  const summary = wordsOf(call)
  const command = { type: "exit-plan", ...(summary === "" ? {} : { summary }) } as const
  return send([command], done("plan_mode_exited", "Plan mode is left"))
}

function status(call: SlashCall): SlashStep {
  return inPlan(call, (plan, items) => {
    const prompts = items.filter(({ kind }) => kind === "user").length
    return done("plan_mode_status", `${statusWords.planMode(plan.focus)}\nPrompts: ${prompts}`)
  })
}

function clear(call: SlashCall): SlashStep {
  if (!call.view.status.planMode) return notIn
  return send([{ type: "clear-context" }], done("plan_mode_cleared", "The plan is empty"))
}

function show(call: SlashCall): SlashStep {
  const { place = "over IPC" } = call.options
  if (call.args.length > 0) return failed(`Not available ${place}: writing a file; without a path the plan is shown`)
  return inPlan(call, (plan, items) => done("plan_mode_exported", planText(plan, items)))
}

function inPlan(call: SlashCall, next: (plan: OpenPlan, items: readonly TranscriptItem[]) => SlashStep): SlashStep {
  if (call.args.length > 0) return wrongUsage(call)
  const read = (value: JsonValue): SlashStep => {
    const { plan, items = [] } = readScene(value) ?? {}
    return plan === undefined ? notIn : next(plan, trackOf({ items }, plan.id))
  }
  return { kind: "ask", query: sceneOf(call), next: read }
}

function sceneOf({ view: { sessionId } }: SlashCall) {
  return { type: "scene", sessionId, turns } as const
}

function planText({ focus }: OpenPlan, items: readonly TranscriptItem[]): string {
  const said = items.flatMap((item) =>
    (item.kind === "user" || item.kind === "assistant") && item.text !== "" ? [`## ${item.kind}\n\n${item.text}`] : [],
  )
  return [`# Plan: ${focus ?? "general planning"}`, ...said].join("\n\n")
}
