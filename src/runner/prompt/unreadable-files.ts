// Replaces images and PDF files by a note where the model cannot take them: providers refuse the whole request otherwise.
// Works on the finished messages, so that it covers files of prompts and of tool results alike.
import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider"
import type { ModelChoice } from "../../models/model-source.ts"

type Abilities = Pick<ModelChoice, "seesImages" | "readsPdf">
type FileKind = "images" | "PDF files"

export interface ReadablePrompt {
  readonly prompt: LanguageModelV4Prompt
  /** What was replaced; empty for most requests. */
  readonly replaced: readonly FileKind[]
}

export function readablePrompt(prompt: LanguageModelV4Prompt, abilities: Abilities): ReadablePrompt {
  if (abilities.seesImages !== false && abilities.readsPdf !== false) return { prompt, replaced: [] }
  const replaced = new Set<FileKind>()
  const note = (file: { readonly mediaType: string; readonly filename?: string | undefined }) => {
    const kind = unreadableKind(file.mediaType, abilities)
    if (kind !== undefined) replaced.add(kind)
    return kind === undefined ? undefined : { type: "text" as const, text: noteText(kind, file.filename) }
  }
  return { prompt: prompt.map((message) => withNotes(message, note)), replaced: [...replaced] }
}

type Note = (file: {
  readonly mediaType: string
  readonly filename?: string | undefined
}) => { readonly type: "text"; readonly text: string } | undefined

function withNotes(message: LanguageModelV4Message, note: Note): LanguageModelV4Message {
  if (message.role === "user") {
    return { ...message, content: message.content.map((part) => (part.type === "file" ? (note(part) ?? part) : part)) }
  }
  if (message.role !== "tool") return message
  const content = message.content.map((part) => {
    if (part.type !== "tool-result" || part.output.type !== "content") return part
    const value = part.output.value.map((item) => (item.type === "file" ? (note(item) ?? item) : item))
    return { ...part, output: { ...part.output, value } }
  })
  return { ...message, content }
}

function unreadableKind(mediaType: string, { seesImages, readsPdf }: Abilities): FileKind | undefined {
  if (seesImages === false && /^image(?:\/|$)/.test(mediaType)) return "images"
  return readsPdf === false && mediaType === "application/pdf" ? "PDF files" : undefined
}

function noteText(kind: FileKind, filename: string | undefined): string {
  const name = filename === undefined ? "" : ` ${JSON.stringify(filename)}`
  const what =
    kind === "images"
      ? `An image${name} is here, but this model cannot see images.`
      : `A PDF file${name} is here, but this model cannot read PDF files.`
  return `[${what} Do not guess what it contains; say so if it is needed.]`
}
