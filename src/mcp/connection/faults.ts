// Why a connection to an MCP server failed, in words for people: what is wrong, and what to do.
import type * as Sdk from "@modelcontextprotocol/client"
import { messageOf, systemCode } from "../../contract/faults.ts"
import { NeedsLogin } from "../oauth/needs-login.ts"
import type { McpServer } from "../mcp-server.ts"

interface FaultFacts {
  /** The last line that the server printed on stderr. */
  readonly stderr?: string | undefined
  /** Nothing answers there, or not in time. */
  readonly isUnreachable?: boolean
}

/** Its message is a clause about the server: `it did not answer in 30 s`. */
export class ConnectFault extends Error {
  override readonly name = "ConnectFault"
  /** The message without what the server printed. */
  readonly reason: string
  readonly stderr: string | undefined
  readonly isUnreachable: boolean

  constructor(reason: string, { stderr, isUnreachable = false }: FaultFacts = {}) {
    super(stderr === undefined ? reason : `${reason}; last line on stderr: ${stderr.slice(0, MAX_STDERR_LENGTH)}`)
    this.reason = reason
    this.stderr = stderr
    this.isUnreachable = isUnreachable
  }
}

interface Circumstances {
  readonly sdk: typeof Sdk
  /** Why the connection closed, if it did. */
  readonly closed: ConnectFault | undefined
  readonly stderr: string | undefined
  readonly signal: AbortSignal
}

const MAX_LENGTH = 300
const MAX_STDERR_LENGTH = 200
const MAX_CAUSES = 8

export function connectFault(
  fault: unknown,
  server: McpServer,
  { sdk, closed, stderr, signal }: Circumstances,
): ConnectFault | NeedsLogin {
  const causes = causesOf(fault)
  const own = causes.find((cause) => cause instanceof ConnectFault || cause instanceof NeedsLogin)
  if (own !== undefined) return own
  if (causes.some((cause) => isUnauthorized(cause, sdk))) return new NeedsLogin(server.name)
  if (closed !== undefined) return closed
  if (isTimeout(fault, sdk) || (signal.aborted && isTimeout(signal.reason, sdk)))
    return new ConnectFault(`it did not answer in ${server.startTimeoutMs / 1000} s`, { stderr, isUnreachable: true })
  if (server.kind === "http" && causes.some(isNetworkFault)) return unreachable(causes)
  const messages = causes.map(messageOf).filter((message) => message.trim() !== "")
  return new ConnectFault((messages.at(-1) ?? "it could not be reached").slice(0, MAX_LENGTH).toWellFormed(), {
    stderr,
  })
}

export function isNetworkFault(cause: unknown): boolean {
  return systemCode(cause) !== undefined || (cause instanceof TypeError && cause.message === "fetch failed")
}

function unreachable(causes: readonly unknown[]): ConnectFault {
  const code = causes.map(systemCode).find((found) => found !== undefined)
  return new ConnectFault(`it cannot be reached${code === undefined ? "" : ` (${code})`}`, { isUnreachable: true })
}

/** The fault and what caused it, the deepest last: libraries wrap the reason that says something. */
function causesOf(fault: unknown): readonly unknown[] {
  const causes = [fault]
  for (let cause = causeOf(fault); cause !== undefined && causes.length < MAX_CAUSES; cause = causeOf(cause))
    causes.push(cause)
  return causes
}

function causeOf(fault: unknown): unknown {
  return fault instanceof Error ? fault.cause : undefined
}

function isUnauthorized(fault: unknown, { UnauthorizedError, SdkError, SdkErrorCode }: Circumstances["sdk"]): boolean {
  if (fault instanceof UnauthorizedError) return true
  return fault instanceof SdkError && fault.code === SdkErrorCode.ClientHttpAuthentication
}

function isTimeout(fault: unknown, { SdkError, SdkErrorCode }: Circumstances["sdk"]): boolean {
  if (fault instanceof SdkError) return fault.code === SdkErrorCode.RequestTimeout
  return fault instanceof Error && fault.name === "TimeoutError"
}
