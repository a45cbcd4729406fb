// Logging in at MCP servers, for all sessions of the home.
import type { McpServer } from "../../mcp/mcp-server.ts"
import { loginToServer, type ServerLoginRequest } from "../../mcp/oauth/login-to-server.ts"
import { logoutFromServer, type Logout } from "../../mcp/oauth/logout.ts"
import type { LoginRequest } from "../../mcp/oauth/stored-login.ts"
import type { LoginSurroundings } from "../../models/logins/device-login.ts"
import { usageFault } from "../app-fault.ts"
import type { AppContext } from "../context.ts"
import { learnSecret } from "../secrets/home-secrets.ts"
import { serverNamed } from "./list.ts"
import { asAppFault } from "./login-faults.ts"

export type LoginMethod = ServerLoginRequest["method"]

export async function mcpLogin(
  name: string,
  method: LoginMethod,
  context: AppContext,
  surroundings: Omit<LoginSurroundings, "fetch">,
): Promise<void> {
  const request = loginRequest(await serverNamed(name, context), context.home)
  try {
    await loginToServer({ ...request, method }, { fetch: globalThis.fetch, ...surroundings })
  } catch (fault) {
    throw asAppFault(fault)
  }
}

/** `name`: also the address of a server that is no longer configured. */
export async function mcpLogout(name: string, context: AppContext, signal: AbortSignal): Promise<Logout> {
  const request = isAddress(name)
    ? { home: context.home, serverName: name, url: name }
    : loginRequest(await serverNamed(name, context), context.home)
  try {
    return await logoutFromServer(request, { fetch: globalThis.fetch, signal })
  } catch (fault) {
    throw asAppFault(fault)
  }
}

/** Throws a fault for a server to which no user can log in. */
function loginRequest({ name: serverName, url, oauth, headers = {} }: McpServer, home: string): LoginRequest {
  if (url === undefined) throw usageFault(`MCP server "${serverName}" is a program on this machine and has no login.`)
  if (Object.keys(headers).some((header) => header.toLowerCase() === "authorization"))
    throw usageFault(
      `MCP server "${serverName}" has a header Authorization, which is used instead of a login. Remove it first.`,
    )
  return { home, serverName, url, oauth, onSecret: learnSecret }
}

export function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}
