// The images of a result that models take. A server may call anything an image: a provider would refuse the request with it,
// and every later request of the session.
import type { ContentBlock, ImageContent } from "@modelcontextprotocol/client"
import { limits } from "../../contract/limits.ts"
import type { Attachment } from "../../contract/values.ts"
import { imageInfo, imageTypeOf } from "../../tools/read/image.ts"

/** Of one result. Further images are named, not shown. */
const MAX_IMAGES = 10
/** base64 characters of all images of a result. */
const MAX_IMAGE_CHARACTERS = 8 * 1024 * 1024

export type ResultImage =
  | { readonly kind: "shown"; readonly image: Attachment }
  /** A clause. */
  | { readonly kind: "hidden"; readonly why: string }

/** By their block. */
export function imagesOf(content: readonly ContentBlock[]): ReadonlyMap<ContentBlock, ResultImage> {
  const images = new Map<ContentBlock, ResultImage>()
  let shown = 0
  let room = MAX_IMAGE_CHARACTERS
  for (const block of content) {
    if (block.type !== "image") continue
    const isTooMuch = shown >= MAX_IMAGES || block.data.length > room
    const image = isTooMuch ? hidden("there are too many images") : imageOf(block, `image ${shown + 1}`)
    images.set(block, image)
    if (image.kind === "hidden") continue
    shown += 1
    room -= block.data.length
  }
  return images
}

/** The type is that of the bytes, whatever the server says. */
function imageOf({ data }: ImageContent, name: string): ResultImage {
  const bytes = Buffer.from(data, "base64")
  if (bytes.length > limits.toolImageBytes) return hidden(`it has more than ${limits.toolImageBytes} bytes`)
  const mediaType = imageTypeOf(bytes)
  if (mediaType === undefined) return hidden("it is of another type than models take")
  const info = imageInfo(bytes, mediaType)
  if (typeof info === "string") return hidden(info)
  return { kind: "shown", image: { name, mediaType, data: bytes.toString("base64") } }
}

function hidden(why: string): ResultImage {
  return { kind: "hidden", why }
}
