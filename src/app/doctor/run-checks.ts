// All checks side by side, each with a time limit, so that one that hangs costs no more than its limit. The order of
// the findings is that of the checks.
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
    () => late.resolve([warning(subject, `no answer within ${seconds} s`, "see what holds it up, and look again")]),
    limitMs,
  )
  try {
    return await Promise.race([look(), late.promise])
  } catch (fault) {
    const what = fault instanceof Error ? fault.message : String(fault)
    return [problem(subject, `it could not be looked at: ${what}`, "mend that and look again")]
  } finally {
    clearTimeout(timer)
  }
}
