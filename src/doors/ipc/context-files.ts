// Files that a viewer names with a prompt, as attachments. A file that cannot be attached does not hold the prompt back:
// viewers see why, and a note names files that exist to the model, since it can open them itself.
import { describeRefusal } from "../../contract/text/describe-refusal.ts"
import type { HostPort } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { Attachment } from "../../contract/values.ts"
import { frameLimits } from "../../protocols/ipc/limits.ts"

export interface ContextFiles {
  readonly attachments: readonly Attachment[]
  /** One sentence for each file that was not attached as it is. */
  readonly problems: readonly string[]
}

/** As many as a host takes at once. */
const FILES_PER_QUERY = 8

export async function contextFiles(
  port: HostPort,
  sessionId: SessionId,
  paths: readonly string[],
): Promise<ContextFiles> {
  const named = [...new Set(paths)]
  const most = frameLimits.contextFiles
  const attachments: Attachment[] = []
  const notes: string[] = []
  const problems = named.length > most ? [`Only the first ${most} of ${named.length} files are attached`] : []
  for (let from = 0; from < Math.min(named.length, most); from += FILES_PER_QUERY) {
    const some = named.slice(from, Math.min(from + FILES_PER_QUERY, most))
    const answered = await port.query({ type: "stage-files", sessionId, paths: some })
    if (answered.kind === "refused") return { attachments, problems: [...problems, describeRefusal(answered.refusal)] }
    const staged = answered.value
    attachments.push(...staged.attachments)
    notes.push(...staged.notes)
    problems.push(...staged.problems)
  }
  return { attachments: [...attachments, ...notesFile(notes)], problems: [...problems, ...notes] }
}

/** The prompt itself is not changed, so a file carries the notes to the model. */
function notesFile(notes: readonly string[]): readonly Attachment[] {
  if (notes.length === 0) return []
  const data = Buffer.from(notes.join("\n")).toString("base64")
  return [{ name: "files-not-included.txt", mediaType: "text/plain", data }]
}
