// The prompt of a command with the files that it names: images, and files after `@` in what the user wrote. Text from a
// pipe is not searched: a log could name any file.
import type { AppContext } from "../../app/context.ts"
import { printNotice, styled } from "../../app/terminal.ts"
import type { CommandOf } from "../../contract/commands.ts"
import { printable } from "../../contract/text/text.ts"
import type { ReadPrompt } from "../read-prompt.ts"

export type RunPrompt = Pick<CommandOf<"prompt">, "text" | "attachments">

/** `isTyped`: at a terminal. */
export async function promptWithFiles(
  { text, typed }: ReadPrompt,
  images: readonly string[],
  { home, config, cwd }: Pick<AppContext, "home" | "config" | "cwd">,
  isTyped: boolean,
): Promise<RunPrompt> {
  if (images.length === 0 && !typed.includes("@")) return { text }
  const { mentionedFiles, namedImages } = await import("../../app/attachments/prompt-files.ts")
  const place = { home, config, cwd, isTyped }
  const shown = await namedImages(images, place)
  const { attachments, notes, problems } = await mentionedFiles(typed, place)
  for (const problem of problems) printNotice(`turnhouse: ${printable(problem)}`)
  const all = [...shown, ...attachments]
  if (attachments.length > 0)
    printNotice(styled("dim", printable(`attached: ${attachments.map(({ name }) => name).join(", ")}`)))
  for (const note of notes) printNotice(`turnhouse: ${printable(note.replaceAll(/^\[|\]$/g, ""))}`)
  return { text: [text, ...notes].join("\n"), ...(all.length === 0 ? {} : { attachments: all }) }
}
