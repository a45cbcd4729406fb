import { PassThrough } from "node:stream"
import { describe, expect, it } from "vitest"
import { AccessLog } from "./access-log.ts"

function logTo(isTTY: boolean, isQuiet = false) {
  const stream = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY })
  return {
    log: new AccessLog(
      stream,
      isQuiet,
      () => 0,
      (text) => text.replaceAll("hush-hush", "‹redacted›"),
    ),
    read: () => String(stream.read() ?? ""),
  }
}

describe("AccessLog", () => {
  it("writes one JSON line per entry, in order, in one write", () => {
    const { log, read } = logTo(false)
    log.write({ event: "action", principal: "visitor", requestId: "a\nb", outcome: "ok", ms: 3 })
    log.write({ event: "closed", connection: "con_1" })
    log.flush()
    expect(read()).toBe(
      '{"time":"1970-01-01T00:00:00.000Z","event":"action","principal":"visitor","requestId":"a\\nb","outcome":"ok","ms":3}\n' +
        '{"time":"1970-01-01T00:00:00.000Z","event":"closed","connection":"con_1"}\n',
    )
  })

  it("shortens long ids and names", () => {
    const { log, read } = logTo(false)
    log.write({ event: "action", requestId: "x".repeat(1000), principal: "y".repeat(1000) })
    log.flush()
    expect(read()).toMatch(/"requestId":"x{100}","principal":"y{100}"/)
  })

  it("redacts secrets before it shortens", () => {
    const { log, read } = logTo(false)
    log.write({ event: "request", path: "/hush-hush", requestId: `${"x".repeat(95)}hush-hush` })
    log.flush()
    expect(read()).toMatch(/"path":"\/‹redacted›","requestId":"x{95}‹reda"/)
  })

  it("writes a short line on a terminal, with control characters replaced", () => {
    const { log, read } = logTo(true)
    log.write({ event: "action", action: "ping", requestId: "a\u001b[2Jb", outcome: "ok", ms: 3.4 })
    log.flush()
    expect(read()).toBe("00:00:00 ping a\u{fffd}[2Jb ok 3 ms\n")
  })

  it("writes only warnings when quiet", () => {
    const { log, read } = logTo(false, true)
    log.write({ event: "closed" })
    log.write({ event: "warning", message: "careful" })
    log.flush()
    expect(read()).toMatch(/^[^\n]*careful[^\n]*\n$/)
  })
})
