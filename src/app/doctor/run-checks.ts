// Runs all checks in parallel, each with a time limit. Findings keep the order of the checks.
import { messageOf } from "../app-fault.ts"
import type { Check, Finding } from "./finding.ts"
import { problem, warning } from "./finding.ts"

export async function runChecks(checks: readonly Check[], limitMs: number): Promise<readonly Finding[]> {
  const found = await Promise.all(checks.map((check) => bounded(check, limitMs)))
  return found.flat()
}

async function bounded({ subject, look }: Check, limitMs: number): Promise<readonly Finding[]> {
  const late = Promise.withResolvers<readonly Finding[]>()
  const seconds = limitMs / 1000
  const timer = setTimeout(
    () => late.resolve([warning(subject, `no answer within ${seconds} s`, "find what blocks it and run doctor again")]),
    limitMs,
  )
  try {
    return await Promise.race([look(), late.promise])
  } catch (fault) {
    const what = messageOf(fault)
    return [problem(subject, `the check failed: ${what}`, "fix this and run doctor again")]
  } finally {
    clearTimeout(timer)
  }
}
