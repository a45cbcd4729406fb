// Where the extensions of a folder and their settings are looked for, by the configuration. Starts nothing.
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Config } from "../../contract/config.ts"
import type { DiscoveryRequest } from "../../hooks/discover.ts"
import { synapsFolder } from "../../hooks/extension-roots.ts"
import type { Surroundings } from "../surroundings.ts"

type Around = Pick<Surroundings, "home" | "cwd" | "config">

export function discoveryIn(roots: readonly string[], around: Around): DiscoveryRequest {
  const { home, cwd, config } = around
  const { disabled = [], failClosed = [] } = config.extensions ?? {}
  const synaps = synapsFolder(process.env)
  return {
    roots,
    disabled,
    guards: failClosed,
    env: process.env,
    cwd,
    passedOn: config.tools?.env ?? [],
    configFolders: [join(home, "plugins"), join(synaps, "plugins")],
    commonConfig: join(synaps, "config"),
  }
}

/** A sentence for each folder that the configuration names and that is not there: mostly a slip of the pen. */
export function missingFolders({ extensions }: Config): readonly string[] {
  const missing = (extensions?.paths ?? []).filter((path) => !existsSync(path))
  return missing.map((path) => `extensions.paths names ${path}, which is not there: nothing is loaded from it`)
}
