// Reads the voting options: `--vote` of `run`, and `--mdap…` of `agent`, named as brainwires names them.
import type { Voting } from "../contract/values.ts"
import { requiredLead, DEFAULT_VOTING } from "../features/voting/odds.ts"
import { usageFault } from "../app/app-fault.ts"
import type { Args } from "./command.ts"

const MAX_AHEAD = 10

/** Nothing without `--mdap`. */
export function votingOf(args: Args): Voting | undefined {
  const lead = wholeNumber(args, "mdap-k", MAX_AHEAD)
  const target = rate(args)
  const parallel = wholeNumber(args, "mdap-parallel", 16) ?? DEFAULT_VOTING.parallel
  const samples = wholeNumber(args, "mdap-max-samples", 200) ?? DEFAULT_VOTING.samples
  if (!args.flag("mdap")) return undefined
  const ahead = lead ?? (target === undefined ? DEFAULT_VOTING.ahead : Math.min(MAX_AHEAD, requiredLead(target)))
  return { ahead, samples, parallel, ...(args.flag("mdap-fail-fast") ? { failFast: true } : {}) }
}

/** `--vote K`: votes by which an answer must lead. */
export function leadOf(args: Args): number | undefined {
  return wholeNumber(args, "vote", MAX_AHEAD)
}

function wholeNumber(args: Args, name: string, max: number): number | undefined {
  const text = args.text(name)
  if (text === undefined) return undefined
  const number = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (number < 1 || number > max) throw usageFault(`--${name}: '${text}' is not a number from 1 to ${max}`)
  return number
}

function rate(args: Args): number | undefined {
  const text = args.text("mdap-target")
  if (text === undefined) return undefined
  const target = Number(text)
  if (!(target > 0.5 && target < 1))
    throw usageFault(`--mdap-target: '${text}' is not a rate between 0.5 and 1, such as 0.95`)
  return target
}
