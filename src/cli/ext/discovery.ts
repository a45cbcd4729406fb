// Where the extensions of a folder and their settings are looked for, by the configuration. Starts nothing.
import { join } from "node:path"
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
