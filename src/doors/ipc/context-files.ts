// Files that a viewer names beside its words, as attachments. What is wrong with one of them is for people to see and
// keeps nobody's words back; what is there but does not go along is also told to the model, which can open it itself.
import type { HostPort } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import { describeRefusal } from "../../contract/describe-refusal.ts"
import type { Attachment } from "../../contract/values.ts"
import { stagedFiles } from "../../protocols/rpc/answers.ts"

export interface ContextFiles {
  readonly attachments: readonly Attachment[]
  /** A sentence for each file that could not go along as it is. */
  readonly problems: readonly string[]
}

export const mostFiles = 64
/** As many as a house takes at once. */
const perQuestion = 8

export async function contextFiles(
  port: HostPort,
  sessionId: SessionId,
  paths: readonly string[],
): Promise<ContextFiles> {
  const named = [...new Set(paths)]
  const attachments: Attachment[] = []
  const notes: string[] = []
  const problems = named.length > mostFiles ? [`Only the first ${mostFiles} of ${named.length} files are taken`] : []
  for (let from = 0; from < Math.min(named.length, mostFiles); from += perQuestion) {
    const some = named.slice(from, Math.min(from + perQuestion, mostFiles))
    const answered = await port.query({ type: "stage-files", sessionId, paths: some })
    if (answered.kind === "refused") return { attachments, problems: [...problems, describeRefusal(answered.refusal)] }
    const staged = stagedFiles(answered.value)
    attachments.push(...staged.attachments)
    notes.push(...staged.notes)
    problems.push(...staged.problems)
  }
  return { attachments: [...attachments, ...notesFile(notes)], problems: [...problems, ...notes] }
}

/** The words that were typed stay as they are, so the model is told in a file of its own. */
function notesFile(notes: readonly string[]): readonly Attachment[] {
  if (notes.length === 0) return []
  const data = Buffer.from(notes.join("\n")).toString("base64")
  return [{ name: "files-not-included.txt", mediaType: "text/plain", data }]
}
