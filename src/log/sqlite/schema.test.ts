import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, it } from "vitest"
import { createSchema, schemaVersion, versionOf } from "./schema.ts"

it("recognises a log whose tables another process creates while the version is read", (test) => {
  const folder = mkdtempSync(join(tmpdir(), "turnhouse-schema-"))
  test.onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, "turnhouse.db")
  const writer = new DatabaseSync(path)
  const reader = new DatabaseSync(path)
  let isMade = false
  const prepare = (sql: string) => {
    if (sql.includes("sqlite_schema") && !isMade) createSchema(writer)
    isMade ||= sql.includes("sqlite_schema")
    return reader.prepare(sql)
  }
  expect(versionOf({ prepare }, path)).toBe(schemaVersion)
  writer.close()
  reader.close()
})
