// An error that the user can act on: one line on stderr and an exit code.
import type { Refusal } from "../contract/refusals.ts"
import { describeRefusal } from "../contract/text/describe-refusal.ts"
import { exitCodes } from "./exit-codes.ts"

export class AppFault extends Error {
  override readonly name = "AppFault"
  readonly exitCode: number
  /** The refusal that caused it. */
  readonly refusal: Refusal | undefined

  constructor(message: string, exitCode: number, refusal?: Refusal) {
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

function codeOf({ code }: Refusal): number {
  switch (code) {
    case "prompt.empty":
    case "prompt.too-large":
    case "session.unknown":
    case "session.ambiguous":
    case "folder.missing":
    case "config.bad":
      return exitCodes.usage
    case "host.gone":
    case "host.leaving":
    case "host.unreachable":
    case "session.owned":
      return exitCodes.unreachable
    default:
      return exitCodes.failed
  }
}
