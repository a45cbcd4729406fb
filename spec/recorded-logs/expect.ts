// Rewrites the expected folds of every recorded log: `node spec/recorded-logs/expect.ts`. For an intended change of a
// fold; review the difference line by line.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { eventsOfExport, replayed } from "./replayed.ts"

for (const name of readdirSync(import.meta.dirname).filter((file) => file.endsWith(".ndjson"))) {
  const path = join(import.meta.dirname, name)
  const expected = path.replace(/\.ndjson$/, ".expected.json")
  writeFileSync(expected, replayed(eventsOfExport(readFileSync(path, "utf8"))))
}
