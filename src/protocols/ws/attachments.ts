// Images and files of a message as attachments. The host fetches no URL, and an unusable entry is dropped, as clients
// expect.
import type { Attachment, JsonValue } from "../../contract/values.ts"
import { Fields } from "./fields.ts"
import { MAX_FILE_NAME_LENGTH } from "./limits.ts"

export function imagesIn(entries: readonly JsonValue[] | undefined): Attachment[] {
  return (entries ?? []).flatMap((entry, index) => {
    const image = Fields.of(entry)
    const url = image?.string("url")
    if (url === undefined) return []
    const detail = detailIn(image?.text("detail"))
    return attachment(`image-${index + 1}`, url, "image/*").map((found) => ({ ...found, ...detail }))
  })
}

export function filesIn(entries: readonly JsonValue[] | undefined): Attachment[] {
  return (entries ?? []).flatMap((entry) => {
    const file = Fields.of(entry)
    const [name, url] = [file?.string("name"), file?.string("url")]
    if (name === undefined || url === undefined || name.length > MAX_FILE_NAME_LENGTH) return []
    return attachment(name, url, file?.string("mimeType") ?? "application/octet-stream")
  })
}

function detailIn(text: string | undefined): Pick<Attachment, "detail"> {
  return text === "low" || text === "high" || text === "auto" ? { detail: text } : {}
}

function attachment(name: string, url: string, mediaType: string): Attachment[] {
  const inline = /^data:([^;,]*)((?:;[^;,]*)*?)(;base64)?,/s.exec(url)
  if (inline === null) return /^https?:\/\//i.test(url) ? [{ name, mediaType, url }] : []
  const body = url.slice(inline[0].length)
  const data = inline[3] === undefined ? toBase64(body) : body
  return data === undefined || data === "" ? [] : [{ name, mediaType: inline[1] || mediaType, data }]
}

function toBase64(body: string): string | undefined {
  try {
    return Buffer.from(decodeURIComponent(body)).toString("base64")
  } catch {
    return undefined
  }
}
