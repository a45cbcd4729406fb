// Every file of the source that writes files or databases is listed in docs/secrets.md with what keeps secrets out of what
// it writes. A new one has to be added there, and to the walk in planted-secret.test.ts.
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const root = fileURLToPath(new URL("..", import.meta.url))
const writes =
  /\b(writeFile|appendFile|copyFile)(Sync)?\(|\b(createWriteStream|writeSync|cpSync|backup)\(|new DatabaseSync\(|new Database\(|stderr\.write = /
const isTest = /\.test\.ts$|\/fixtures\/|^src\/(testing|clients\/extension)\//

it("docs/secrets.md lists exactly the modules that write", () => {
  const sources = globSync("src/**/*.ts", { cwd: root }).filter((path) => !isTest.test(path))
  const writing = sources.filter((path) => writes.test(readFileSync(join(root, path), "utf8")))
  const [, section = ""] = readFileSync(join(root, "docs/secrets.md"), "utf8").split("## Where text is stored")
  const [table = ""] = section.split("\n## ")
  const listed = new Set(table.match(/src\/[\w/-]+\.ts/g))
  expect(writing.toSorted()).toEqual([...listed].toSorted())
})
