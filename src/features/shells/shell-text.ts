// How the end of a background shell is described, for the model and for people.
import type { EventOf } from "../../contract/events.ts"
import { principalName } from "../../contract/rules/approval-answers.ts"
import { oneLine } from "../../contract/text/text.ts"

type ShellEnd = Pick<EventOf<"shell.ended">, "outcome" | "exitCode" | "signal" | "by">

const MAX_COMMAND_LENGTH = 100

export function shellEndText({ outcome, exitCode, signal, by }: ShellEnd): string {
  switch (outcome) {
    case "exited":
      return exitCode === undefined ? `was ended by ${signal ?? "a signal"}` : `exited with code ${exitCode}`
    case "killed":
      return by === undefined ? "was killed" : `was ended by ${principalName(by.principal)}`
    case "timed-out":
      return "reached its timeout and was killed"
    case "session-ended":
      return "ended with the session"
    case "lost":
      return "is gone: the process that ran it has ended. It was not started again, and its output is lost"
  }
}

export function shellName(shellId: string, command: string): string {
  return `${shellId} (${oneLine(command, MAX_COMMAND_LENGTH)})`
}

/** What the model learns at its next step; nothing about a shell that it has killed itself. */
export function shellNote({ shellId, command, ...end }: EventOf<"shell.ended">): string | undefined {
  if (end.outcome === "killed" && end.by === undefined) return undefined
  const hint = end.outcome === "exited" ? " bash_output returns what it printed." : ""
  return `[Background shell ${shellName(shellId, command)} ${shellEndText(end)}.${hint}]`
}
