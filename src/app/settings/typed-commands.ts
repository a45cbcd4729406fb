// Typed commands from files: the user's own, those of the session's folder while it is trusted, and its skills. Read when a
// command is first typed or listed.
import { join } from "node:path"
import { withUserHome, type Environment } from "../../config/home.ts"
import { isTrusted } from "../../config/trust/trust.ts"
import type { FileCommands } from "../../config/typed-commands/typed-commands.ts"
import type { TypedCommands } from "../../runner/session-context.ts"
import type { SkillsOfSession } from "./skills.ts"

export interface CommandsRequest {
  readonly home: string
  readonly env: Environment
  /** The folder whose settings count. */
  readonly settingsFolder: string
}

export function typedCommands(request: CommandsRequest, skills: SkillsOfSession): TypedCommands {
  let files: Promise<FileCommands> | undefined
  const opened = () => (files ??= openFiles(request))
  return {
    list: async () => {
      const own = await (await opened()).list()
      const names = new Set(own.map(({ name }) => name))
      const { listSkillCommands } = await import("../../config/skills/skill-commands.ts")
      return [...own, ...(await listSkillCommands(await skills.load())).filter(({ name }) => !names.has(name))]
    },
    run: async (name, args) => {
      const answer = await (await opened()).run(name, args)
      if (answer.kind !== "unknown") return answer
      const { runSkillCommand } = await import("../../config/skills/skill-commands.ts")
      return runSkillCommand(await skills.load(), name, args)
    },
  }
}

const always = () => Promise.resolve(true)

async function openFiles({ home, env, settingsFolder: folder }: CommandsRequest): Promise<FileCommands> {
  const [{ FileCommands: Files }, { slashCatalogue }] = await Promise.all([
    import("../../config/typed-commands/typed-commands.ts"),
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
  return new Files(places, isReserved)
}
