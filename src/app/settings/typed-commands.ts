// Typed commands from files: the user's own, and those of the session's folder while it is trusted. Read when a command
// is first typed or listed.
import { join } from "node:path"
import { ConfigFault } from "../../config/faults.ts"
import { trustOf } from "../../config/trust/trust.ts"
import type { FileCommands } from "../../config/typed-commands/typed-commands.ts"
import type { TypedCommands } from "../../runner/session-context.ts"

export function typedCommands(home: string, cwd: string): TypedCommands {
  let files: Promise<FileCommands> | undefined
  const opened = () => (files ??= openFiles(home, cwd))
  return {
    list: async () => (await opened()).list(),
    run: async (name, args) => (await opened()).run(name, args),
  }
}

async function openFiles(home: string, cwd: string): Promise<FileCommands> {
  const [{ FileCommands: Files }, { slashCatalogue }] = await Promise.all([
    import("../../config/typed-commands/typed-commands.ts"),
    import("../../slash-commands/table.ts"),
  ])
  const isTrusted = () => trusts(home, cwd)
  const places = [
    { folder: join(home, "commands"), source: "user", isOpen: () => Promise.resolve(true) },
    { folder: join(cwd, ".turnhouse", "commands"), source: "folder", isOpen: isTrusted },
    { folder: join(cwd, ".brainwires", "commands"), source: "folder", isOpen: isTrusted },
  ]
  return new Files(places, (name) => slashCatalogue.byName.has(name))
}

/** Checked each time: a session may be open for days. */
async function trusts(home: string, cwd: string): Promise<boolean> {
  try {
    return (await trustOf(home, cwd)).state === "trusted"
  } catch (fault) {
    if (fault instanceof ConfigFault) return false // the folder is gone
    throw fault
  }
}
