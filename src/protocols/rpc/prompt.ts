// The text of a prompt, and which files it may name.
import type { RpcAttachment } from "./frames.ts"

/** The first problem with the named paths, before any file is read. */
export function pathProblem(attachments: readonly RpcAttachment[]): string | undefined {
  const wrong = attachments.find(({ path }) => !path.startsWith("/") || path.split("/").includes(".."))
  if (wrong === undefined) return undefined
  return "an attachment needs an absolute path without '..' in it"
}

/** Notes about files that were not attached are added below the message. */
export function promptText(message: string, notes: readonly string[]): string {
  const text = message.toWellFormed()
  if (notes.length === 0) return text
  return [...(text.trim() === "" ? [] : [text, ""]), ...notes].join("\n")
}
