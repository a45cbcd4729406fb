import { expect, it } from "vitest"
import { ImageDetection, type TerminalHints } from "./image-terminal.ts"

const plain: TerminalHints = { term: "xterm-256color", programs: [], hasKittyWindow: false, inside: undefined }

function detected(hints: Partial<TerminalHints>, ...replies: readonly string[]) {
  const detection = new ImageDetection({ ...plain, ...hints })
  for (const reply of replies) detection.reply(`\u001b${reply}`)
  return detection.terminal
}

const kittyYes = "_Gi=31;OK\u001b\\"
const cell = "[6;18;9t"

it("draws nothing in a terminal that answers nothing", () => {
  expect(detected({})).toBeUndefined()
})

it("uses the protocol of kitty where the terminal answers and has placeholders", () => {
  expect(detected({}, kittyYes, "P>|kitty(0.35.2)\u001b\\", cell)).toEqual({
    protocol: "kitty",
    cell: { width: 9, height: 18 },
    isPassedThrough: false,
  })
  expect(detected({ term: "xterm-ghostty" }, kittyYes)?.protocol).toBe("kitty")
  expect(detected({}, kittyYes, "P>|Konsole 24.02\u001b\\")).toBeUndefined()
  expect(detected({}, "_Gi=31;ENOTSUPPORTED\u001b\\", "P>|kitty(0.1)\u001b\\")).toBeUndefined()
})

it("uses inline images in iTerm2 and WezTerm, by their answer or their name", () => {
  expect(detected({}, "P>|iTerm2 3.5.0\u001b\\")?.protocol).toBe("iterm")
  expect(detected({}, kittyYes, "P>|WezTerm 20240203\u001b\\")?.protocol).toBe("iterm")
  expect(detected({ programs: ["iTerm.app"] })?.protocol).toBe("iterm")
})

it("uses sixels where the terminal has them and says how large a character is", () => {
  expect(detected({}, "[?62;4;22c", cell)).toMatchObject({ protocol: "sixel", cell: { width: 9, height: 18 } })
  expect(detected({}, "[?62;4;22c")).toBeUndefined()
  expect(detected({}, "[?62;22c", cell)).toBeUndefined()
})

it("uses no image protocol in tmux unless it passes sequences on to kitty or Ghostty", () => {
  const outer = (term: string, allowsPassthrough: boolean) => {
    const detection = new ImageDetection({ ...plain, inside: "tmux", programs: ["iTerm.app"], hasKittyWindow: true })
    detection.reply(`\u001b${kittyYes}`)
    detection.outer = { term, allowsPassthrough }
    return detection.terminal
  }
  expect(outer("xterm-kitty", true)).toMatchObject({ protocol: "kitty", isPassedThrough: true })
  expect(outer("xterm-kitty", false)).toBeUndefined()
  expect(outer("xterm-256color", true)).toBeUndefined()
})

it("asks nothing of terminals that would print it", () => {
  const queries = (hints: Partial<TerminalHints>) => new ImageDetection({ ...plain, ...hints }).queries
  expect(queries({ term: "linux" })).toBe("")
  expect(queries({ programs: ["Apple_Terminal"] })).toBe("")
  expect(queries({ inside: "screen" })).toBe("")
  expect(queries({ inside: "tmux" })).not.toContain("_G")
  expect(queries({})).toContain("_G")
})

it("asks for the size of characters again only where images are drawn", () => {
  const detection = new ImageDetection(plain)
  expect(detection.cellQuery).toBe("")
  detection.reply("\u001b[?62;4c")
  detection.reply(`\u001b${cell}`)
  expect(detection.cellQuery).toBe("\u001b[16t")
  detection.reply("\u001b[6;36;18t")
  expect(detection.terminal?.cell).toEqual({ width: 18, height: 36 })
})

it("ignores a size of characters that cannot be true", () => {
  expect(detected({ programs: ["WezTerm"] }, "[6;0;9000t")?.cell).toEqual({ width: 10, height: 20 })
})
