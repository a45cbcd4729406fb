// The skills of a session: those of its folder while it is trusted, of the user, of configured folders, and of plugins.
import { existsSync } from "node:fs"
import { join } from "node:path"
import { withUserHome, type Environment } from "../../config/home.ts"
import type { SkillFiles, SkillPlace } from "../../config/skills/skill-files.ts"
import { isTrusted } from "../../config/trust/trust.ts"
import type { Config } from "../../contract/config.ts"
import type { Setting } from "../../runner/session-context.ts"
import { placesOf, type SessionPlugins } from "../plugins/session-plugins.ts"
import { skillFolders } from "./protected-paths.ts"

export interface SkillsRequest {
  readonly home: string
  readonly env: Environment
  readonly config: Config
  /** The folder whose settings count; undefined where visitors talk to the session. */
  readonly settingsFolder: string | undefined
  readonly plugins?: SessionPlugins
}

export interface SkillsOfSession extends NonNullable<Setting["skills"]> {
  readonly exist: boolean
  load(): Promise<SkillFiles>
}

/** Files are read when the first turn begins. */
export function sessionSkills(request: SkillsRequest): SkillsOfSession {
  const places = skillPlaces(request)
  let files: Promise<SkillFiles> | undefined
  const load = () => (files ??= openFiles(places))
  return {
    exist: places.some(({ folder }) => existsSync(folder)),
    load,
    list: async () => (await load()).list(),
    read: async (name) => (await load()).read(name),
    open: async (name, file) => (await load()).open(name, file),
  }
}

async function openFiles(places: readonly SkillPlace[]): Promise<SkillFiles> {
  const { SkillFiles: Files } = await import("../../config/skills/skill-files.ts")
  return new Files(places)
}

/** The nearest first. Visitors get the configured ones and those of plugins alone. */
function skillPlaces({ home, env, config, settingsFolder, plugins }: SkillsRequest): readonly SkillPlace[] {
  const listed = [...(config.skills?.paths ?? []), ...skillFolders(env)].map(own("configured"))
  const ofPlugins = plugins === undefined ? [] : placesOf(plugins, ({ skills }) => skills)
  const configured = [...listed, ...ofPlugins]
  if (settingsFolder === undefined) return configured
  const isOpen = () => isTrusted(home, settingsFolder)
  const ofFolder = [".turnhouse/skills", ".claude/skills"].map((path) => join(settingsFolder, path))
  const ofUser = [join(home, "skills"), withUserHome("~/.claude/skills", env)]
  return [
    ...ofFolder.map((folder) => ({ folder, source: "project", isOpen })),
    ...ofUser.map(own("user")),
    ...configured,
  ]
}

function own(source: string): (folder: string) => SkillPlace {
  return (folder) => ({ folder, source, isOpen: () => Promise.resolve(true) })
}
