// Files of installed plugins that commands of tools may read: scripts of skills are run from there. Settings, hidden files
// and what an extension writes stay hidden, since they may hold keys.
import { existsSync } from "node:fs"
import { join } from "node:path"
import { pathsIn } from "../../config/folder-files.ts"

export async function shownPluginFiles(home: string): Promise<readonly string[]> {
  if (!existsSync(join(home, "plugins"))) return []
  const [{ readPlugin }, { writableFolders }, { pluginsFolder, settingsFile }] = await Promise.all([
    import("../../plugins/layout.ts"),
    import("../../plugins/contents.ts"),
    import("../../plugins/pins.ts"),
  ])
  const root = pluginsFolder(home)
  const shown: string[] = []
  for (const id of await pathsIn(root)) {
    const layout = readPlugin(join(root, id))
    const { skills, commands, agents } = layout
    if (skills.length + commands.length + agents.length === 0) continue
    const hidden = new Set([settingsFile, ...writableFolders(layout).map((path) => path.split("/")[0])])
    const names = (await pathsIn(join(root, id))).filter((name) => !name.startsWith(".") && !hidden.has(name))
    shown.push(...names.map((name) => join(root, id, name)))
  }
  return shown
}
