// Faults of logins at MCP servers, as users read them.
import { NeedsLogin } from "../../mcp/oauth/needs-login.ts"
import { LoginFault } from "../../models/logins/login-store.ts"
import { AppFault } from "../app-fault.ts"

export function withLoginFaults<Value>(act: () => Value): Value {
  try {
    return act()
  } catch (fault) {
    throw asAppFault(fault)
  }
}

export function asAppFault(fault: unknown): unknown {
  return fault instanceof LoginFault || fault instanceof NeedsLogin ? new AppFault(fault.message) : fault
}
