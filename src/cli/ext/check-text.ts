// The report of `ext check` as text: a line for each step, with what was sent and received.
import { stopsSlowly, type Checked } from "../../app/extensions/trial/check.ts"
import type { ModelTrial } from "../../app/extensions/trial/model-trial.ts"
import type { HookTrial, Trial } from "../../app/extensions/trial/trial.ts"
import { styled } from "../../app/terminal.ts"
import { oneLine } from "../../contract/text/text.ts"
import type { HookEvent } from "../../protocols/extension/frames.ts"
import { exactArguments } from "../../display/format.ts"

/** What a command of a plugin does. */
export const commandActions = {
  program: "runs a program",
  tool: "calls a tool",
  prompt: "prompts the model",
  invoke: "calls the extension",
} as const

const colours = { ok: "green", note: "yellow", problem: "red" } as const
const width = 400
const MAX_PRINTED_LINES = 20
const margin = " ".repeat(9)

export function checkText(checked: Checked, ok: boolean, dir: string): string {
  const todo = `${checked.id} has errors. Fix them and run again: turnhouse ext check ${dir}`
  const end = ok ? `${checked.id} is OK.` : todo
  return [...linesOf(checked), ...commandLines(checked), oneLine(end, width), ""].join("\n")
}

function linesOf(checked: Checked): readonly string[] {
  switch (checked.kind) {
    case "not-sound":
      return problemLines(checked.problems)
    case "commands-only":
      return [step("ok", "manifest", "no extension, only commands")]
    case "tried":
      return trialLines(checked)
  }
}

function commandLines({ commands, commandFaults, unknown }: Checked): readonly string[] {
  return [
    ...commands.map(({ name, usage, does }) =>
      step("ok", "command", `/${name}${usage === null ? "" : ` ${usage}`}: ${commandActions[does]}`),
    ),
    ...commandFaults.map((fault) => step("note", "commands", `${fault}; it is ignored`)),
    ...unknown.map((reason) => step("note", "manifest", `${reason}; it is ignored, and a guard would not be loaded`)),
  ]
}

function problemLines(problems: readonly string[]): readonly string[] {
  return [...problems.map((what) => step("problem", "manifest", what)), `${margin}nothing was started`]
}

function trialLines({ spec, trial }: Extract<Checked, { kind: "tried" }>): readonly string[] {
  const { command, args } = spec.commandLine
  const keys = Object.keys(spec.config)
  const permissions = [...spec.permissions].join(", ") || "none"
  return [
    step("ok", "manifest", `protocol version ${spec.version}, permissions: ${permissions}`),
    step("ok", "program", [command, ...args].join(" ")),
    step("ok", "settings", keys.length === 0 ? "none" : `${keys.join(", ")} (values are not shown)`),
    startLine(trial),
    ...trial.hooks.flatMap(hookLines),
    ...trial.models.map(modelLine),
    ...(trial.start.kind === "started" ? [stopLine(trial)] : []),
    ...(trial.asked.length === 0 ? [] : [step("note", "asked", `it called ${trial.asked.join(", ")} of the host`)]),
    ...printedLines(trial.printed),
  ]
}

function startLine({ start }: Trial): string {
  if (start.kind === "failed") return step("problem", "initialize", `${start.reason} (${start.ms} ms)`)
  const tools = start.tools.map(({ name }) => name).join(", ") || "none"
  const providers = start.providers.map(({ id }) => id).join(", ") || "none"
  return step("ok", "initialize", `started in ${start.ms} ms; tools: ${tools}; providers of models: ${providers}`)
}

function modelLine({ name, displayName, contextWindow, takesTools, answer }: ModelTrial): string {
  const facts = [
    displayName,
    contextWindow === null ? "context size unknown" : `context of ${contextWindow} tokens`,
    takesTools ? "calls tools" : "calls no tools",
  ].join(", ")
  if (answer === null) return step("ok", name, `${facts}; not called (use --ask-models; this may cost money)`)
  const pieces = `${answer.ms} ms, ${answer.deltas} pieces`
  return step(answer.ok ? "ok" : "problem", name, `${facts}; ${answer.words} (${pieces})`)
}

function hookLines({ subscription, event, fits, reply, understood, ms }: HookTrial): readonly string[] {
  return [
    step(understood.ok ? "ok" : "problem", hookLabel(subscription), `${understood.words} (${ms} ms)`),
    `${margin}sent: ${oneLine(eventText(event), width)}`,
    `${margin}came: ${oneLine(replyText(reply), width)}`,
    ...(fits ? [] : [`${margin}no sample event matches its condition; a session would not call it for this one`]),
  ]
}

/** Without fields that are null. */
function eventText(event: HookEvent): string {
  return exactArguments(Object.fromEntries(Object.entries(event).filter(([, value]) => value !== null)), 0)
}

function stopLine(trial: Trial): string {
  const { stopMs } = trial
  if (!stopsSlowly(trial)) return step("ok", "shutdown", `exited after ${stopMs} ms`)
  const advice = "answer shutdown, then exit; also exit when the input ends"
  return step("note", "shutdown", `exited after ${stopMs} ms, which delays the end of every session; ${advice}`)
}

function printedLines(all: readonly string[]): readonly string[] {
  const printed = all.filter((line) => line.trim() !== "")
  if (printed.length === 0) return []
  const shown = printed.slice(0, MAX_PRINTED_LINES).map((line) => `${margin}${oneLine(line, width)}`)
  const more =
    printed.length > MAX_PRINTED_LINES ? [`${margin}… and ${printed.length - MAX_PRINTED_LINES} more lines`] : []
  return [step("note", "printed", "besides its answers"), ...shown, ...more]
}

function replyText(reply: HookTrial["reply"]): string {
  if (reply.kind === "result") return exactArguments(reply.value, 0)
  return reply.kind === "error" ? `error ${reply.code}: ${reply.message}` : "nothing"
}

function step(level: keyof typeof colours, subject: string, what: string): string {
  return `${styled(colours[level], level.padEnd(7), process.stdout)}  ${oneLine(`${subject}: ${what}`, width)}`
}

/** A short name for a hook subscription. */
export function hookLabel({ kind, tool }: HookTrial["subscription"]): string {
  return tool === undefined ? kind : `${kind}(${tool})`
}
