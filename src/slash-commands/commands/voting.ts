// Voting: several answers instead of one, in turns that cannot change anything. Viewers know it as `mdap`.
import type { Voting } from "../../contract/values.ts"
import { reliability, requiredLead, DEFAULT_VOTING } from "../../features/voting/odds.ts"
import { usageError } from "../arguments.ts"
import type { SlashCall, SlashGroup, SlashStep } from "../command.ts"
import { done, send } from "../steps.ts"

export const votingCommands: SlashGroup = {
  title: "Voting",
  commands: [
    { name: "mdap", usage: "[on|off]", help: "show the voting mode, or change it", maxArgs: 1, run: mdap },
    { name: "mdap:on", help: "vote on answers in turns that cannot change anything", maxArgs: 0, run: on },
    { name: "mdap:off", help: "take the first answer", maxArgs: 0, run: () => select(undefined) },
    { name: "mdap:k", usage: "<1..10>", help: "set the lead in votes that decides", maxArgs: 1, run: setLead },
    { name: "mdap:target", usage: "<rate>", help: "set it by certainty: 0.95 or 95%", maxArgs: 1, run: setTarget },
  ],
}

const MAX_LEAD = 10

function mdap(call: SlashCall): SlashStep {
  switch (call.args[0]) {
    case undefined:
      return done("mdap_shown", describe(call.view.status.voting))
    case "on":
      return on(call)
    case "off":
      return select(undefined)
    default:
      return usageError(call)
  }
}

function on({ view: { status } }: SlashCall): SlashStep {
  return select(status.voting ?? DEFAULT_VOTING)
}

function setLead(call: SlashCall): SlashStep {
  const ahead = parse(call.args, /^\d+$/)
  if (ahead === undefined || ahead < 1 || ahead > MAX_LEAD) return usageError(call)
  return select({ ...(call.view.status.voting ?? DEFAULT_VOTING), ahead })
}

function setTarget(call: SlashCall): SlashStep {
  const requestedRate = parse(call.args, /^\d+(?:\.\d+)?%?$/)
  const rate = requestedRate !== undefined && call.args[0]?.endsWith("%") ? requestedRate / 100 : requestedRate
  if (rate === undefined || rate <= 0.5 || rate >= 1) return usageError(call)
  return select({ ...(call.view.status.voting ?? DEFAULT_VOTING), ahead: Math.min(MAX_LEAD, requiredLead(rate)) })
}

function parse([word = ""]: readonly string[], form: RegExp): number | undefined {
  return form.test(word) ? Number.parseFloat(word) : undefined
}

function select(voting: Voting | undefined): SlashStep {
  const answer = done(voting === undefined ? "mdap_disabled" : "mdap_enabled", describe(voting))
  return send({ type: "select-voting", voting }, answer)
}

function describe(voting: Voting | undefined): string {
  if (voting === undefined) return "Voting is off: the first answer counts."
  const { ahead, samples } = voting
  const percent = (reliability(ahead) * 100).toFixed(1)
  return `In turns that cannot change anything, the answer that leads by ${ahead} votes wins, after at most ${samples} answers (right in ${percent} of 100 cases if one answer is right in 80).`
}
