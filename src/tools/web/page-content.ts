// What a fetched page contains for a model: text, or an image. The first bytes decide which where they are unmistakable,
// otherwise the media type of the server.
import { messageOf } from "../../contract/faults.ts"
import { limits } from "../../contract/limits.ts"
import type { Attachment } from "../../contract/values.ts"
import { extractOnce } from "../../knowledge/extract/extractor.ts"
import { isOfficeKind, kindOfMediaType } from "../../knowledge/extract/kinds.ts"
import { charsetOf, decodePage } from "../../knowledge/extract/page-encoding.ts"
import type { FetchedPage } from "../../knowledge/fetch/fetch-page.ts"
import { decodedText, probedBytes } from "../files/encoding.ts"
import { binaryKind } from "../read/binary-kind.ts"
import { documentKind } from "../read/document-kind.ts"
import { imageInfo, imageTypeOf, type ImageInfo } from "../read/image.ts"

export type PageContent =
  | { readonly kind: "text"; readonly title: string; readonly text: string }
  | { readonly kind: "image"; readonly description: string; readonly image: Attachment }
  | { readonly kind: "no"; readonly reason: string }

export async function pageContent(page: FetchedPage, signal: AbortSignal): Promise<PageContent> {
  const { body, mediaType } = page
  const head = body.subarray(0, probedBytes)
  const imageType = imageTypeOf(head)
  if (imageType !== undefined) return imageContent(body, imageType)
  if (documentKind("", head) === "pdf") return pdfContent(body, signal)
  const kind = kindOfMediaType(mediaType)
  if (kind !== undefined && isOfficeKind(kind)) return extracted(() => extractOnce({ kind, file: body }, signal))
  return kind === "html" || looksLikeHtml(mediaType, head) ? htmlContent(page, signal) : textContent(page)
}

/** Only where the server does not say what it is: the source of a page may be served as text. */
function looksLikeHtml(mediaType: string, head: Buffer): boolean {
  const isUnknown = mediaType === "" || mediaType.startsWith("application/octet-stream")
  return isUnknown && /^\s*<(?:!doctype html|html[\s>])/i.test(head.toString("latin1"))
}

function imageContent(body: Buffer, mediaType: ImageInfo["mediaType"]): PageContent {
  if (body.length > limits.toolImageBytes)
    return { kind: "no", reason: `it is an image of ${size(body)}, which is too large to be shown` }
  const info = imageInfo(body, mediaType)
  if (typeof info === "string") return { kind: "no", reason: `it is an image that cannot be shown: ${info}` }
  const description = `${mediaType}, ${info.width} × ${info.height} pixels, ${size(body)}`
  return { kind: "image", description, image: { name: "page", mediaType, data: body.toString("base64") } }
}

async function pdfContent(body: Buffer, signal: AbortSignal): Promise<PageContent> {
  const { documentText } = await import("../read/document.ts")
  const shown = await documentText("pdf", body, signal)
  if (shown?.kind !== "text") return { kind: "no", reason: shown?.reason ?? "it is not a PDF file" }
  return { kind: "text", title: "", text: `${shown.notice}\n\n${shown.text}` }
}

async function htmlContent({ body, mediaType, url }: FetchedPage, signal: AbortSignal): Promise<PageContent> {
  const content = await extracted(() =>
    extractOnce({ kind: "html", file: body, charset: charsetOf(mediaType), base: url.href }, signal),
  )
  if (content.kind !== "text") return content
  const lineEnd = content.text.indexOf("\n")
  const text = content.text.slice(lineEnd + 1)
  const title = content.text.slice(0, lineEnd)
  return { kind: "text", title, text: text.trim() === "" ? "[The page has no text. It may need JavaScript.]\n" : text }
}

async function extracted(extract: () => Promise<string>): Promise<PageContent> {
  try {
    return { kind: "text", title: "", text: await extract() }
  } catch (fault) {
    return { kind: "no", reason: messageOf(fault) }
  }
}

function textContent({ body, mediaType }: FetchedPage): PageContent {
  const charset = charsetOf(mediaType)
  const isBinary = body.subarray(0, probedBytes).includes(0) && !/^utf-?16/i.test(charset ?? "")
  const text =
    charset === undefined || isBinary ? decodedText(body)?.text.replace(/^\ufeff/, "") : decodePage(body, charset)
  if (text === undefined) return { kind: "no", reason: `it is ${binaryKind(body)} of ${size(body)}` }
  return { kind: "text", title: "", text: text === "" ? "[The page is empty.]\n" : text }
}

function size({ length }: Buffer): string {
  return `${length.toLocaleString("en")} bytes`
}
