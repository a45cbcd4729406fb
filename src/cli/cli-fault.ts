// A failure that a person can do something about: one line on stderr and an exit code.
import type { Refusal } from "../contract/refusals.ts"
import { sentence } from "../contract/refusal-sentence.ts"
import { exitCodes } from "./exit-codes.ts"

export class CliFault extends Error {
  override readonly name = "CliFault"
  readonly exitCode: number

  constructor(message: string, exitCode: number) {
    super(message)
    this.exitCode = exitCode
  }
}

export function usageFault(message: string): CliFault {
  return new CliFault(message, exitCodes.usage)
}

export function refusalFault(refusal: Refusal): CliFault {
  return new CliFault(sentence(refusal), codeOf(refusal))
}

function codeOf({ code }: Refusal): number {
  switch (code) {
    case "prompt.empty":
    case "prompt.too-large":
    case "session.unknown":
    case "session.ambiguous":
      return exitCodes.usage
    case "session.owned":
      return exitCodes.unreachable
    default:
      return exitCodes.failed
  }
}
