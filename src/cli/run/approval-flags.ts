// The flags of `run` that answer requests for approval in place of a person: --yes, --allow-tool, --allow-untrusted.
import { flagFor, uncovered, usedFlags } from "../../contract/approval-policy.ts"
import type { PolicyFlag } from "../../contract/values.ts"
import { matches } from "../../features/approvals/effects/policy.ts"
import { usageFault } from "../../app/app-fault.ts"
import type { Args } from "../command.ts"
import { oneLine } from "../../contract/printable.ts"
import type { Request } from "./session-view.ts"

export interface ApprovalFlags {
  readonly yes: boolean
  /** Globs over tool names. */
  readonly allowTools: readonly string[]
  readonly allowUntrusted: boolean
}

export function approvalFlags(args: Args): ApprovalFlags {
  const allowTools = args.texts("allow-tool")
  if (allowTools.some((pattern) => pattern.trim() === "")) {
    throw usageFault("--allow-tool needs the name of a tool, or a pattern such as 'deploy_*'")
  }
  return { yes: args.flag("yes"), allowTools, allowUntrusted: args.flag("allow-untrusted") }
}

export function hasFlags({ yes, allowTools, allowUntrusted }: ApprovalFlags): boolean {
  return yes || allowUntrusted || allowTools.length > 0
}

/** The flags under which the answer is yes; nothing when a person has to answer. */
export function coveringFlags(flags: ApprovalFlags, { tool, causes }: Request): readonly PolicyFlag[] | undefined {
  if (causes === undefined || causes.length === 0) return undefined
  const given = flagsFor(flags, tool)
  return uncovered(given, causes).length === 0 ? usedFlags(given, causes) : undefined
}

/** For a script whose request was refused: what was asked, and what would have allowed it. */
export function refusalLine(flags: ApprovalFlags, { tool, reason, causes = [] }: Request): string {
  const missing = uncovered(flagsFor(flags, tool), causes).map((cause) => flagFor(cause, tool))
  const isFlagEnough = missing.length > 0 && !missing.includes(undefined)
  const advice = isFlagEnough
    ? `To allow it without a person: ${[...new Set(missing)].join(" ")}`
    : "Only a person can allow it: run it at a terminal, or give a person time with --wait 10m"
  return `${oneLine(tool, 100)} is refused, and no person can be asked. ${oneLine(reason, Infinity)} ${advice}`
}

function flagsFor({ yes, allowTools, allowUntrusted }: ApprovalFlags, tool: string): readonly PolicyFlag[] {
  return [
    ...(yes ? ["--yes" as const] : []),
    ...(matches(allowTools, tool) ? ["--allow-tool" as const] : []),
    ...(allowUntrusted ? ["--allow-untrusted" as const] : []),
  ]
}
