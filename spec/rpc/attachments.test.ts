// Conformance cases 62 to 66: files that come with a prompt. The type of a file is read from its content.
import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { names, sharedChild, textOf, type Child } from "./children.ts"
import { memoryOf } from "./process-figures.ts"
import type { Frame } from "./wire.ts"

/** One pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
  "base64",
)
const base64 = (text: string | Uint8Array) => Buffer.from(text).toString("base64")
const mebibyte = 1024 * 1024

function file(child: Child, name: string, content: string | Uint8Array): string {
  const path = child.place.path(name)
  writeFileSync(path, content)
  return path
}

/** A turn with these files, and what the session has of its user's message afterwards. */
async function send(
  child: Child,
  paths: readonly string[],
  message = "see",
): Promise<{ frames: readonly Frame[]; sent: string }> {
  await child.useScript([[{ text: "Seen." }]])
  const frames = await child.turn(message, { attachments: paths.map((path) => ({ path })) })
  return { frames, sent: JSON.stringify((await child.messages())[0]) }
}

describe("attachments", () => {
  const child = sharedChild()

  it("62: the content of a text file reaches the model, and no response comes before agent_end", async () => {
    const { frames, sent } = await send(child, [file(child, "plain.txt", "the secret word is heron")])
    expect(names(frames)).toEqual([...frames.slice(0, -2).map(() => "text_delta"), "agent_end", "response"])
    expect(frames.at(-1)).toMatchObject({ ok: true })
    expect(textOf(frames)).toBe("Seen.")
    expect([sent.includes("heron"), sent.includes(base64("the secret word is heron"))]).toContain(true)
    expect(sent).toContain("plain.txt")
  })

  it("63: a path that cannot be read is an error, and nothing is stored", async () => {
    await child.useScript([[{ text: "Never." }]])
    const good = file(child, "good.txt", "good")
    mkdirSync(child.place.path("folder"))
    execFileSync("mkfifo", [child.place.path("fifo")])
    symlinkSync(good, child.place.path("link.txt"))
    const inside = (name: string) => child.place.path(name)
    const bad = [
      "good.txt",
      `${inside("folder")}/../good.txt`,
      inside("missing.txt"),
      inside("folder"),
      inside("fifo"),
      inside("link.txt"),
      "",
    ]
    for (const path of bad) {
      await child.wire.send({
        type: "prompt",
        id: `bad ${path}`,
        message: "see",
        attachments: [{ path: good }, { path }],
      })
      const isIt = (frame: Frame) => frame.type === "error" && frame.id === `bad ${path}`
      expect(await child.wire.until(`an error about '${path}'`, isIt)).toMatchObject({
        message: expect.stringMatching(/./),
      })
      expect(await child.state()).toMatchObject({ streaming: false, message_count: 0 })
    }
    expect(child.wire.frames.filter((frame) => frame.type === "response" && frame.id.startsWith("bad"))).toEqual([])
  })

  it("64: the type of a file is read from its content, not from its name", async () => {
    const { sent } = await send(child, [file(child, "picture.txt", png), file(child, "words.png", "only words")])
    expect(sent).toContain("image/png")
    expect([sent.includes("only words"), sent.includes(base64("only words"))]).toContain(true)
  })

  it("64: a PDF without its end is noted, not sent as one", async () => {
    const { frames, sent } = await send(child, [file(child, "cut.pdf", "%PDF-1.7\n\u0001\u0002 not whole")])
    expect(frames.at(-1)).toMatchObject({ type: "response", ok: true })
    expect(sent).toContain(child.place.path("cut.pdf"))
    expect(sent).not.toContain('"application/pdf"')
  })

  it("64: an empty file is refused", async () => {
    await child.useScript([[{ text: "Never." }]])
    expect(await answerTo([file(child, "empty.txt", "")])).toMatchObject({
      type: "error",
      message: expect.stringContaining("empty"),
    })
    expect(await child.state()).toMatchObject({ message_count: 0 })
  })

  it.for([
    ["a text of more than 256 KiB", "long.txt", () => Buffer.alloc(256 * 1024 + 1, 0x61)],
    ["an image of more than 3.5 MiB", "large.png", () => Buffer.concat([png, Buffer.alloc(3.5 * mebibyte)])],
    ["a file of 20 MiB", "huge.bin", () => Buffer.alloc(20 * mebibyte, 1)],
    ["a program", "program", () => Buffer.from("\u007fELF\u0002\u0001\u0001\u0000\u0000 and so on")],
  ] as const)("65: %s is noted with its name, and the prompt runs", async ([, name, content]) => {
    const before = memoryOf(child.wire.pid)
    const { frames, sent } = await send(child, [file(child, name, content())])
    expect(frames.at(-1)).toMatchObject({ type: "response", ok: true })
    expect(sent).toContain(child.place.path(name))
    expect(sent.length).toBeLessThan(10_000)
    expect(memoryOf(child.wire.pid) - before).toBeLessThan(100 * 1024)
  })

  it("65: nine files are refused, and the child stays usable", async () => {
    await child.useScript([[{ text: "Seen." }]])
    const paths = Array.from({ length: 9 }, (_, index) => file(child, `file-${index}.txt`, `number ${index}`))
    const answer = await answerTo(paths)
    expect(answer).toMatchObject({ type: "response", ok: true })
    const sent = JSON.stringify((await child.messages())[0])
    expect(sent.match(/"document"/g)).toHaveLength(8)
    expect(sent).toContain(paths[8])
  })

  it("66: a file without text is a prompt, hints may be null, a path is required", async () => {
    const path = file(child, "alone.txt", "all alone")
    await child.useScript([[{ text: "Seen." }]])
    const frames = await child.turn("", { attachments: [{ path, name: null, mime: null, more: 1 }] })
    expect(frames.at(-1)).toMatchObject({ ok: true })
    await child.useScript([[{ text: "Seen." }]])
    expect((await child.turn("no files", { attachments: null })).at(-1)).toMatchObject({ ok: true })
    expect(
      await child.wire.sendAndSettle({ type: "prompt", id: "n", message: "x", attachments: [{ name: "n" }] }),
    ).toMatchObject([{ type: "error" }])
    expect(await child.state()).toMatchObject({ message_count: 2 })
  })

  /** The error or the response to a prompt with these files. */
  async function answerTo(paths: readonly string[]): Promise<Frame> {
    const id = child.nextId()
    await child.wire.send({ type: "prompt", id, message: "see", attachments: paths.map((path) => ({ path })) })
    const isIt = (frame: Frame) => (frame.type === "error" || frame.type === "response") && frame.id === id
    return child.wire.until("an answer", isIt)
  }
})
