// The sandbox of plugins: hides and protects the same paths as the sandbox of tools.
import { join } from "node:path"
import { openSandbox, type Sandbox } from "../../processes/sandbox.ts"
import { closedFolders, sandboxMemory } from "../settings/tool-set.ts"
import { protectedPlaces } from "../settings/protected-paths.ts"
import type { AppContext } from "../context.ts"

export function pluginSandbox({ home, config, ownPlaces }: Pick<AppContext, "home" | "config" | "ownPlaces">): Sandbox {
  return openSandbox({
    mode: config.tools?.sandbox ?? "auto",
    hidden: closedFolders(home, config),
    memory: join(home, sandboxMemory),
    readOnly: () => protectedPlaces({ env: process.env, home, ownPlaces }),
    warn: () => {}, // reported by `doctor` and by the first command of a tool
  })
}
