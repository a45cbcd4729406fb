// Options that several commands take.
import { thinkingLevels } from "../../contract/rules/thinking.ts"
import { flag, text } from "../command.ts"

export const jsonOption = { json: flag("Print JSON instead of text.") }

export const jsonIdOption = { json: flag('Print {"id"}.') }

export const yesOption = {
  yes: flag("Do not ask for confirmation.", { short: "y" }),
}

export const modelOption = {
  model: text("M", "Model, as provider/model.", { short: "m" }),
}

export const agentOption = {
  agent: text("NAME", "A named agent, from a file in .turnhouse/agents or .claude/agents."),
}

export const thinkingOption = {
  thinking: text("LEVEL", `How much the model thinks: ${thinkingLevels.join(", ")}.`),
}

export const configOptions = {
  config: text("FILE", "Additional configuration file; overrides all others."),
  profile: text("P", "Use the profile $TURNHOUSE_HOME/profiles/P/config.json."),
}

export const noExtensionsOption = {
  "no-extensions": flag("Load no extensions in sessions that this process runs."),
}

/** Voting, by the option names that brainwires uses to start agents. */
export const votingOptions = {
  mdap: flag("Vote on answers in turns that cannot change anything."),
  "mdap-k": text("N", "Votes by which an answer must lead. Default: 3."),
  "mdap-target": text("RATE", "Derive the lead from a target accuracy, such as 0.95."),
  "mdap-parallel": text("N", "Answers requested at the same time. Default: 4."),
  "mdap-max-samples": text("N", "Maximum number of answers. Default: 50."),
  "mdap-fail-fast": flag("Fail the turn if the vote is undecided."),
}
