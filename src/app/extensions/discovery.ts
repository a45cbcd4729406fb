// Finds the extensions of a folder and their settings, by the configuration. Starts nothing.
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import type { Config } from "../../contract/config.ts"
import type { DiscoveryRequest } from "../../hooks/discovery/discover.ts"
import { synapsFolder } from "../../hooks/discovery/extension-roots.ts"
import type { AppContext } from "../context.ts"
import { openSandbox, type Sandbox } from "../../processes/sandbox.ts"
import { disabledPlugins } from "./disabled-plugins.ts"
import { closedFolders, sandboxMemory } from "../settings/tool-set.ts"
import { protectedPlaces } from "../settings/protected-paths.ts"

type Around = Pick<AppContext, "home" | "cwd" | "config">

/** `refused`: folders of plugins that are not used. */
export function discoveryIn(
  roots: readonly string[],
  context: Around,
  refused: ReadonlySet<string> = new Set(),
): DiscoveryRequest {
  const { home, cwd, config } = context
  const { failClosed = [] } = config.extensions ?? {}
  const synaps = synapsFolder(process.env)
  return {
    roots,
    refused,
    disabled: disabledPlugins(config),
    guards: failClosed,
    env: process.env,
    cwd,
    passedVariables: config.tools?.env ?? [],
    dataRoot: join(home, "extension-data"),
    configFolders: [join(home, "plugins"), join(synaps, "plugins")],
    commonConfig: join(synaps, "config"),
  }
}

/**
 * A warning for each configured folder without plugins, mostly a typing mistake. A missing folder may have been created
 * empty, so that no tool can create it (processes/bwrap-arguments.ts).
 */
export function missingFolders({ extensions }: Config): readonly string[] {
  return (extensions?.paths ?? []).flatMap((path) => {
    const state = !existsSync(path) ? "does not exist" : isEmpty(path) ? "is empty" : undefined
    return state === undefined ? [] : [`extensions.paths: ${path} ${state}; no extension is loaded from it`]
  })
}

function isEmpty(path: string): boolean {
  try {
    return readdirSync(path).length === 0
  } catch {
    return false // the search for plugins reports why
  }
}

export function pluginSandbox({ home, config, ownPlaces }: Pick<AppContext, "home" | "config" | "ownPlaces">): Sandbox {
  return openSandbox({
    mode: config.tools?.sandbox ?? "auto",
    hidden: closedFolders(home, config),
    memory: join(home, sandboxMemory),
    readOnly: () => protectedPlaces({ env: process.env, home, ownPlaces }),
    warn: () => {}, // reported by `doctor` and by the first command of a tool
  })
}
