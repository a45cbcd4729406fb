// Ids of plugins that are switched off, with everything that they bring.
import { join } from "node:path"
import type { Config } from "../../contract/config.ts"
import { synapsFolder } from "../../hooks/discovery/extension-roots.ts"
import { readSettings } from "../../hooks/discovery/resolve-config.ts"

/** From the configuration and from the comma-separated setting of synaps. */
export function disabledPlugins({ extensions }: Config): readonly string[] {
  const named = readSettings(join(synapsFolder(process.env), "config")).get("disabled_plugins") ?? ""
  const others = named.split(",").map((id) => id.trim())
  return [...(extensions?.disabled ?? []), ...others.filter((id) => id !== "")]
}
