import { describe, expect, it } from "vitest"
import { Memory, type TextStore } from "./memory.ts"

const source = { id: "d1", title: "Returns", snippet: "30 days", score: 1 }

function store(): TextStore {
  const texts = new Map<string, string>()
  return {
    getItem: (key) => texts.get(key) ?? null,
    setItem: (key, value) => void texts.set(key, value),
    removeItem: (key) => void texts.delete(key),
  }
}

describe("the memory of a page", () => {
  it("keeps conversation and sources for the site, draft and open panel for the tab", () => {
    const [local, session] = [store(), store()]
    const first = new Memory("a", "local", { local, session })
    first.conversationId = "c1"
    first.keepCitations("m1", [source])
    first.draft = "hello"
    first.isOpen = true
    const reloaded = new Memory("a", "local", { local, session })
    expect([reloaded.conversationId, reloaded.draft, reloaded.isOpen]).toEqual(["c1", "hello", true])
    expect(reloaded.citations("m1")).toEqual([source])
    const otherTab = new Memory("a", "local", { local, session: store() })
    expect([otherTab.conversationId, otherTab.draft, otherTab.isOpen]).toEqual(["c1", "", false])
    expect(new Memory("b", "local", { local, session }).conversationId).toBeUndefined()
  })

  it("forgets the sources with the conversation, and keeps those of 20 replies", () => {
    const memory = new Memory("a", "local", { local: store(), session: store() })
    for (let reply = 1; reply <= 21; reply += 1) memory.keepCitations(`m${reply}`, [source])
    expect([memory.citations("m1"), memory.citations("m21")]).toEqual([[], [source]])
    memory.conversationId = "c2"
    expect(memory.citations("m21")).toEqual([])
  })

  it("works without when the browser refuses to store, and reads nothing from damaged text", () => {
    const refuse = () => {
      throw new Error("refused")
    }
    const memory = new Memory("a", "local", {
      local: { getItem: refuse, setItem: refuse, removeItem: refuse },
      session: undefined,
    })
    memory.conversationId = "c1"
    memory.draft = "x"
    expect([memory.conversationId, memory.draft]).toEqual([undefined, ""])
    const local = store()
    local.setItem("turnhouse:a", "{")
    expect(new Memory("a", "local", { local, session: undefined }).conversationId).toBeUndefined()
  })

  it("stores nothing with storage none", () => {
    const [local, session] = [store(), store()]
    const memory = new Memory("a", "none", { local, session })
    memory.conversationId = "c1"
    memory.draft = "x"
    expect([local.getItem("turnhouse:a"), session.getItem("turnhouse:a:draft")]).toEqual([null, null])
  })
})
