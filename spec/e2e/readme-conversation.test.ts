// Sends the conversation shown in README.md to the shop that `npm start` serves.
import { cpSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import type { ServerEvent } from "../../src/protocols/ws/frames.ts"
import { WsClient } from "../../src/testing/doors/served-ws.ts"
import { newPlace } from "./turnhouse.ts"

const project = fileURLToPath(new URL("../..", import.meta.url))
const section =
  /## Behind a chat page\n([\s\S]*?)\n## /.exec(readFileSync(join(project, "README.md"), "utf8"))?.[1] ?? ""
const blocks = Array.from(section.matchAll(/```\n([\s\S]*?)```/g), ([, block = ""]) => block.trim().split("\n"))
const [sent = [], shown = []] = blocks

/** Everything but the parts elided with … must match literally. */
function fits(shownLine: string, text: string): boolean {
  const pieces = shownLine
    .replaceAll("{…}", "…")
    .replace(/,?…?\}*$/, "")
    .split(/,?…,?/)
  let from = 0
  return pieces.every((piece) => {
    const at = text.indexOf(piece, from)
    from = at + piece.length
    return at !== -1
  })
}

/** Joins consecutive tokens of a stream, as the README does. */
function formatFrames(frames: readonly ServerEvent[]): string[] {
  const lines: ServerEvent[] = []
  for (const frame of frames) {
    const last = lines.at(-1)
    const isMore =
      (frame.type === "stream_token" || frame.type === "stream_reasoning") &&
      last?.type === frame.type &&
      last.requestId === frame.requestId
    if (isMore) lines[lines.length - 1] = { ...last, token: last.token + frame.token, data: last.data }
    else lines.push(frame)
  }
  return lines.map((frame) => JSON.stringify(frame))
}

describe("the conversation in the README", () => {
  it("produces the frames that the README shows", async (test) => {
    const place = newPlace(test)
    cpSync(join(project, "examples/shop"), place.path("shop"), { recursive: true })
    const running = place.start(["serve", "--port", "0", "--config", "shop/turnhouse.json"], {
      env: { TMPDIR: place.root },
    })
    const url = await running.until("an address", () => /^listening on http(:\S+)$/m.exec(running.stdout)?.[1])
    const client = await WsClient.open(`ws${url}/ws`)
    const [create = "", message = "", confirm = ""] = sent
    client.say(create)
    const created = await client.next("immediate_response", "1")
    const sessionId = JSON.stringify(created.data["sessionId"])
    client.say(message.replace('"…"', sessionId))
    await client.until(() => client.types("2").includes("stream_chunk"))
    client.say(confirm.replace('"…"', sessionId))
    await client.end("2")
    const lines = formatFrames(client.frames)
    expect(lines).toHaveLength(shown.length)
    for (const [index, line] of shown.entries()) expect([line, fits(line, lines[index] ?? "")]).toEqual([line, true])
  })
})
