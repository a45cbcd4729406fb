// Parents in other languages, written from the protocol's types alone, and the programs of the examples: each is run
// against the real child.
import { fileURLToPath } from "node:url"
import { beforeAll, describe, expect, it } from "vitest"
import { newPlace, program } from "../e2e/turnhouse.ts"
import { needBuild } from "../built.ts"
import { needPackage } from "../need-package.ts"

const example = (name: string) => fileURLToPath(new URL(`../../examples/rpc-parent/${name}`, import.meta.url))

describe.concurrent("a parent in Python", () => {
  beforeAll(() => needPackage("python3", "python3"))

  it("prompts twice in one session, sees the tool and the text, and shuts the child down", async (test) => {
    const place = newPlace(test)
    place.write("a.txt", "sunny")
    const model = place.script([
      [{ call: { tool: "read", input: { path: "a.txt" } } }],
      [{ text: 'It is "sunny": Grüße 😀' }],
      [{ expect: { lastUserText: "sure?" } }, { text: "Yes.\nQuite." }],
    ])
    const args = ["weather?", "sure?", "--", program, "rpc", "--model", model]
    const env = { PYTHONIOENCODING: "utf-8" }
    const { code, stdout, stderr } = await place.startOther(example("parent.py"), args, { env }).ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: '[read] It is "sunny": Grüße 😀\nYes.\nQuite.\n' })
    expect(stderr).toMatch(/^6 messages in session [-0-9a-f]{36}\n$/)
  })

  it("gets the reason of a failed turn", async (test) => {
    const place = newPlace(test)
    const model = place.script([[{ error: { status: 400, message: "no luck" } }]])
    const args = ["hello", "--", program, "rpc", "--model", model]
    const { code, stderr } = await place.startOther(example("parent.py"), args).ended
    expect(code).toBe(0)
    expect(stderr).toMatch(/failed: .*no luck/)
  })
})

describe.concurrent("a parent in shell", () => {
  it("prompts and prints the answer", async (test) => {
    const place = newPlace(test)
    const model = place.script([
      [{ expect: { lastUserText: 'a "quoted" \\ word' } }, { text: 'Two\nlines, "quoted".' }],
    ])
    const args = ['a "quoted" \\ word', program, "rpc", "--model", model]
    const { code, stdout } = await place.startOther(example("parent.sh"), args).ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Two\nlines, "quoted".\n' })
  })

  it("can write everything in advance: the child answers what it has read, and then exits", async (test) => {
    const place = newPlace(test)
    const model = place.script([[{ text: "Hello." }]])
    const line = `printf '{"type":"prompt","id":"1","message":"hello"}\\n' | ${program} rpc --model ${model}; echo code $?`
    const { stdout } = await place.startOther("/bin/sh", ["-c", line]).ended
    const lines = stdout.trimEnd().split("\n")
    expect(lines[0]).toContain('"type":"ready"')
    expect(lines.slice(-3)).toEqual([
      expect.stringContaining('"type":"agent_end"'),
      '{"type":"response","id":"1","command":"prompt","ok":true}',
      "code 0",
    ])
  })
})

describe.concurrent("the examples of the library", () => {
  beforeAll(needBuild)

  it("the example of five lines runs a turn and prints its outcome", async (test) => {
    const place = newPlace(test)
    place.config({ model: "offline/demo:0" })
    place.write("only.txt", "")
    const { code, stdout, stderr } = await place.startOther(process.execPath, [example("five-lines.ts")]).ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toContain("only.txt")
    expect(stdout.endsWith("\ncompleted\n")).toBe(true)
  })

  it("a chat runs until its input ends", async (test) => {
    const place = newPlace(test)
    const model = place.script([[{ text: "One." }], [{ text: "Two." }]])
    const args = [example("chat.ts"), "--model", model]
    const { code, stdout } = await place.startOther(process.execPath, args, { input: "first\nsecond\n\n" }).ended
    expect(code).toBe(0)
    expect(stdout).toMatch(/^> One\.\n\(\d+ tokens in, \d+ out\)\n> Two\.\n\(/)
  })
})
