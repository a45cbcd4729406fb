// A request of the list of all sessions, as the cards show it.
import type { OpenRequest } from "../../../src/contract/views/host.ts"
import type { OpenApproval } from "../../../src/projection/open-requests.ts"

export function requestOf(request: Extract<OpenRequest, { kind: "approval" }>): OpenApproval {
  const { kind: _, askedAt, ...rest } = request
  return { ...rest, seq: 0, at: askedAt }
}
