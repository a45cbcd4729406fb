// A session in a few lines, for `/status`.
import { activityOf } from "../../projection/status.ts"
import { toolModeName } from "./tools.ts"
import type { SlashView } from "../command.ts"

export function statusText({ sessionId, model, toolMode, status, tasks, requests }: SlashView): string {
  const { name, cwd, turns, waitingPrompts, children, usage } = status
  const open = tasks.filter((task) => task.status !== "completed" && task.status !== "skipped")
  const lines: readonly (readonly [string, string | number | undefined])[] = [
    ["Session", sessionId],
    ["Name", name],
    ["Model", model],
    ["Status", activityOf(status)],
    ["Folder", cwd],
    ["Turns", turns],
    ["Tools", toolModeName(toolMode)],
    ["Waiting prompts", waitingPrompts || undefined],
    ["Approvals wanted", requests.length || undefined],
    ["Tasks to do", open.length || undefined],
    ["Agents", children || undefined],
    ["Tokens", `${usage.total.input} in, ${usage.total.output} out`],
    ["Cost", costOf(usage.total)],
  ]
  return lines.flatMap(([label, value]) => (value === undefined ? [] : [`${label}: ${value}`])).join("\n")
}

function costOf({ usd, unpricedCalls }: SlashView["status"]["usage"]["total"]): string {
  return `$${usd.toFixed(4)}${unpricedCalls > 0 ? " and what has no known price" : ""}`
}
