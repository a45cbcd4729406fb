// Several answers instead of one, where a turn can change nothing. `mdap` is the name by which viewers know it.
import type { Voting } from "../../contract/values.ts"
import { certainty, leadFor, usualVoting } from "../../contract/voting.ts"
import { wrongUsage } from "../arguments.ts"
import { done, send, type SlashCall, type SlashGroup, type SlashStep } from "../command.ts"

export const votingCommands: SlashGroup = {
  title: "Voting",
  commands: [
    { name: "mdap", usage: "[on|off]", help: "says whether answers are voted about, or changes it", run: mdap },
    { name: "mdap:on", usage: "", help: "votes about answers in turns that can change nothing", run: on },
    { name: "mdap:off", usage: "", help: "takes the first answer again", run: off },
    { name: "mdap:k", usage: "<1..10>", help: "takes the answer that is ahead by so many votes", run: lead },
    { name: "mdap:target", usage: "<rate>", help: "the same, by how sure it is to be: 0.95 or 95%", run: target },
  ],
}

const mostAhead = 10

function mdap(call: SlashCall): SlashStep {
  const [word, ...more] = call.args
  if (more.length > 0) return wrongUsage(call)
  if (word === undefined) return done("mdap_shown", described(call.view.status.voting))
  if (word === "on") return select(call.view.status.voting ?? usualVoting)
  return word === "off" ? select(undefined) : wrongUsage(call)
}

function on(call: SlashCall): SlashStep {
  return call.args.length > 0 ? wrongUsage(call) : select(call.view.status.voting ?? usualVoting)
}

function off(call: SlashCall): SlashStep {
  return call.args.length > 0 ? wrongUsage(call) : select(undefined)
}

function lead(call: SlashCall): SlashStep {
  const ahead = numeric(call.args, /^\d+$/)
  if (ahead === undefined || ahead < 1 || ahead > mostAhead) return wrongUsage(call)
  return select({ ...(call.view.status.voting ?? usualVoting), ahead })
}

function target(call: SlashCall): SlashStep {
  const given = numeric(call.args, /^\d+(?:\.\d+)?%?$/)
  const rate = given !== undefined && call.args[0]?.endsWith("%") ? given / 100 : given
  if (rate === undefined || rate <= 0.5 || rate >= 1) return wrongUsage(call)
  return select({ ...(call.view.status.voting ?? usualVoting), ahead: Math.min(mostAhead, leadFor(rate)) })
}

function numeric([word, ...more]: readonly string[], form: RegExp): number | undefined {
  return word === undefined || more.length > 0 || !form.test(word) ? undefined : Number.parseFloat(word)
}

function select(voting: Voting | undefined): SlashStep {
  const answer = done(voting === undefined ? "mdap_disabled" : "mdap_enabled", described(voting))
  return send([voting === undefined ? { type: "select-voting" } : { type: "select-voting", voting }], answer)
}

function described(voting: Voting | undefined): string {
  if (voting === undefined) return "The first answer counts."
  const { ahead, samples } = voting
  const percent = (certainty(ahead) * 100).toFixed(1)
  const sure = `right in ${percent} of 100 cases if one answer is in 80`
  return `In turns that can change nothing, the answer counts that is ahead by ${ahead} of at most ${samples} (${sure}).`
}
