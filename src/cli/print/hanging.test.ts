import { describe, expect, it } from "vitest"
import { commands } from "../commands.ts"
import { commandHelp } from "../help.ts"
import { proofs } from "../prove/proofs.ts"
import { hanging, reflowed } from "./hanging.ts"

describe("hanging", () => {
  it("continues a text below its beginning", () => {
    expect(hanging("  --all  ", "Every model, also of providers without a key.", 40)).toEqual([
      "  --all  Every model, also of providers",
      "         without a key.",
    ])
  })

  it("begins below a label that leaves too little room", () => {
    expect(hanging("      --allow-untrusted  ", "Approve calls that ask.", 40)).toEqual([
      "      --allow-untrusted",
      "          Approve calls that ask.",
    ])
  })

  it("moves a mark to the left where there is too little room", () => {
    expect(hanging(`${" ".repeat(24)}→ `, "run setup", 40)).toEqual(["          → run setup"])
  })
})

describe("reflowed", () => {
  it("joins lines that were broken by hand, up to the end of a sentence", () => {
    const text = "One sentence that was\nbroken by hand.\nAnother one."
    expect(reflowed(text, 80)).toEqual(["One sentence that was broken by hand.", "Another one."])
  })

  it("keeps an empty line", () => {
    expect(reflowed("add  Read files.\n\nEach takes\na minute.", 80)).toEqual([
      "add  Read files.",
      "",
      "Each takes a minute.",
    ])
  })

  it("keeps the margin of a list", () => {
    const text = "add   Read files\n      and folders.\n      More.\nls    List them."
    expect(reflowed(text, 80)).toEqual(["add   Read files and folders.", "      More.", "ls    List them."])
  })
})

it("describes every proof in a column beside the names", () => {
  const prove = commands.find(({ name }) => name === "prove")
  const lines = prove === undefined ? [] : commandHelp(prove, 80).split("\n")
  const descriptions = proofs.map(({ name }) => lines.find((line) => line.startsWith(`${name} `)) ?? name)
  expect(descriptions.map((line) => line.search(/(?<=\s{2})\S/))).toEqual(proofs.map(() => "simulation  ".length))
})

it.for([40, 80, 100])("the help of every command fits %i columns", (width) => {
  for (const command of commands) {
    const lines = commandHelp(command, width).split("\n")
    expect(lines.filter((line) => line.length > width)).toEqual([])
  }
})
