import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { desktopSequence, LONG_TURN_MS, NEEDED_MS, Notifier } from "./notifier.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function notifier(setting: ConstructorParameters<typeof Notifier>[0], env = { TERM: "xterm" }) {
  const written: string[] = []
  return { written, notifier: new Notifier(setting, { write: (sequence) => void written.push(sequence), env }) }
}

describe("a notifier", () => {
  it("rings once, when a request is not answered for a moment", () => {
    const { written, notifier: bell } = notifier("bell")
    bell.needed("apr_1", "bash needs approval")
    expect(written).toEqual([])
    vi.advanceTimersByTime(10 * NEEDED_MS)
    expect(written).toEqual(["\u0007"])
  })

  it("is silent for a request that is answered at once, and after it is closed", () => {
    const { written, notifier: bell } = notifier("bell")
    bell.needed("apr_1", "bash needs approval")
    bell.settled("apr_1")
    bell.needed("apr_2", "bash needs approval")
    bell.close()
    vi.advanceTimersByTime(10 * NEEDED_MS)
    expect(written).toEqual([])
  })

  it("reports the end of a long turn only", () => {
    const { written, notifier: desktop } = notifier("desktop")
    desktop.turnEnded(LONG_TURN_MS - 1, "short")
    desktop.turnEnded(undefined, "unknown")
    desktop.turnEnded(LONG_TURN_MS, "long; \u001b]0;title\u0007")
    expect(written).toEqual(["\u001b]9;long, \ufffd]0,title\ufffd\u0007"])
  })

  it("writes nothing if it is off", () => {
    const { written, notifier: off } = notifier("off")
    off.turnEnded(LONG_TURN_MS, "long")
    expect(written).toEqual([])
  })
})

describe("a notification of the desktop", () => {
  it.each([
    [{ TERM: "xterm-kitty" }, "\u001b]99;;hello\u001b\\"],
    [{ TERM: "foot" }, "\u001b]777;notify;Turnhouse;hello\u001b\\"],
    [{ TERM: "xterm-256color" }, "\u001b]9;hello\u0007"],
    [{ TERM: "screen", TMUX: "x" }, "\u001bPtmux;\u001b\u001b]9;hello\u0007\u001b\\\u0007"],
    [{ TERM: "dumb" }, "\u0007"],
  ])("for %o", (env, sequence) => {
    expect(desktopSequence("hello", env)).toBe(sequence)
  })
})

it("sends nothing while the person looks at the window", () => {
  vi.useFakeTimers()
  const written: string[] = []
  let isWatched = true
  const watched = new Notifier("bell", { write: (text) => written.push(text), env: {}, isWatched: () => isWatched })
  watched.needed("apr_1", "approve bash")
  vi.advanceTimersByTime(NEEDED_MS)
  watched.turnEnded(LONG_TURN_MS, "turn ended")
  expect(written).toEqual([])
  isWatched = false
  watched.turnEnded(LONG_TURN_MS, "turn ended")
  expect(written).toEqual(["\u0007"])
  vi.useRealTimers()
})
