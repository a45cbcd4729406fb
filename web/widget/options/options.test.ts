import { describe, expect, it } from "vitest"
import { readOptions, type AttributeName } from "./attributes.ts"
import { readAuthContext } from "./auth-context.ts"
import { english } from "./english.ts"
import { french } from "./french.ts"
import { german } from "./german.ts"
import { folderOf, socketUrl } from "./server-url.ts"
import { spanish } from "./spanish.ts"
import { filled, textsFor } from "./texts.ts"

function read(attributes: Partial<Record<AttributeName, string>>, own = {}) {
  return readOptions((name) => attributes[name] ?? null, own)
}

describe("options", () => {
  it("come from attributes; unknown values and blank ones count as absent", () => {
    const options = read({ agent: " shop ", position: "top", theme: "dark", greeting: " ", storage: "session" })
    expect(options).toMatchObject({ agent: "shop", theme: "dark", storage: "session" })
    expect([options.position, options.greeting]).toEqual([undefined, undefined])
  })

  it("take properties before attributes", () => {
    expect(read({ agent: "shop", lang: "de" }, { agent: "other" })).toMatchObject({ agent: "other", language: "de" })
  })

  it("take single texts from JSON, and ignore what is no text of the widget", () => {
    expect(read({ texts: '{"send":"Los","nothing":"x","close":5}' }).texts).toEqual({ send: "Los" })
    expect(read({ texts: "{" }).texts).toBeUndefined()
  })
})

describe("texts", () => {
  it("are in the language of the page, with the page's own in their place", () => {
    expect(textsFor("de-AT", { send: "Los" })).toMatchObject({ send: "Los", close: german.close })
    expect(textsFor("constructor")).toEqual(english)
  })

  it.each([german, french, spanish])("have the same places for values in every language", (texts) => {
    for (const [name, text] of Object.entries(english)) {
      const translated = Object.entries(texts).find(([other]) => other === name)?.[1]
      expect(translated?.match(/\{\w+\}/g)).toEqual(text.match(/\{\w+\}/g))
    }
  })

  it("are filled with values, and other braces stay", () => {
    expect(filled("{a} of {b} {c}", { a: 1, b: "$&" })).toBe("1 of $& {c}")
  })
})

describe("the address of the server", () => {
  it.each([
    ["https://chat.example", "wss://chat.example/ws"],
    ["http://127.0.0.1:8787/", "ws://127.0.0.1:8787/ws"],
    ["https://shop.example/chat/?a=1", "wss://shop.example/chat/ws"],
    ["wss://chat.example/ws", "wss://chat.example/ws"],
    ["/chat", "wss://page.example/chat/ws"],
    ["javascript:alert(1)", undefined],
  ])("%s", (server, expected) => expect(socketUrl(server, "https://page.example/a")).toBe(expected))

  it("is the folder of the script", () =>
    expect(folderOf("https://h.example/chat/widget.js?v=1")).toBe("https://h.example/chat/"))
})

it("a signature of the site needs its three fields", () => {
  const context = { userId: "42", timestamp: 1, signature: "ab" }
  expect(readAuthContext({ ...context, more: true })).toEqual(context)
  expect(readAuthContext({ ...context, timestamp: "1" })).toBeUndefined()
})
