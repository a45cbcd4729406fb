// Images in tool results, for providers whose API takes only text there: they follow as a message of the user. Works on
// the finished messages. Pure.
import type { LanguageModelV4, LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider"

type ToolMessage = Extract<LanguageModelV4Message, { role: "tool" }>
type ToolContent = ToolMessage["content"][number]
type ContentOutput = Extract<Extract<ToolContent, { type: "tool-result" }>["output"], { type: "content" }>
type FilePart = Extract<ContentOutput["value"][number], { type: "file" }>

/** Providers whose packages pass an image in a tool result on as an image. The others would send its bytes as text. */
const takesResultImages = /^(?:anthropic|amazon-bedrock|bedrock|google|vertex|offline)\b|^(?:openai|azure)\.responses$/

export function withResultImages(
  prompt: LanguageModelV4Prompt,
  { provider }: Pick<LanguageModelV4, "provider">,
): LanguageModelV4Prompt {
  if (takesResultImages.test(provider) || !prompt.some(hasContent)) return prompt
  return prompt.flatMap((message) => (message.role === "tool" ? divided(message) : [message]))
}

function hasContent(message: LanguageModelV4Message): boolean {
  return message.role === "tool" && message.content.some((part) => contentOf(part) !== undefined)
}

function contentOf(part: ToolContent): ContentOutput["value"] | undefined {
  return part.type === "tool-result" && part.output.type === "content" ? part.output.value : undefined
}

/** The text of the results, then their images. */
function divided(message: ToolMessage): readonly LanguageModelV4Message[] {
  const files = message.content.flatMap((part) => (contentOf(part) ?? []).filter((item) => item.type === "file"))
  const results: ToolMessage = { ...message, content: message.content.map(textOnly) }
  if (files.length === 0) return [results]
  const text = `[Not written by the user: ${files.length === 1 ? "the image" : "the images"} of the tool results above]`
  return [results, { role: "user", content: [{ type: "text", text }, ...files.map(promptFile)] }]
}

function textOnly(part: ToolContent): ToolContent {
  const content = contentOf(part)
  if (content === undefined || part.type !== "tool-result") return part
  const value = content.flatMap((item) => (item.type === "text" ? [item.text] : [])).join("\n")
  return { ...part, output: { type: "text", value } }
}

function promptFile({ filename, mediaType, data }: FilePart) {
  return { type: "file", mediaType, data, ...(filename === undefined ? {} : { filename }) } as const
}
