// Finds a shorter run of a session that breaks a promise: with fewer actions, clients and hosts, without cuts, and with
// fewer faults.
import { simulateSession, type SessionOptions, type SessionOutcome } from "./simulated-session.ts"
import type { SessionPlan } from "./session-plan.ts"

type Smaller = (plan: SessionPlan) => SessionPlan

const attempts: readonly Smaller[] = [
  (plan) => ({ ...plan, faults: [] }),
  (plan) => ({ ...plan, faults: plan.faults.slice(0, 1) }),
  (plan) => ({ ...plan, faults: plan.faults.slice(1) }),
  (plan) => ({ ...plan, clients: 1 }),
  (plan) => ({ ...plan, clients: 2 }),
  (plan) => ({ ...plan, cutOneOf: 0 }),
  (plan) => ({ ...plan, hosts: 1 }),
  (plan) => ({ ...plan, answers: 1 }),
  ...Array.from({ length: 8 }, (_, at): Smaller => (plan) => ({ ...plan, actions: plan.actions.toSpliced(at + 1, 1) })),
]

/** The smallest that was found, with its trace. */
export async function shrink(options: SessionOptions): Promise<SessionOutcome> {
  const { changePlan: own = (plan: SessionPlan) => plan } = options
  let changePlan: Smaller = own
  for (const smaller of attempts) {
    const before = changePlan
    const candidate: Smaller = (plan) => smaller(before(plan))
    const { violations } = await simulateSession({ ...options, changePlan: candidate })
    if (violations.length > 0) changePlan = candidate
  }
  return simulateSession({ ...options, changePlan, keepsTrace: true })
}
