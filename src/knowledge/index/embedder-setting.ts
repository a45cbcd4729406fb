// The model that created the index's vectors. There is one at a time; with another one a search uses words alone.
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
