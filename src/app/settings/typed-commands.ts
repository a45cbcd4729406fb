// Typed commands from files: the user's own, those of the session's folder while it is trusted, its skills, and those of
// plugins. Read when a command is first typed or listed.
import { join } from "node:path"
import { withUserHome, type Environment } from "../../config/home.ts"
import type { SkillListing } from "../../config/skills/skill-files.ts"
import { isTrusted } from "../../config/trust/trust.ts"
import type { PluginCommands } from "../../config/typed-commands/plugin-commands.ts"
import type { FileCommands } from "../../config/typed-commands/typed-commands.ts"
import type { TypedCommand } from "../../contract/views/host.ts"
import type { TypedCommands } from "../../runner/session-context.ts"
import { noPlugins, placesOf, type SessionPlugins } from "../plugins/session-plugins.ts"
import type { SkillsOfSession } from "./skills.ts"

export interface CommandsRequest {
  readonly home: string
  readonly env: Environment
  /** The folder whose settings count. */
  readonly settingsFolder: string
  readonly plugins?: SessionPlugins
}

interface OpenedFiles {
  readonly own: FileCommands
  readonly ofPlugins: PluginCommands
  readonly isReserved: (name: string) => boolean
}

/** Names mean, in this order: own files, own skills, commands of plugins, skills of plugins. */
export function typedCommands(request: CommandsRequest, skills: SkillsOfSession): TypedCommands {
  let files: Promise<OpenedFiles> | undefined
  const opened = () => (files ??= openFiles(request))
  const declared = declaredCommands(request.plugins ?? noPlugins)
  /** Names that commands of plugins cannot have. */
  const takenIn = (found: readonly SkillListing[], own: readonly TypedCommand[], { isReserved }: OpenedFiles) => {
    const names = new Set([...own, ...found.filter(isOwn)].map(({ name }) => name))
    return (name: string) => names.has(name) || declared.has(name) || isReserved(name)
  }
  return {
    list: async () => {
      const [all, loaded] = await Promise.all([opened(), skills.load()])
      const [own, found] = await Promise.all([all.own.list(), loaded.list()])
      const { listSkillCommands } = await import("../../config/skills/skill-commands.ts")
      const ofPlugins = await all.ofPlugins.list(takenIn(found, own, all))
      const ownSkills = new Set(found.filter(isOwn).map(({ name }) => name))
      const ofSkills = await listSkillCommands(loaded)
      const isOfPlugin = ({ name }: TypedCommand) =>
        !ownSkills.has(name) && (declared.has(name) || ofPlugins.some((command) => command.name === name))
      const names = new Set(own.map(({ name }) => name))
      return [...own, ...ofPlugins, ...ofSkills.filter((one) => !names.has(one.name) && !isOfPlugin(one))]
    },
    run: async (name, args) => {
      const all = await opened()
      const answer = await all.own.run(name, args)
      if (answer.kind !== "unknown") return answer
      const { runSkillCommand } = await import("../../config/skills/skill-commands.ts")
      const loaded = await skills.load()
      if (all.isReserved(name) || request.plugins === undefined) return runSkillCommand(loaded, name, args)
      const found = await loaded.list()
      if (found.some((skill) => isOwn(skill) && skill.name === name)) return runSkillCommand(loaded, name, args)
      if (declared.has(name)) return answer
      const ofPlugin = await all.ofPlugins.run(name, args, takenIn(found, [], all))
      return ofPlugin.kind === "unknown" ? runSkillCommand(loaded, name, args) : ofPlugin
    },
  }
}

function isOwn({ plugin }: SkillListing): boolean {
  return plugin === undefined
}

/** Extensions answer to the commands in manifests, by both names. */
function declaredCommands({ plugins }: SessionPlugins): ReadonlySet<string> {
  return new Set(plugins.flatMap(({ id, declaredCommands: names }) => names.flatMap((name) => [name, `${id}:${name}`])))
}

const always = () => Promise.resolve(true)

async function openFiles({ home, env, settingsFolder: folder, plugins }: CommandsRequest): Promise<OpenedFiles> {
  const [{ FileCommands: Files }, { PluginCommands: OfPlugins }, { slashCatalogue }] = await Promise.all([
    import("../../config/typed-commands/typed-commands.ts"),
    import("../../config/typed-commands/plugin-commands.ts"),
    import("../../slash-commands/table.ts"),
  ])
  const isOpen = () => isTrusted(home, folder)
  const places = [
    { folder: join(home, "commands"), source: "user", isOpen: always },
    { folder: withUserHome("~/.claude/commands", env), source: "user", isOpen: always, isNested: true },
    { folder: join(folder, ".turnhouse", "commands"), source: "folder", isOpen },
    { folder: join(folder, ".brainwires", "commands"), source: "folder", isOpen },
    { folder: join(folder, ".claude", "commands"), source: "folder", isOpen, isNested: true },
  ]
  const isReserved = (name: string) => slashCatalogue.byName.has(name) || name === "skill" || name === "skills"
  const ofPlugins = plugins === undefined ? [] : placesOf(plugins, ({ commands }) => commands)
  return {
    own: new Files(places, isReserved),
    ofPlugins: new OfPlugins(ofPlugins.map((place) => ({ ...place, isNested: true }))),
    isReserved,
  }
}
