// Options that several commands take.
import type { OptionSpec } from "../command.ts"

type Options = Readonly<Record<string, OptionSpec>>

export const jsonOption = { json: { type: "boolean", help: "Print JSON instead of text." } } as const satisfies Options

export const jsonIdOption = { json: { type: "boolean", help: 'Print {"id"}.' } } as const satisfies Options

export const yesOption = {
  yes: { type: "boolean", short: "y", help: "Do not ask for confirmation." },
} as const satisfies Options

export const modelOption = {
  model: { type: "string", short: "m", value: "M", help: "Model, as provider/model." },
} as const satisfies Options

export const configOptions = {
  config: { type: "string", value: "FILE", help: "Additional configuration file; overrides all others." },
  profile: { type: "string", value: "P", help: "Use the profile $TURNHOUSE_HOME/profiles/P/config.json." },
} as const satisfies Options

export const noExtensionsOption = {
  "no-extensions": { type: "boolean", help: "Load no extensions in sessions that this process runs." },
} as const satisfies Options

/** Voting, by the option names that brainwires uses to start agents. */
export const votingOptions = {
  mdap: { type: "boolean", help: "Vote on answers in turns that cannot change anything." },
  "mdap-k": { type: "string", value: "N", help: "Votes by which an answer must lead. Default: 3." },
  "mdap-target": { type: "string", value: "RATE", help: "Derive the lead from a target accuracy, such as 0.95." },
  "mdap-parallel": { type: "string", value: "N", help: "Answers requested at the same time. Default: 4." },
  "mdap-max-samples": { type: "string", value: "N", help: "Maximum number of answers. Default: 50." },
  "mdap-fail-fast": { type: "boolean", help: "Fail the turn if the vote is undecided." },
} as const satisfies Options
