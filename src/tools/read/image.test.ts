import { describe, expect, it } from "vitest"
import { limits } from "../../contract/limits.ts"
import { jpegFile, pngFile } from "../fixtures/images.ts"
import { workbenches } from "../fixtures/workbench.ts"
import { imageInfo, imageTypeOf } from "./image.ts"

const gif = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64")
const webp = Buffer.from("UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA=", "base64")

describe("an image", () => {
  const openBench = workbenches()

  it("is sent to the model, whatever the name of the file", async () => {
    const bench = openBench()
    const png = pngFile(3, 2)
    bench.put("shot.txt", png)
    expect(await bench.call("read", { path: "shot.txt" })).toEqual({
      outcome: "done",
      output: `shot.txt: image/png, 3 × 2 pixels, ${png.length} bytes.`,
      images: [{ name: "shot.txt", mediaType: "image/png", data: png.toString("base64") }],
      details: { bytes: png.length, width: 3, height: 2 },
    })
  })

  it.each([
    ["image/png", pngFile(640, 480), 640, 480],
    ["image/jpeg", jpegFile(320, 200), 320, 200],
    ["image/gif", gif, 1, 1],
    ["image/webp", webp, 1, 1],
  ])("of type %s is measured", (mediaType, bytes, width, height) => {
    const type = imageTypeOf(bytes)
    expect(type).toBe(mediaType)
    expect(type === undefined ? undefined : imageInfo(bytes, type)).toEqual({ mediaType, width, height })
  })

  it.each([
    ["that is cut off", pngFile(3, 2).subarray(0, 40), "cannot be shown: it is damaged or incomplete."],
    ["with too many pixels", pngFile(9000, 1), "it has 9000 × 1 pixels and models take at most 8000 on a side"],
    [
      "of too many bytes",
      Buffer.concat([pngFile(3, 2), Buffer.alloc(limits.toolImageBytes)]),
      "can be sent. Make it smaller",
    ],
  ])("%s is refused with the reason", async (_, bytes, reason) => {
    const bench = openBench()
    bench.put("a.png", bytes)
    const { outcome, output, images } = await bench.call("read", { path: "a.png" })
    expect({ outcome, images }).toEqual({ outcome: "failed", images: undefined })
    expect(output).toContain(reason)
  })
})
