import { describe, expect, it } from "vitest"
import type { ProviderOption } from "../../app/setup/find-providers.ts"
import { serverAddress } from "./ask-provider.ts"
import { providerMenu, readProviderAnswer } from "./provider-menu.ts"

function option(name: string, state: ProviderOption["state"] = "key", note = "", hasLogin = false): ProviderOption {
  return { name, state, note, hasLogin }
}

const options = [
  option("ollama", "usable", "at 127.0.0.1:11434: qwen3, llama3.3"),
  option("anthropic"),
  option("openai"),
  option("openrouter", "key", "", true),
  option("groq"),
  option("mistral"),
  option("xai"),
  option("zai"),
  option("deepseek"),
  option("openai-compatible", "settings", "no address"),
]
const menu = providerMenu(options, 80)

describe("the list of providers", () => {
  it("has what can be used now first, then known names, then the rest", () => {
    expect(menu.lines).toEqual([
      "Usable now",
      "  1  ollama      at 127.0.0.1:11434: qwen3, llama3.3",
      "With a key",
      "  2  anthropic   paste an API key",
      "  3  openai      paste an API key",
      "  4  openrouter  log in with a browser, or paste an API key",
      "  5  others      groq, mistral, xai, zai and 1 more",
      "Without a key",
      "  6  server      your own, with OpenAI's format: you give its address",
      "  7  demo        fixed rules, real tools, no network",
    ])
  })

  it("leaves out a group without members, and the others where there are none", () => {
    const { lines } = providerMenu([option("anthropic")], 80)
    expect(lines).toEqual([
      "With a key",
      "  1  anthropic  paste an API key",
      "Without a key",
      expect.stringMatching(/^ {2}2 {2}server/),
      expect.stringMatching(/^ {2}3 {2}demo/),
    ])
  })

  it.for([40, 60, 200])("fits %i columns", (width) => {
    const long = option("ollama", "usable", `at 127.0.0.1:11434: ${"very-long-model-name, ".repeat(20)}`)
    for (const line of providerMenu([long, ...options], width).lines) expect(line.length).toBeLessThan(width)
  })
})

describe("an answer to it", () => {
  const chosen = (answer: string) => {
    const read = readProviderAnswer(answer, menu)
    if (read.kind === "unknown") return read.message
    return read.entry.kind === "provider" ? read.entry.option.name : `(${read.entry.kind})`
  }

  it.for([
    ["", "ollama"],
    [" 2 ", "anthropic"],
    ["7", "(demo)"],
    ["demo", "(demo)"],
    ["Others", "(others)"],
    ["server", "(server)"],
    ["openai", "openai"],
    ["Groq", "groq"],
    ["mis", "mistral"],
    ["open", "Which one: openai, openrouter, openai-compatible?"],
    ["0", "There is no number 0. Choose 1 to 7."],
    ["99999999999999999999", "There is no number 99999999999999999999. Choose 1 to 7."],
    ["antropic", 'No provider is named "antropic". Did you mean anthropic?'],
    ["provider", 'No provider is named "provider".'],
  ] as const)("%j is %s", ([answer, expected]) => {
    expect(chosen(answer)).toBe(expected)
  })
})

it("repeats no control characters of an answer", () => {
  expect(readProviderAnswer("\u001b[2Jx", menu)).toMatchObject({ message: expect.not.stringContaining("\u001b") })
})

describe("the address of a server", () => {
  it.for([
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080/v1"],
    ["https://gateway.example.com/api/v2/", "https://gateway.example.com/api/v2"],
    ["127.0.0.1:8080", undefined],
    ["file:///etc/passwd", undefined],
    ["https://user:secret@example.com/v1", undefined],
    ["https://example.com/v1?key=secret", undefined],
    ["nonsense", undefined],
  ] as const)("%s becomes %s", ([text, expected]) => {
    expect(serverAddress(text)).toBe(expected)
  })
})
