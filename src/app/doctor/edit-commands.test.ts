import { expect, it } from "vitest"
import { editCommandChecks } from "./edit-commands.ts"
import { runChecks } from "./run-checks.ts"

it("says which language servers and formatters are found, and which are not", async () => {
  const tools = {
    languageServers: {
      here: { command: ["sh", "--stdio"], files: ["*"] },
      gone: { command: ["no-such-server"], files: ["*"] },
      folder: { command: ["/bin"], files: ["*"] },
    },
    format: { "*.ts": ["/bin/sh"], "*.go": ["/no/such/formatter"] },
  }
  const found = await runChecks(editCommandChecks({ tools }, { PATH: "/nowhere::/bin" }), 5000)
  const advice = (key: string) => `install it, or remove it from tools.${key}`
  expect(found).toEqual([
    { subject: "language servers", level: "ok", what: "here: /bin/sh" },
    {
      subject: "language servers",
      level: "warning",
      what: "gone: no-such-server was not found",
      todo: advice("languageServers"),
    },
    {
      subject: "language servers",
      level: "warning",
      what: "folder: /bin was not found",
      todo: advice("languageServers"),
    },
    { subject: "formatters", level: "ok", what: "*.ts: /bin/sh" },
    { subject: "formatters", level: "warning", what: "*.go: /no/such/formatter was not found", todo: advice("format") },
  ])
})

it("says nothing if none is configured", async () => {
  expect(await runChecks(editCommandChecks({}, {}), 5000)).toEqual([])
})
