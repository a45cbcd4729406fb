// What a command line says about votes: `--mdap` and its kin, by the names that other programs start agents with.
import type { Voting } from "../contract/values.ts"
import { leadFor, usualVoting } from "../features/voting/odds.ts"
import { usageFault } from "../app/app-fault.ts"
import type { Args, OptionSpec } from "./command.ts"

export const votingOptions = {
  mdap: { type: "boolean", help: "Vote about answers in turns that can change nothing." },
  "mdap-k": { type: "string", value: "N", help: "Take the answer that is ahead by so many votes. Default: 3." },
  "mdap-target": { type: "string", value: "RATE", help: "The same, by how sure it is to be, such as 0.95." },
  "mdap-parallel": { type: "string", value: "N", help: "Answers that are asked for at the same time. Default: 4." },
  "mdap-max-samples": { type: "string", value: "N", help: "Answers at most. Default: 50." },
  "mdap-fail-fast": { type: "boolean", help: "Without a decision the turn fails." },
} as const satisfies Record<string, OptionSpec>

const mostAhead = 10

/** Nothing where the line does not speak of votes; only `--mdap` switches them on. */
export function votingOf(args: Args): Voting | undefined {
  const lead = whole(args, "mdap-k", mostAhead)
  const target = rate(args)
  const parallel = whole(args, "mdap-parallel", 16) ?? usualVoting.parallel
  const samples = whole(args, "mdap-max-samples", 200) ?? usualVoting.samples
  if (!args.flag("mdap")) return undefined
  const ahead = lead ?? (target === undefined ? usualVoting.ahead : Math.min(mostAhead, leadFor(target)))
  return { ahead, samples, parallel, ...(args.flag("mdap-fail-fast") ? { failFast: true } : {}) }
}

/** `--vote K`: by how many votes an answer must be ahead. */
export function leadOf(args: Args): number | undefined {
  return whole(args, "vote", mostAhead)
}

function whole(args: Args, name: string, most: number): number | undefined {
  const text = args.text(name)
  if (text === undefined) return undefined
  const number = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (number < 1 || number > most) throw usageFault(`--${name} takes a number from 1 to ${most}, not '${text}'`)
  return number
}

function rate(args: Args): number | undefined {
  const text = args.text("mdap-target")
  if (text === undefined) return undefined
  const target = Number(text)
  if (!(target > 0.5 && target < 1))
    throw usageFault(`--mdap-target takes a rate between 0.5 and 1, such as 0.95, not '${text}'`)
  return target
}
