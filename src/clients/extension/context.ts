// What every handler of an extension gets, and the connection to its host.
import type { JsonValue } from "../../contract/values.ts"
import type { HostCalls } from "./host-calls.ts"
import type { Memory, Settings } from "./host-services.ts"

/** Facts about the host and the extension, from `initialize`. */
export interface ExtensionContext {
  /** The name of the plugin's folder. */
  readonly pluginId: string
  readonly pluginRoot: string | null
  readonly hostRelease: string
  readonly protocolVersion: number
  /** Configuration by the manifest. A value that is not the default is a string. */
  readonly config: { readonly [key: string]: JsonValue | undefined }
  readonly memory: Memory
  readonly settings: Settings
}

export interface HostConnection {
  readonly calls: HostCalls
  readonly notify: (method: string, params: JsonValue) => Promise<void>
}
