// Putting a session to rest and waking it.
import { command, durable } from "../../contract/define.ts"
import { By } from "../../contract/values.ts"

/** Hibernated on purpose, perhaps mid-turn: no host continues it until it is woken. */
const SessionHibernated = durable("session.hibernated", 1, { by: By })
const SessionWoken = durable("session.woken", 1, { by: By })

/** Rests until it is woken, even if a turn is open; its host closes it. */
const Hibernate = command("hibernate", {})
const Wake = command("wake", {})

export const hibernationContract = {
  events: [SessionHibernated, SessionWoken],
  commands: [Hibernate, Wake],
  refusals: [],
  deltas: [],
} as const
