// Plan mode: entering, leaving, showing and clearing the plan. Text typed while in it is an ordinary prompt.
import type { OpenPlan, SessionSnapshot } from "../../contract/views/session-snapshot.ts"
import { trackOf, type TranscriptItem } from "../../projection/transcript.ts"
import { lengthError, textOf } from "../arguments.ts"
import type { SlashCall, SlashGroup, SlashStep } from "../command.ts"
import { done, failed, querySnapshot, send } from "../steps.ts"

export const planCommands: SlashGroup = {
  title: "Plan mode",
  commands: [
    { name: "plan:mode", usage: "[focus]", help: "plan apart from the conversation; changes are blocked", run: enter },
    {
      name: "plan:mode:exit",
      usage: "[summary]",
      help: "return to the conversation with the plan, or a summary of it",
      run: exit,
    },
    { name: "plan:mode:status", help: "show the focus and length of the plan", maxArgs: 0, run: showStatus },
    { name: "plan:mode:clear", help: "clear the plan; the log keeps it", run: clear },
    { name: "plan:mode:export", help: "show the whole plan as text", run: exportPlan },
  ],
}

const notInPlanMode = failed("Not in plan mode")
/** The most that a host shows at once. */
const MAX_TURNS = 1000

function enter(call: SlashCall): SlashStep {
  if (call.view.status.planMode) return failed("Already in plan mode")
  const focus = textOf(call) || undefined
  // A plan that is continued keeps its own focus.
  const entered = querySnapshot(call, ({ plan }) => done("plan_mode_entered", planTitle(plan?.focus)))
  return lengthError("The focus", focus) ?? send({ type: "enter-plan", focus }, entered)
}

function exit(call: SlashCall): SlashStep {
  if (!call.view.status.planMode) return notInPlanMode
  return send({ type: "exit-plan", summary: textOf(call) || undefined }, done("plan_mode_exited", "Left plan mode"))
}

function showStatus(call: SlashCall): SlashStep {
  return queryPlan(call, ({ focus }, items) => {
    const prompts = items.filter(({ kind }) => kind === "user").length
    return done("plan_mode_status", `${planTitle(focus)}\nPrompts: ${prompts}`)
  })
}

function clear(call: SlashCall): SlashStep {
  if (!call.view.status.planMode) return notInPlanMode
  return send({ type: "clear-context" }, done("plan_mode_cleared", "Cleared the plan"))
}

function exportPlan(call: SlashCall): SlashStep {
  const { place = "over IPC" } = call.options
  if (call.args.length > 0) return failed(`Not available ${place}: writing a file; without a path the plan is shown`)
  return queryPlan(call, ({ focus }, items) => {
    const entries = items.flatMap((item) =>
      (item.kind === "user" || item.kind === "assistant") && item.text !== ""
        ? [`## ${item.kind}\n\n${item.text}`]
        : [],
    )
    return done("plan_mode_exported", [`# Plan: ${focusName(focus)}`, ...entries].join("\n\n"))
  })
}

function queryPlan(call: SlashCall, next: (plan: OpenPlan, items: readonly TranscriptItem[]) => SlashStep): SlashStep {
  const read = ({ plan, items }: SessionSnapshot) =>
    plan === undefined ? notInPlanMode : next(plan, trackOf({ items }, plan.id))
  return querySnapshot(call, read, { turns: MAX_TURNS })
}

function planTitle(focus: string | undefined): string {
  return `Plan mode, focus: ${focusName(focus)}`
}

function focusName(focus = "general planning"): string {
  return focus
}
