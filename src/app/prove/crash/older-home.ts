// Turns the log of a home into one that an earlier release wrote, so that the next host migrates it. No host may run in the
// home. It undoes the changes of src/log/sqlite/schema.ts; visits are not in older logs.
import { rmSync } from "node:fs"
import { headFilePath } from "../../../log/heads/head-file.ts"
import type { Workspace } from "../../demo/workspace.ts"

/** The newest first. */
const undone = [
  { version: 2, statements: "drop table head_file;" },
  {
    version: 1,
    statements: `drop table visits; drop index sessions_of_org;
      alter table sessions drop column org; alter table sessions drop column owner;`,
  },
] as const

/** In a process of its own: this one has the log open for reading only. */
const program = `
const [, path, statements] = process.argv
const database = new (require("node:sqlite").DatabaseSync)(path)
database.exec("pragma busy_timeout = 10000; begin immediate;" + statements + "commit") // a killed writer may still be ending
database.close()
`

export async function makeOlder(workspace: Workspace, version: 1 | 2): Promise<void> {
  const path = `${workspace.home}/turnhouse.db`
  const statements = undone.filter((change) => change.version >= version).map((change) => change.statements)
  const text = `${statements.join("")} pragma user_version = ${version};`
  await workspace.succeed(process.execPath, ["--no-warnings", "-e", program, path, text])
  rmSync(headFilePath(path), { force: true })
}
