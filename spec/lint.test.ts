import { readdirSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { folderOf, importFault } from "../lint/imports.ts"
import { folders } from "../lint/layout.ts"
import { forbiddenWord } from "../lint/plain-words.ts"
import { webFolders, webImportFault } from "../lint/web-layout.ts"

function fault(path: string, source: string, names?: readonly string[]): string | undefined {
  const file = folderOf(`/checkout/src/${path}`)
  if (file === undefined) throw new Error(`${path} is not in a folder of src/`)
  return importFault(file, source, names)
}

describe("layout", () => {
  it("lists exactly the folders of src/", () => {
    const found = readdirSync(new URL("../src", import.meta.url), { withFileTypes: true })
    const names = found.filter((entry) => entry.isDirectory()).map(({ name }) => name)
    expect(Object.keys(folders).toSorted()).toEqual(names.toSorted())
  })

  it("has no rules for a folder that is not listed, which the linter reports", () => {
    expect(folderOf("/checkout/src/unlisted/file.ts")?.rules).toBeUndefined()
  })

  it.each([
    ["session/decide.ts", "../contract/events.ts"],
    ["session/digest.ts", "node:crypto", ["createHmac", "hash"]],
    ["protocols/ws/codec.ts", "../../contract/events.ts"],
    ["features/locks/effects.ts", "node:fs"],
    ["features/locks/effects/call-locks.ts", "../../../runner/session-context.ts"],
    ["features/agent-tree/feature.ts", "../approvals/state.ts"],
    ["contract/events.ts", "zod"],
    ["log/sqlite/connection.ts", "koffi"],
    ["contract/events.ts", "../features/plan-mode/events.ts"],
    ["contract/events.ts", "../features/chat-service/visits/events.ts"],
    ["clients/ws/index.ts", "./turns/turn.ts"],
    ["clients/ws/turns/turn.ts", "../../base/turn.ts"],
    ["clients/ws/turns/turn.ts", "../../../protocols/ws/frames.ts"],
  ])("lets src/%s import %s", (path, source, names?: string[]) => {
    expect(fault(path, source, names)).toBeUndefined()
  })

  it.each([
    ["session/decide.ts", "node:fs"],
    ["session/decide.ts", "fs"],
    ["protocols/ws/codec.ts", "ws"],
    ["session/decide.ts", "node:crypto", ["randomBytes"]],
    ["projection/transcript.ts", "node:path", ["join"]],
    ["session/decide.ts", "../runner/effects.ts"],
    ["session/features.ts", "../features/locks/effects.ts"],
    ["features/plan-mode/decide.ts", "./tools.ts"],
    ["features/plan-mode/feature.ts", "../voting/state.ts"],
    ["features/plan-mode/decide.ts", "../../runner/session-actor.ts"],
    ["contract/events.ts", "../features/plan-mode/decide.ts"],
    ["protocols/ws/codec.ts", "../../doors/ws/connection.ts"],
    ["protocols/ws/deeply/nested/file.ts", "../../../../doors/ws/connection.ts"],
    ["clients/ws/faults.ts", "../ipc/faults.ts"],
    ["clients/ws/turns/turn.ts", "../../rpc/child/flow.ts"],
    ["clients/base/turn.ts", "../ws/turns/turn.ts"],
  ])("refuses that src/%s imports %s", (path, source, names?: string[]) => {
    expect(fault(path, source, names)).toContain("lint/layout.ts")
  })
})

describe("layout of web/", () => {
  it("has no folder that is not listed", () => {
    const found = readdirSync(new URL("../web", import.meta.url), { withFileTypes: true })
    const names = found.filter((entry) => entry.isDirectory()).map(({ name }) => name)
    expect(names.filter((name) => !Object.hasOwn(webFolders, name))).toEqual([])
    expect(webImportFault("/checkout/web/other/a.ts", "./b.ts")).toContain("lint/web-layout.ts")
  })

  it.each([
    ["console/main.tsx", "preact"],
    ["console/main.tsx", "./app.tsx"],
    ["console/session/card.tsx", "../../../src/display/format.ts"],
    ["console/session/card.tsx", "../../shared/markdown.tsx"],
    ["console/main.tsx", "../../src/features/voting/odds.ts"],
    ["widget/main.ts", "../../src/clients/ws/index.ts"],
  ])("lets web/%s import %s", (path, source) => {
    expect(webImportFault(`/checkout/web/${path}`, source)).toBeUndefined()
  })

  it.each([
    ["console/main.tsx", "zod"],
    ["console/main.tsx", "node:path"],
    ["console/main.tsx", "../../src/server/server.ts"],
    ["console/main.tsx", "../../src/clients/ws/index.ts"],
    ["console/main.tsx", "../../src/features/locks/effects.ts"],
    ["console/main.tsx", "../widget/main.ts"],
    ["shared/markdown.tsx", "../console/app.tsx"],
    ["widget/main.ts", "../../src/clients/house/line-client.ts"],
  ])("refuses that web/%s imports %s", (path, source) => {
    expect(webImportFault(`/checkout/web/${path}`, source)).toContain("lint/web-layout.ts")
  })
})

describe("plain words", () => {
  it("finds a forbidden word in a sentence", () => {
    expect(forbiddenWord("The turn waits until somebody answers.")?.found).toBe("somebody")
  })

  it("ignores identifiers and plain sentences", () => {
    expect(forbiddenWord("nobody")).toBeUndefined()
    expect(forbiddenWord("Waiting for approval.")).toBeUndefined()
  })
})
