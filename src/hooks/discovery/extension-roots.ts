// The folders in which extensions lie, in their order: a plugin in a later one replaces one of the same name in an
// earlier one. What a project brings is looked at only when its folder is trusted.
import { join } from "node:path"
import { isOn } from "./switches.ts"

export interface RootsRequest {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly cwd: string
  readonly trusted: boolean
  /** From the configuration: folders with plugins, or plugins. */
  readonly paths: readonly string[]
}

export function extensionRoots({ env, home, cwd, trusted, paths }: RootsRequest): readonly string[] {
  const own = [join(synapsFolder(env), "plugins"), join(home, "plugins"), ...paths]
  if (!trusted || isOn(env["SYNAPS_DISABLE_PROJECT_PLUGINS"])) return own
  return [...own, join(cwd, ".synaps", "plugins"), join(cwd, ".turnhouse", "plugins")]
}

/** Where synaps keeps its things, and plugins made for it expect theirs. */
export function synapsFolder(env: RootsRequest["env"]): string {
  return env["SYNAPS_BASE_DIR"] || join(env["HOME"] || env["USERPROFILE"] || ".", ".synaps-cli")
}
