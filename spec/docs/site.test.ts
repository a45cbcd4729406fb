// The site as files: complete, without dead links, and nothing that its Content-Security-Policy would refuse.
import { globSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { commands } from "../../src/cli/commands.ts"
import { configKeys } from "../../src/testing/config-keys.ts"
import { buildSite, checkout, deadLinks, type BuiltSite } from "./built-site.ts"

let site: BuiltSite

beforeAll(async () => {
  site = await buildSite()
})
afterAll(() => site.remove())

describe("the site", () => {
  it("has a page for each file of docs/, each decision and each command", () => {
    const documents = globSync("docs/**/*.md", { cwd: checkout }).map((path) =>
      path
        .replace("docs/", "")
        .replace(/README|command-line|guarantees/, (name) => places[name] ?? name)
        .replace(/md$/, "html"),
    )
    const ofCommands = commands.map(({ name }) => `commands/${name.replace("_", "-")}.html`)
    expect([...documents, ...ofCommands].filter((page) => !site.pages.has(page))).toEqual([])
  })

  it("has no dead link or anchor", () => {
    expect(deadLinks(site)).toEqual([])
  })

  it("has no inline script, style or handler, and fetches nothing from elsewhere", () => {
    const bad = [...site.pages].flatMap(([page, elements]) =>
      elements
        .filter(({ name, attributes }) => {
          const isInline = name === "style" || (name === "script" && attributes["src"] === undefined)
          const hasCode = Object.keys(attributes).some((attribute) => /^(on|style$)/.test(attribute))
          return isInline || hasCode || isForeign(name, attributes)
        })
        .map(({ name }) => `${page}: <${name}>`),
    )
    expect(bad).toEqual([])
  })

  it("has a title, a language and one heading of the first level on each page, and each id once", () => {
    const bad = [...site.pages].filter(([, elements]) => {
      const count = (name: string) => elements.filter((element) => element.name === name).length
      const ids = elements.flatMap(({ attributes }) => attributes["id"] ?? [])
      const isNamed = count("title") === 1 && count("h1") === 1 && elements[0]?.attributes["lang"] === "en"
      return !isNamed || new Set(ids).size !== ids.length
    })
    expect(bad.map(([page]) => page)).toEqual([])
  })

  it("shows each setting with its type and who may set it", () => {
    const page = site.text("configuration-reference.html")
    const anchors = configKeys()
      .filter((key) => key !== "$schema")
      .map((key) => key.replaceAll(/[<>]/g, "").replaceAll(".", "-"))
    expect(anchors.filter((anchor) => !page.includes(`<h3 id="${anchor}">`))).toEqual([])
    const [, port = ""] = page.split('<h3 id="server-port">')
    expect(textOf(port)).toMatch(
      /^server\.port Its port\. Type whole number, at least 0, at most 65535 Default 8787, 0 picks a free one Set in your configuration, a profile, --config /,
    )
    const [, budget = ""] = page.split('<h3 id="budget-usdPerTree">')
    expect(textOf(budget)).toContain("and the file of a trusted project")
  })

  it("shows the options of a command and its section of the guide", () => {
    const text = textOf(site.text("commands/run.html"))
    expect(text).toContain("-s, --session ID Use this session")
    expect(text).toContain("Answers by flags")
  })

  it("shows the pictures in both colour schemes", () => {
    const elements = site.pages.get("terminal.html") ?? []
    expect(elements.filter(({ name }) => name === "picture").length).toBeGreaterThan(5)
    expect(site.files.has("pictures/terminal.cast")).toBe(true)
  })
})

const places: Readonly<Record<string, string>> = {
  README: "index",
  "command-line": "commands/index",
  guarantees: "guarantees/index",
}

/** Links may lead elsewhere; pictures, scripts and styles must not. */
function isForeign(name: string, attributes: Readonly<Record<string, string>>): boolean {
  const address = attributes["src"] ?? attributes["srcset"] ?? (name === "link" ? attributes["href"] : undefined)
  return address !== undefined && /^(?:[a-z]+:)?\/\//.test(address)
}

function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ (?=[.,])/g, "")
    .trim()
}
