// Images that the user pastes or drops, as attachments: from the clipboard of this machine, or files by path.
import type { Attachment } from "../../../contract/values.ts"
import { limits } from "../../../contract/limits.ts"
import { imageInfo, imageTypeOf } from "../../../tools/read/image.ts"
import type { GivenImages, ImageInput } from "../../../tui/place.ts"
import type { FilePlace } from "../../attachments/prompt-files.ts"
import { clipboardImage } from "./clipboard-image.ts"
import { droppedPaths } from "./dropped-paths.ts"

type Place = Omit<FilePlace, "isTyped">

export function imageInput(place: Place, env: NodeJS.ProcessEnv): ImageInput {
  return { dropped: (text) => droppedImages(text, place), clipboard: () => pastedImage(env) }
}

async function droppedImages(text: string, place: Place): Promise<GivenImages | undefined> {
  const { imagesAt } = await import("../../attachments/prompt-files.ts")
  for (const paths of droppedPaths(text)) {
    const found = paths.length === 0 ? undefined : await imagesAt(paths, { ...place, isTyped: true })
    if (found === undefined) continue
    const { attachments, notes, problems } = found
    const problem = [...problems, ...notes.map((note) => note.replaceAll(/^\[attached file |\]$/g, ""))].join(" ")
    return { images: attachments, ...(problem === "" ? {} : { problem }) }
  }
  return undefined
}

async function pastedImage(env: NodeJS.ProcessEnv): Promise<GivenImages> {
  const found = await clipboardImage(env)
  if (found.kind === "none") return { images: [], problem: "The clipboard has no image." }
  if (found.kind === "no-tool")
    return {
      images: [],
      problem:
        "The clipboard cannot be read here: it needs wl-paste, xclip or pngpaste. Drop the file, or name it with @.",
    }
  const attached = attachmentOf(found.bytes)
  return typeof attached === "string"
    ? { images: [], problem: `The image is not attached: ${attached}.` }
    : { images: [attached] }
}

let pasted = 0

function attachmentOf(bytes: Buffer): Attachment | string {
  const mediaType = imageTypeOf(bytes)
  if (mediaType === undefined) return "it is no PNG, JPEG, GIF or WebP"
  const info = imageInfo(bytes, mediaType)
  if (typeof info === "string") return info
  if (bytes.length > limits.toolImageBytes)
    return `it has ${bytes.length} bytes, at most ${limits.toolImageBytes} can be sent`
  pasted += 1
  return { name: `clipboard-${pasted}.${mediaType.slice("image/".length)}`, mediaType, data: bytes.toString("base64") }
}
