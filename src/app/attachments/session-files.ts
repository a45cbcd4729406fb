// Files of a session's folder for clients elsewhere: paths for the completion of `@path`, and the files that a prompt
// mentions. Nothing outside of the folder is shown, not even whether it exists.
import type { SessionFilesPort } from "../../host/queries/session-files.ts"
import { fuzzyFilter } from "../../display/fuzzy.ts"
import { ok } from "../../log/event-log.ts"
import { projectFiles } from "../screen/project-files.ts"
import type { Settings } from "../settings/session-settings.ts"
import { mentionedFiles } from "./prompt-files.ts"

/** A client asks with every letter. */
const KEPT_MS = 5000
const MAX_KEPT = 20
const MAX_FOUND = 50

export function sessionFiles(home: string, settings: Pick<Settings, "configured">): SessionFilesPort {
  const kept = new Map<string, { readonly at: number; readonly files: Promise<readonly string[]> }>()
  const filesOf = (folder: string) => {
    const known = kept.get(folder)
    if (known !== undefined && performance.now() - known.at < KEPT_MS) return known.files
    const files = projectFiles(folder)
    kept.delete(folder)
    kept.set(folder, { at: performance.now(), files })
    const [oldest] = kept.keys()
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest)
    return files
  }
  return {
    find: async ({ cwd }, text) => fuzzyFilter(await filesOf(cwd), text, (file) => file, MAX_FOUND),
    mentioned: async (session, text) => {
      const configured = await settings.configured(session)
      if (configured.kind === "refused") return configured
      const { config } = configured.value
      const place = { home, config, cwd: session.cwd, isTyped: false, ignoresOutside: true }
      const { attachments, ...rest } = await mentionedFiles(text, place)
      return ok({ ...rest, attachments: [...attachments] })
    },
  }
}
