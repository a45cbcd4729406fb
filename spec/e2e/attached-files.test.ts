// Files that `run` attaches to a prompt: images by name, and files after @ in the text.
import { writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { pngFile } from "../../src/tools/fixtures/images.ts"
import { eventsOf } from "./printed.ts"
import { newPlace } from "./turnhouse.ts"

describe.concurrent("run", () => {
  it("attaches images and mentioned files, but no files that text from a pipe mentions", async (test) => {
    const place = newPlace(test)
    writeFileSync(place.path("shot.png"), pngFile(3, 2))
    place.write("notes.txt", "the notes\n")
    place.write("piped.txt", "not this\n")
    const model = place.script([[{ text: "Seen." }]])
    const args = ["run", "compare with @notes.txt and @missing", "-i", "shot.png", "--model", model]
    const running = place.start(args, { input: "see @piped.txt" })
    const { code, stderr } = await running.ended
    expect(code).toBe(0)
    expect(stderr).toContain("attached: notes.txt\n")
    expect(stderr).toMatch(/done in .* · context \d+ % · session /)
    const [prompt] = eventsOf(await place.log(await place.newest()), "prompt.admitted")
    expect(prompt?.text).toBe("compare with @notes.txt and @missing\n\nsee @piped.txt")
    expect(prompt?.attachments).toMatchObject([
      { name: "shot.png", mediaType: "image/png" },
      { name: "notes.txt", mediaType: "text/plain", data: Buffer.from("the notes\n").toString("base64") },
    ])
  })

  it("starts nothing if an image cannot be attached", async (test) => {
    const place = newPlace(test)
    place.write("notes.txt", "the notes\n")
    const model = place.script([[{ text: "Seen." }]])
    expect(await place.run("run", "look", "--image", "none.png", "--model", model)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--image: .*none\.png does not exist\./),
    })
    expect(await place.run("run", "look", "--image", "notes.txt", "--model", model)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--image: notes.txt is not an image (PNG, JPEG, GIF or WebP)."),
    })
    expect(await place.run("run", "--image", "notes.txt", "--model", model)).toMatchObject({ code: 2 })
    expect(await place.sessions()).toEqual([])
  })
})
