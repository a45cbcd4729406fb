// Which calls run without an approval, which need one, and which are denied. The configuration's patterns come before the
// default of the preset, and `deny` before everything. A permission given in advance covers requests of presets and of
// `confirm`, never those of `approve`. Starting agents needs no approval: their calls are judged in their own session,
// where untrusted text stays untrusted.
import { canonicalToolName, permissionArgument, sendsTo } from "../../../contract/rules/core-tools.ts"
import { permits, sparesCause } from "../../../contract/rules/grants.ts"
import { settingsOf } from "../../../contract/rules/session-settings.ts"
import type { AskCause, Grant, JsonValue, ToolClass } from "../../../contract/values.ts"
import { isAgentTool, type Tool } from "../../../tools/tool.ts"
import { parseToolRule } from "../../../contract/rules/tool-rule.ts"
import { fitsGlob } from "../../../contract/text/glob.ts"
import { mergeAsks, type Ask } from "../../../runner/tools/verdict.ts"
import { isAllowedBy, isMatchedBy, type RuledCall } from "./tool-rules.ts"
import type { Gate } from "../../../runner/session-context.ts"

export interface PolicyRules {
  readonly allow: readonly string[]
  readonly confirm: readonly string[]
  readonly approve: readonly string[]
  readonly deny: readonly string[]
  /** Whether unsafe calls need an approval while untrusted text is in the context. Default: yes, unless a parent process decides. */
  readonly taint?: boolean | undefined
}

export interface PolicyQuestion extends RuledCall {
  readonly class: ToolClass
  readonly asksBeforeChanges: boolean
  /** Paths outside the working folder that the call would touch. */
  readonly outside: readonly string[]
  readonly taintedBy: string | undefined
}

export const noRules: PolicyRules = { allow: [], confirm: [], approve: [], deny: [] }

/** The real paths that a call would access: all, those outside the working folder; and as the call names them. */
export interface CallPaths {
  readonly all: PathsOfCall
  readonly outside: PathsOfCall
  readonly named: PathsOfCall
}

type PathsOfCall = (tool: string, input: JsonValue, cwd: string) => readonly string[]

/** For sessions without file tools. */
export const noPaths: CallPaths = { all: () => [], outside: () => [], named: () => [] }

export function denyGate(rules: PolicyRules, paths: CallPaths): Gate {
  return ({ session, tool, input }) => {
    const call = ruledCall(tool.name, input, session.state.created?.cwd ?? "/", paths)
    const rule = rules.deny.find((candidate) => isMatchedBy([candidate], call))
    if (rule === undefined) return undefined
    const what = parseToolRule(rule).argument === undefined ? tool.name : `this call of ${tool.name} (rule ${rule})`
    return { kind: "refuse", by: "policy", reason: `The configuration denies ${what}.` }
  }
}

function ruledCall(tool: string, input: JsonValue, cwd: string, { all, named }: CallPaths): RuledCall {
  return { tool, input, cwd, paths: all(tool, input, cwd), namedPaths: named(tool, input, cwd) }
}

export function policyGate(rules: PolicyRules, paths: CallPaths): Gate {
  return async ({ session, tool, input }) => {
    const { created, taintedBy, grants } = session.state
    const cwd = created?.cwd ?? "/"
    const outside = paths.outside(tool.name, input, cwd)
    const { asksBeforeChanges, asksAfterUntrustedText } = settingsOf(created)
    const isTaintChecked = rules.taint ?? asksAfterUntrustedText
    const question = {
      ...ruledCall(tool.name, input, cwd, paths),
      class: tool.class,
      asksBeforeChanges,
      outside,
      taintedBy: isTaintChecked ? taintedBy : undefined,
    }
    const ruleVerdict = judgeByRules(rules, question)
    const taintVerdict = judgeByTaint(rules, question)
    const isGrantable = { rule: ruleVerdict?.audience === "driver", taint: sparesCause(tool.name, "untrusted") }
    const needsGrants = isGrantable.rule || (taintVerdict !== undefined && isGrantable.taint)
    const allGrants = needsGrants ? [...grants, ...(await session.services.folderGrants(cwd))] : []
    const isGranted = allGrants.some((grant) => isForTool(grant, tool) && permits(grant, input, outside))
    return mergeAsks(
      isGranted && isGrantable.rule ? undefined : ruleVerdict,
      isGranted && isGrantable.taint ? undefined : taintVerdict,
    )
  }
}

/** A permission ends when the description of its tool changes. */
function isForTool(grant: Grant, { name, revision }: Tool): boolean {
  return grant.tool === name && grant.revision === revision
}

/** Names every cause: an answer, of a person or a flag, must cover all of them. */
export function judgeByPolicy(rules: PolicyRules, question: PolicyQuestion): Ask | undefined {
  return mergeAsks(judgeByRules(rules, question), judgeByTaint(rules, question))
}

function judgeByRules(rules: PolicyRules, question: PolicyQuestion): Ask | undefined {
  const { tool } = question
  if (isMatchedBy(rules.approve, question)) {
    return askVerdict("approve", `The configuration wants an approval for ${tool}.`, "approver")
  }
  if (isMatchedBy(rules.confirm, question))
    return askVerdict("confirm", `The configuration wants a confirmation for ${tool}.`)
  return isAllowedBy(rules.allow, question) ? undefined : judgeByPreset(question)
}

function judgeByPreset(question: PolicyQuestion): Ask | undefined {
  const { tool, input, class: toolClass, asksBeforeChanges, outside } = question
  if (!asksBeforeChanges) return undefined
  const receiver = sendsTo(tool)
  if (receiver !== undefined) {
    const named = receiver === "any host" ? permissionArgument(tool, input) : "the search service"
    return askVerdict("preset", `${tool} would send a request to ${named}.`)
  }
  if (outside.length > 0) {
    return askVerdict("preset", `${tool} would touch what lies outside the working folder: ${outside.join(", ")}.`)
  }
  return toolClass === "read" || isAgentTool(tool)
    ? undefined
    : askVerdict("preset", `${tool} can change files or other state.`)
}

/**
 * Permissions given in advance do not apply here, except those that name the host of a request: untrusted text could make
 * the model send what it knows to a host of that text's choice.
 */
function judgeByTaint(rules: PolicyRules, question: PolicyQuestion): Ask | undefined {
  const { tool, class: toolClass, taintedBy } = question
  const isHarmless =
    sendsTo(tool) === "any host"
      ? isAllowedBy(rules.allow.filter(hasArgument), question)
      : toolClass === "read" || isAgentTool(tool)
  return rules.taint === false || taintedBy === undefined || isHarmless
    ? undefined
    : askVerdict("untrusted", `Untrusted text (${taintedBy}) came in since a person last spoke.`)
}

function hasArgument(rule: string): boolean {
  return parseToolRule(rule).argument !== undefined
}

function askVerdict(cause: AskCause, reason: string, audience: Ask["audience"] = "driver"): Ask {
  return { kind: "ask", reason, audience, causes: [cause] }
}

/** Patterns are globs over tool names; names of other programs for the same tools work as well. */
export function matches(patterns: readonly string[], tool: string): boolean {
  return patterns.some((pattern) => fitsGlob(canonicalToolName(pattern), tool))
}
