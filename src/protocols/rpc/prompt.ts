// What a prompt says, and which files it may name.
import type { RpcAttachment } from "./frames.ts"

/** The first thing that is wrong with the named paths, before any file is touched. */
export function pathProblem(attachments: readonly RpcAttachment[]): string | undefined {
  const wrong = attachments.find(({ path }) => !path.startsWith("/") || path.split("/").includes(".."))
  if (wrong === undefined) return undefined
  return "an attachment needs an absolute path without '..' in it"
}

/** Notes about files that do not go along stand below the message. */
export function promptText(message: string, notes: readonly string[]): string {
  const words = message.toWellFormed()
  if (notes.length === 0) return words
  return [...(words.trim() === "" ? [] : [words, ""]), ...notes].join("\n")
}
