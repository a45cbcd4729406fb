import { describe, expect, it } from "vitest"
import { jpegFile, pngFile } from "../../tools/fixtures/images.ts"
import { callResult } from "./call-result.ts"

function image(bytes: Buffer, mimeType = "image/png") {
  return { type: "image" as const, mimeType, data: bytes.toString("base64") }
}

describe("an image of a result", () => {
  it("is shown with the type of its bytes, whatever the server says", () => {
    const { output, images } = callResult({ content: [image(pngFile(3, 2)), image(jpegFile(3, 2), "x/y")] }, "shop")
    expect(output).toBe("[image 1]\n[image 2]")
    expect(images).toEqual([
      { name: "image 1", mediaType: "image/png", data: pngFile(3, 2).toString("base64") },
      { name: "image 2", mediaType: "image/jpeg", data: jpegFile(3, 2).toString("base64") },
    ])
  })

  it.each([
    ["that is cut off", pngFile(3, 2).subarray(0, 40), "it is damaged or incomplete"],
    ["that is none", Buffer.from("<svg/>"), "it is of another type than models take"],
    ["that is empty", Buffer.alloc(0), "it is of another type than models take"],
    ["with too many pixels", pngFile(9000, 1), "it has 9000 × 1 pixels and models take at most 8000"],
    ["with too many bytes", Buffer.concat([pngFile(3, 2), Buffer.alloc(4_000_000)]), "it has more than 3900000 bytes"],
  ])("%s is not sent to the model: providers would refuse every later request", (_, bytes, why) => {
    const { output, images } = callResult({ content: [image(bytes)] }, "shop")
    expect(images).toBeUndefined()
    expect(output).toContain(`[an image that is not shown: ${why}`)
  })

  it("beyond the tenth is named only", () => {
    const { output, images } = callResult({ content: Array.from({ length: 12 }, () => image(pngFile(1, 1))) }, "shop")
    expect(images).toHaveLength(10)
    expect(output.split("[an image that is not shown: there are too many images]")).toHaveLength(3)
  })
})
