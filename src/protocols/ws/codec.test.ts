import { describe, expect, it } from "vitest"
import { actions, Members, readFrame } from "./codec.ts"

const codeOf = (text: string) => {
  const received = readFrame(text, 7)
  return received.kind === "no" && received.event.type === "error" ? received.event : undefined
}

describe("a frame that cannot be understood", () => {
  it.each(["", "{", "nonsense", "[]", "null", "7", '"ping"', '[{"action":"ping"}]'])(
    "is refused without an id when it is no object: %s",
    (text) => {
      const event = codeOf(text)
      expect(event?.error.code).toBe("VALIDATION_ERROR")
      expect(event).not.toHaveProperty("requestId")
    },
  )

  it.each(["{}", '{"action":7}', '{"action":null}', '{"action":["ping"]}'])(
    "is refused when its action is no string: %s",
    (text) => {
      expect(codeOf(text)?.error.code).toBe("VALIDATION_ERROR")
    },
  )

  it("is refused under its id when that is a string, and only then", () => {
    expect(codeOf('{"requestId":"a"}')).toMatchObject({ requestId: "a", data: { requestId: "a" } })
    expect(codeOf('{"requestId":7}')).not.toHaveProperty("requestId")
    expect(codeOf('{"requestId":""}')).not.toHaveProperty("requestId")
  })

  it("is refused by another code when there is no such action, which is case-sensitive", () => {
    expect(codeOf('{"action":"Ping","requestId":"a"}')).toMatchObject({
      error: { code: "UNSUPPORTED_ACTION" },
      requestId: "a",
    })
    expect(codeOf('{"action":"__proto__"}')?.error.code).toBe("UNSUPPORTED_ACTION")
  })

  it("is refused when its id is so long that giving it back with every word would cost too much", () => {
    const event = codeOf(JSON.stringify({ action: "ping", requestId: "x".repeat(1001) }))
    expect(event?.error.code).toBe("VALIDATION_ERROR")
    expect(event).not.toHaveProperty("requestId")
  })
})

describe("a frame that is understood", () => {
  it.each(actions)("names an action: %s", (action) => {
    expect(readFrame(JSON.stringify({ action, requestId: "a", more: 1 }), 7)).toMatchObject({
      kind: "action",
      action: { action, requestId: "a" },
    })
  })

  it("has no id when that is not a string", () => {
    expect(readFrame('{"action":"ping","requestId":7}', 7)).toMatchObject({ action: { requestId: undefined } })
  })
})

describe("a frame that would take long to make something of", () => {
  it("is refused for its parts, and not for its length", () => {
    const frame = (metadata: string) => `{"action":"ping","requestId":"a","metadata":[${metadata}1]}`
    expect(codeOf(frame("{},".repeat(200_000)))).toMatchObject({ error: { code: "VALIDATION_ERROR" } })
    expect(codeOf(frame(`"${"{},".repeat(200_000)}",`))).toBeUndefined()
  })
})

describe("members of a frame", () => {
  const members = new Members({ text: " a ", blank: "  ", flag: false, number: 0, list: [1], object: { inner: "b" } })

  it("are read by their kind, and one of another kind is not there", () => {
    expect([members.text("text"), members.text("flag")]).toEqual([" a ", undefined])
    expect([members.flag("flag"), members.flag("text")]).toEqual([false, undefined])
    expect([members.number("number"), members.number("text")]).toEqual([0, undefined])
    expect([members.list("list"), members.list("object")]).toEqual([[1], undefined])
    expect([members.object("object")?.text("inner"), members.object("list")]).toEqual(["b", undefined])
  })

  it("are without blanks around them where words are wanted, and blanks alone are nothing", () => {
    expect([members.words("text"), members.words("blank")]).toEqual(["a", undefined])
  })

  it("are only the frame's own", () => {
    expect(members.get("constructor")).toBeUndefined()
  })
})
