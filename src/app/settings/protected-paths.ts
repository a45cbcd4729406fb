// The files and folders from which the host starts programs or reads settings, its own program included: tools may read
// them and never change them, or an agent could put a program there that the next session starts. What belongs to a
// project is not among them: it is guarded by the digest of its trusted folder (config/trust-digest.ts).
import { readdirSync } from "node:fs"
import { basename, dirname, join, resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { synapsFolder } from "../../hooks/discovery/extension-roots.ts"
import { forbidFolders, type GuardFolders } from "../../tools/held-folder.ts"
import { realPathOf, type GuardPath } from "../../tools/paths.ts"

export interface ProtectedPlacesRequest {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** From the user's configuration, see LoadedConfig. */
  readonly ownPlaces: readonly string[]
}

/** As they are now: a plugin may be linked into one of them at any time. */
export function protectedPlaces({ env, home, ownPlaces }: ProtectedPlacesRequest): readonly string[] {
  const synaps = resolve(synapsFolder(env))
  const named = [...ownPlaces, ...skillFolders(env)]
  const linking = [synaps, join(synaps, "plugins"), join(home, "plugins"), ...named]
  return [synaps, ...named, ...linking.flatMap(linkTargets), ...programPlaces]
}

const programFolder = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "")
const executed = ["bin", "src", "scripts", "node_modules", "package.json"].map((name) => join(programFolder, name))
/** Turnhouse itself with the packages it loads, which are beside it where it is installed as a package, and its Node. */
const programPlaces = [...executed, ...packagesAround(programFolder), process.execPath]

function packagesAround(folder: string): readonly string[] {
  const context = dirname(folder)
  return basename(context) === "node_modules" ? [context] : []
}

/** The variable that other servers of the WebSocket API read, too. */
export function skillFolders(env: ProtectedPlacesRequest["env"]): readonly string[] {
  return (env["SMOOTH_SKILLS_DIR"] ?? "").split(":").filter((folder) => folder !== "")
}

/** For tools that write. `places` are looked up for each path. */
export function guardPathAgainstWriting(guardPath: GuardPath, places: () => readonly string[]): GuardPath {
  return (path) => {
    const place = places().find((one) => isInside(path, realPathOf(one, "/")))
    return guardPath(path) ?? (place === undefined ? undefined : readOnlyReason(place))
  }
}

/** The same by what a folder is instead of its name. */
export function guardFoldersAgainstWriting(guardFolders: GuardFolders, places: () => readonly string[]): GuardFolders {
  return () => {
    const guards = [guardFolders(), forbidFolders(places(), readOnlyReason)()]
    return (folder) => guards.map((guard) => guard(folder)).find((why) => why !== undefined)
  }
}

function readOnlyReason(place: string): string {
  return `${place} is read-only for tools: Turnhouse loads programs, skills or settings from it. A person can change it outside of a session.`
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep)
}

/** Plugins and skills that lie elsewhere, also where a link leads to nothing yet. */
function linkTargets(folder: string): readonly string[] {
  try {
    const links = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink())
    return links.map(({ name }) => realPathOf(join(folder, name), "/"))
  } catch {
    return [] // not a folder, or not readable: nothing is loaded from it
  }
}
