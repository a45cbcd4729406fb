// Flags of `run` that answer approval requests: --yes, --allow-tool, --allow-untrusted.
import { questionSummary } from "../../contract/rules/questions.ts"
import { flagFor, uncoveredCauses, usedFlags } from "../../contract/rules/approval-answers.ts"
import type { PolicyFlag } from "../../contract/values.ts"
import { canonicalToolName } from "../../contract/rules/core-tools.ts"
import { fitsGlob } from "../../contract/text/glob.ts"
import { usageFault } from "../../app/app-fault.ts"
import type { Args } from "../command.ts"
import { oneLine } from "../../contract/text/text.ts"
import type { OpenApproval } from "../../projection/open-requests.ts"

export interface ApprovalFlags {
  readonly yes: boolean
  /** Globs over tool names. */
  readonly allowTools: readonly string[]
  readonly allowUntrusted: boolean
}

export function approvalFlags(args: Args): ApprovalFlags {
  const allowTools = args.texts("allow-tool")
  if (allowTools.some((pattern) => pattern.trim() === "")) {
    throw usageFault("--allow-tool needs a tool, or a pattern such as 'deploy_*'")
  }
  return { yes: args.flag("yes"), allowTools, allowUntrusted: args.flag("allow-untrusted") }
}

export function hasFlags({ yes, allowTools, allowUntrusted }: ApprovalFlags): boolean {
  return yes || allowUntrusted || allowTools.length > 0
}

/** The flags that approve the request; nothing if the user has to decide. */
export function coveringFlags(flags: ApprovalFlags, { tool, causes }: OpenApproval): readonly PolicyFlag[] | undefined {
  if (causes === undefined || causes.length === 0) return undefined
  const toolFlags = flagsFor(flags, tool)
  return uncoveredCauses(toolFlags, causes).length === 0 ? usedFlags(toolFlags, causes) : undefined
}

/** For a script: what was refused, and how to allow it. */
export function refusalLine(flags: ApprovalFlags, request: OpenApproval): string {
  const { tool, reason, causes = [], questions, server } = request
  if (questions !== undefined) {
    const asked = server === undefined ? `the agent asks: ${questionSummary(questions)}` : oneLine(reason, Infinity)
    return `${asked} There is no terminal to answer at. To wait for an answer, add --wait 10m`
  }
  const missing = uncoveredCauses(flagsFor(flags, tool), causes).map((cause) => flagFor(cause, tool))
  const isFlagEnough = missing.length > 0 && !missing.includes(undefined)
  const advice = isFlagEnough
    ? `To allow it in a script, add ${[...new Set(missing)].join(" ")}`
    : "Only a user can approve it: run the command at a terminal, or wait for an answer with --wait 10m"
  return `${oneLine(tool, 100)} was refused: approval is required, and there is no terminal. ${oneLine(reason, Infinity)} ${advice}`
}

function flagsFor({ yes, allowTools, allowUntrusted }: ApprovalFlags, tool: string): readonly PolicyFlag[] {
  return [
    ...(yes ? ["--yes" as const] : []),
    ...(allowTools.some((pattern) => fitsGlob(canonicalToolName(pattern), tool)) ? ["--allow-tool" as const] : []),
    ...(allowUntrusted ? ["--allow-untrusted" as const] : []),
  ]
}
