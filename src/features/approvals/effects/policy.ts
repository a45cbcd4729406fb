// What may run without an approval, what needs one, and what is denied. A preset sets the default for a kind of session;
// the configuration's patterns come first, and `deny` before everything. A permission given in advance answers the
// questions of presets and of `confirm`; what the configuration wants an approver for is always asked. Having agents
// asks nobody by itself: each of their calls is judged where they make it, and untrusted text stays untrusted there.
import { permissionArgument, canonicalToolName } from "../../../contract/rules/core-tools.ts"
import { settingsOf } from "../../../contract/rules/session-settings.ts"
import type { AskCause, Grant, JsonValue, ToolClass } from "../../../contract/values.ts"
import { isAgentTool } from "../../../tools/tool.ts"
import { fitsGlob } from "../../../contract/text/glob.ts"
import { both, type Ask } from "../../../runner/tools/verdict.ts"
import type { Gate } from "../../../runner/session-context.ts"

export interface PolicyRules {
  readonly allow: readonly string[]
  readonly confirm: readonly string[]
  readonly approve: readonly string[]
  readonly deny: readonly string[]
  /** Whether unsafe calls ask while untrusted text is in the context. Absent: not where a parent process decides. */
  readonly taint?: boolean | undefined
}

export interface PolicyQuestion {
  readonly tool: string
  readonly class: ToolClass
  readonly asksBeforeChanges: boolean
  /** Paths outside the working folder that the call would touch. */
  readonly outside: readonly string[]
  readonly taintedBy: string | undefined
}

export const noRules: PolicyRules = { allow: [], confirm: [], approve: [], deny: [] }

/** The paths outside the working folder that a call would touch. */
export type OutsidePaths = (tool: string, input: JsonValue, cwd: string) => readonly string[]

export function denyGate(rules: PolicyRules): Gate {
  return ({ tool }) => {
    if (!matches(rules.deny, tool.name)) return undefined
    return { kind: "refuse", by: "policy", reason: `The configuration denies ${tool.name}.` }
  }
}

export function policyGate(rules: PolicyRules, outsidePaths: OutsidePaths): Gate {
  return async ({ session, tool, input }) => {
    const { created, taintedBy, grants } = session.state
    const cwd = created?.cwd ?? "/"
    const outside = outsidePaths(tool.name, input, cwd)
    const { asksBeforeChanges, asksAfterUntrustedText } = settingsOf(created)
    const isTaintChecked = rules.taint ?? asksAfterUntrustedText
    const question = {
      tool: tool.name,
      class: tool.class,
      asksBeforeChanges,
      outside,
      taintedBy: isTaintChecked ? taintedBy : undefined,
    }
    const asked = judgeByRules(rules, question)
    const given = asked?.audience === "driver" ? [...grants, ...(await session.services.folderGrants(cwd))] : []
    const isGranted = given.some((grant) => covers(grant, tool.name, input))
    return both(isGranted ? undefined : asked, judgeByTaint(rules, question))
  }
}

/** Every reason to ask is named: an answer, by a person or a flag, has to cover all of them. */
export function judgeByPolicy(rules: PolicyRules, question: PolicyQuestion): Ask | undefined {
  return both(judgeByRules(rules, question), judgeByTaint(rules, question))
}

function judgeByRules(rules: PolicyRules, question: PolicyQuestion): Ask | undefined {
  const { tool } = question
  if (matches(rules.approve, tool)) {
    return ask("approve", `The configuration wants an approval for ${tool}.`, "approver")
  }
  if (matches(rules.confirm, tool)) return ask("confirm", `The configuration wants a confirmation for ${tool}.`)
  return matches(rules.allow, tool) ? undefined : judgeByPreset(question)
}

function judgeByPreset({ tool, class: toolClass, asksBeforeChanges, outside }: PolicyQuestion): Ask | undefined {
  if (!asksBeforeChanges) return undefined
  if (outside.length > 0) {
    return ask("preset", `${tool} would touch what lies outside the working folder: ${outside.join(", ")}.`)
  }
  return toolClass === "read" || isAgentTool(tool)
    ? undefined
    : ask("preset", `${tool} can change files or other state.`)
}

/** A permission that was given in advance does not count here. */
function judgeByTaint(rules: PolicyRules, { tool, class: toolClass, taintedBy }: PolicyQuestion): Ask | undefined {
  const isFree = rules.taint === false || taintedBy === undefined || toolClass === "read" || isAgentTool(tool)
  return isFree ? undefined : ask("untrusted", `Untrusted text (${taintedBy}) came in since a person last spoke.`)
}

function ask(cause: AskCause, reason: string, audience: Ask["audience"] = "driver"): Ask {
  return { kind: "ask", reason, audience, causes: [cause] }
}

/** Patterns are globs over tool names; the names by which other agents know our tools work as well. */
export function matches(patterns: readonly string[], tool: string): boolean {
  return patterns.some((pattern) => fitsGlob(canonicalToolName(pattern), tool))
}

function covers(grant: Grant, tool: string, input: JsonValue): boolean {
  return grant.tool === tool && fitsGlob(grant.pattern, permissionArgument(tool, input))
}
