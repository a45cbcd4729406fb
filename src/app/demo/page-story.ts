// The first story in a session of this host, for a page that guides its reader. The page shows the steps; the reader is the
// one who kills the server. Nothing is started here: the folder holds what the session works with.
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import type { SessionOptions } from "../../contract/session-options.ts"
import { storyOrigin } from "../../contract/rules/stories.ts"
import { AppFault } from "../app-fault.ts"
import { createPushProject } from "./push/project.ts"
import { Workspace } from "./workspace.ts"

/** Commands of the scripted model. */
const needed = ["git", "node"]

/** The folder outlives the host, as the session does. Throws an AppFault where a program is missing. */
export async function pageStoryOptions(): Promise<SessionOptions> {
  const missing = needed.filter((name) => !isOnPath(name))
  if (missing.length > 0)
    throw new AppFault(`the story needs ${missing.join(" and ")} on the PATH of the server: install it and restart`)
  const workspace = new Workspace()
  const { folder } = await createPushProject(workspace)
  return {
    cwd: folder,
    origin: storyOrigin,
    preset: "careful",
    configuration: { file: workspace.path("home/config.json") },
  }
}

function isOnPath(name: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => folder !== "" && existsSync(join(folder, name)))
}
