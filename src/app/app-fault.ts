// How a command ends: its exit codes, and the error that the user can act on.
import { describeRefusal } from "../contract/text/describe-refusal.ts"
import type { Refused } from "../contract/host-port.ts"
import type { Refusal } from "../contract/refusals.ts"

/** Ended by signal n is 128 + n. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  unreachable: 4,
  hungUp: 129,
  interrupted: 130,
  brokenPipe: 141,
  terminated: 143,
} as const

/** Printed as one line on stderr. */
export class AppFault extends Error {
  override readonly name = "AppFault"
  readonly exitCode: number
  /** The refusal that caused it. */
  readonly refusal: Refusal | undefined

  constructor(message: string, exitCode: number = exitCodes.failed, refusal?: Refusal) {
    super(message)
    this.exitCode = exitCode
    this.refusal = refusal
  }
}

export function usageFault(message: string): AppFault {
  return new AppFault(message, exitCodes.usage)
}

export function refusalFault(refusal: Refusal): AppFault {
  return new AppFault(describeRefusal(refusal), codeOf(refusal), refusal)
}

/** The outcome of a request to a host or a log. A refusal is thrown. */
export function accepted<Done extends { readonly kind: string; readonly refusal?: never }>(
  outcome: Done | Refused,
): Done {
  if (outcome.refusal !== undefined) throw refusalFault(outcome.refusal)
  return outcome
}

function codeOf({ code }: Refusal): number {
  switch (code) {
    case "prompt.empty":
    case "prompt.too-large":
    case "session.unknown":
    case "session.ambiguous":
    case "folder.missing":
    case "config.bad":
    case "node.unknown":
      return exitCodes.usage
    case "host.gone":
    case "host.leaving":
    case "host.unreachable":
    case "session.owned":
    case "session.elsewhere":
      return exitCodes.unreachable
    default:
      return exitCodes.failed
  }
}

export function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault)
}
