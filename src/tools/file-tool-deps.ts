// What the tools that work on files need from their host.
import type { SessionId } from "../contract/ids.ts"
import type { FileMemory } from "./file-memory.ts"
import type { GuardFolders } from "./held-folder.ts"
import type { GuardPath } from "./paths.ts"

export interface FileToolDeps {
  readonly guardPath: GuardPath
  /** The same by what a folder is instead of its name: one that was moved away is forbidden as before. */
  readonly guardFolders: GuardFolders
  readonly fileMemoryFor: (sessionId: SessionId) => FileMemory
}
