// An MCP server with its settings, and a place that may define some.
import type { VariableSource } from "./expand-variables.ts"
import type { OAuthSettings } from "./oauth/oauth-client.ts"

export interface McpServer {
  /** Letters, digits, `_` and `-`; at most MAX_SERVER_NAME. */
  readonly name: string
  readonly kind: "stdio" | "http"
  /** Of kind stdio: a name in PATH, or an absolute path. */
  readonly command?: string
  readonly args?: readonly string[]
  /** Besides the environment of tools. */
  readonly env?: Readonly<Record<string, string>>
  /** Absent: the folder of the session. */
  readonly cwd?: string
  /** Of kind http. */
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly oauth?: OAuthSettings
  /** Whether the annotations of its tools count. */
  readonly isTrusted: boolean
  /** One process for all sessions of a folder and organisation. */
  readonly isShared: boolean
  readonly startTimeoutMs: number
  readonly callTimeoutMs: number
  /** A file of the project defines it: it starts only while the folder is trusted. */
  readonly isOfProject: boolean
  /** The file that defines it, for people. */
  readonly source: string
}

export interface ServerPlace extends VariableSource {
  /** The file, for people. */
  readonly source: string
  /** What the file has under `mcpServers`. */
  readonly servers: unknown
  /** For relative paths. */
  readonly folder: string
  /** Whether `trust` and `shared` count: only in the user's own configuration. */
  readonly isOwn: boolean
  /** A file that came with the folder. */
  readonly isProject?: boolean
  /** Milliseconds of a unit of `timeout` and `startTimeout`. */
  readonly timeUnitMs: number
  /** Names that the user has switched off elsewhere. */
  readonly disabled?: ReadonlySet<string>
}
