// The environment of a session, as its model gets it. Loaded with the first turn.
import type { EnvironmentRequest } from "../environment/environment.ts"
import type { EnvironmentReader } from "../../runner/session-context.ts"

const load = () => import("../environment/environment.ts")

export function sessionEnvironment(request: EnvironmentRequest): EnvironmentReader {
  return {
    stable: async () => (await load()).stableFacts(request),
    changing: async (at) => (await load()).changingFacts(request, new Date(at)),
  }
}
