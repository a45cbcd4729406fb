// Which model made the vectors of the index. Vectors of two models cannot be compared, so there is one at a time; a
// search with another one goes by words alone.
import type { DatabaseSync } from "node:sqlite"

const name = "embedder"

export function embedderOf(database: DatabaseSync): string | undefined {
  const value = database.prepare("select value from settings where name = ?").get(name)?.["value"]
  return typeof value === "string" ? value : undefined
}

export function setEmbedder(database: DatabaseSync, embedder: string): void {
  database
    .prepare("insert into settings (name, value) values (?, ?) on conflict (name) do update set value = excluded.value")
    .run(name, embedder)
}
