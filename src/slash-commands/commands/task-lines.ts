// One task in one line.
import { inOneLine, type Task } from "../../projection/tasks.ts"

export function taskLine({ task, text, status, priority, parent, dependsOn, reason }: Task): string {
  const notes = [
    priority === "normal" ? "" : priority,
    parent === undefined ? "" : `under ${parent}`,
    dependsOn.length === 0 ? "" : `after ${dependsOn.join(", ")}`,
    inOneLine(reason ?? ""),
  ].filter((note) => note !== "")
  return `${task}. [${status}] ${inOneLine(text)}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`
}

export function timeLine({ task, text, startedAt, endedAt }: Task, now: number): string {
  if (startedAt === undefined) return `${task}. ${inOneLine(text)}: not begun`
  const spent = clock((endedAt ?? now) - startedAt)
  return `${task}. ${inOneLine(text)}: ${spent}${endedAt === undefined ? " so far" : ""}`
}

/** `1:02:03` or `2:03` */
function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, two(seconds % 60)]
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${two(minutes)}:${rest}`
}

function two(number: number): string {
  return String(number).padStart(2, "0")
}
