// The result of a call of a server as the model gets it: bounded text, images, and notes about what cannot be shown. It
// is untrusted text.
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client"
import { BoundedOutput } from "../../tools/output-bound.ts"
import type { TextScrubber, ToolResult } from "../../tools/tool.ts"
import type { Failed } from "../request-faults.ts"
import { imagesOf, type ResultImage } from "./result-images.ts"

export function callResult(result: CallToolResult, server: string, scrubber?: TextScrubber): ToolResult {
  const { content, structuredContent, isError = false } = result
  const images = imagesOf(content)
  const shown = [...images.values()].flatMap((image) => (image.kind === "shown" ? [image.image] : []))
  const blocks = content.map((block) => blockText(block, images)).filter((text) => text !== "")
  const structured = structuredContent === undefined || blocks.length > 0 ? [] : [JSON.stringify(structuredContent)]
  const output = boundedText([...blocks, ...structured].join("\n"), scrubber)
  return {
    outcome: isError ? "failed" : "done",
    output: output === "" ? "(no output)" : output,
    ...(shown.length === 0 ? {} : { images: shown }),
    untrustedSource: untrustedSource(server),
  }
}

/** What a server says about a failure is as little to be trusted as a result. */
export function failedResult({ reason, isOfServer }: Failed, server: string, scrubber?: TextScrubber): ToolResult {
  const output = boundedText(reason, scrubber)
  return { outcome: "failed", output, ...(isOfServer === true ? { untrustedSource: untrustedSource(server) } : {}) }
}

export function untrustedSource(server: string): string {
  return `MCP server ${server}`
}

export function boundedText(text: string, scrubber?: TextScrubber): string {
  const output = new BoundedOutput()
  output.push(Buffer.from(text))
  return output.text(scrubber)
}

function blockText(block: ContentBlock, images: ReadonlyMap<ContentBlock, ResultImage>): string {
  switch (block.type) {
    case "text":
      return block.text
    case "image":
      return imageText(images.get(block))
    case "audio":
      return `[audio (${block.mimeType}), which is not shown]`
    case "resource_link":
      return `[resource ${block.uri}${block.description === undefined ? "" : `: ${block.description}`}]`
    case "resource":
      return "text" in block.resource
        ? `[${block.resource.uri}]\n${block.resource.text}`
        : `[${block.resource.uri}, which is not text]`
  }
}

function imageText(image: ResultImage | undefined): string {
  if (image === undefined) return ""
  return image.kind === "shown" ? `[${image.image.name}]` : `[an image that is not shown: ${image.why}]`
}
