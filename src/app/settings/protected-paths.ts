// Paths from which the host starts programs or reads settings, its own program included. Tools may only read them, or an
// agent could place a program there that the next session starts. Project files are not included: the digest of a
// trusted folder protects them (config/trust/trust-digest.ts).
import { readdirSync } from "node:fs"
import { basename, dirname, join, resolve, sep } from "node:path"
import { withUserHome } from "../../config/home.ts"
import { synapsFolder } from "../../hooks/discovery/extension-roots.ts"
import { isCheckout, programFolder } from "../../program/program-files.ts"
import { forbidFolders, type GuardFolders } from "../../tools/files/held-folder.ts"
import { realPathOf, type GuardPath } from "../../tools/files/paths.ts"

export interface ProtectedPlacesRequest {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** From the user's configuration, see LoadedConfig. */
  readonly ownPlaces: readonly string[]
}

/** Read each time: a plugin may be linked at any time. */
export function protectedPlaces({ env, home, ownPlaces }: ProtectedPlacesRequest): readonly string[] {
  const synaps = resolve(synapsFolder(env))
  const named = [...ownPlaces, ...skillFolders(env), ...sharedFolders(env)]
  const linking = [synaps, join(synaps, "plugins"), join(home, "plugins"), ...named]
  return [synaps, ...named, ...linking.flatMap(linkTargets), ...programPlaces]
}

/** In a checkout only what is executed: an agent may work on Turnhouse itself. */
const executed = isCheckout
  ? ["bin", "dist", "src", "scripts", "node_modules", "package.json"].map((name) => join(programFolder, name))
  : [programFolder]
/** Turnhouse, the packages it loads (beside it if it is installed as a package), and its Node. */
const programPlaces = [...executed, ...packagesAround(programFolder), process.execPath]

function packagesAround(folder: string): readonly string[] {
  const context = dirname(folder)
  return basename(context) === "node_modules" ? [context] : []
}

/** Folders of the user that other programs read too. */
function sharedFolders(env: ProtectedPlacesRequest["env"]): readonly string[] {
  return ["skills", "commands", "agents"].map((name) => withUserHome(`~/.claude/${name}`, env))
}

/** Also read by other smooth-operator servers. */
export function skillFolders(env: ProtectedPlacesRequest["env"]): readonly string[] {
  return (env["SMOOTH_SKILLS_DIR"] ?? "").split(":").filter((folder) => folder !== "")
}

/** For tools that write. `places` is called for each path. */
export function guardPathAgainstWriting(guardPath: GuardPath, places: () => readonly string[]): GuardPath {
  return (path) => {
    const place = places().find((one) => isInside(path, realPathOf(one, "/")))
    return guardPath(path) ?? (place === undefined ? undefined : readOnlyReason(place))
  }
}

/** The same, by device and inode instead of the name. */
export function guardFoldersAgainstWriting(guardFolders: GuardFolders, places: () => readonly string[]): GuardFolders {
  return () => {
    const guards = [guardFolders(), forbidFolders(places(), readOnlyReason)()]
    return (folder) => guards.map((guard) => guard(folder)).find((problem) => problem !== undefined)
  }
}

function readOnlyReason(place: string): string {
  return `${place} is read-only for tools: Turnhouse loads programs, skills or settings from it. Change it outside of a session.`
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep)
}

/** Targets of links to plugins and skills, also if they do not exist yet. */
function linkTargets(folder: string): readonly string[] {
  try {
    const links = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink())
    return links.map(({ name }) => realPathOf(join(folder, name), "/"))
  } catch {
    return [] // not a readable folder: nothing is loaded from it
  }
}
