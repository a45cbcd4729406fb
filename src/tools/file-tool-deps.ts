// What the tools that work on files need from their host.
import type { SessionId } from "../contract/ids.ts"
import type { FileMemory } from "./file-memory.ts"
import type { GuardPath } from "./paths.ts"

export interface FileToolDeps {
  readonly guardPath: GuardPath
  readonly fileMemoryFor: (sessionId: SessionId) => FileMemory
}
