// Looks for pieces of secrets in everything that a home, its hosts and their clients have shown or stored.
import { lstatSync, readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { isJsonObject, tryParseJson } from "../../../contract/json-object.ts"
import type { JsonValue } from "../../../contract/values.ts"
import type { Report } from "../violation.ts"
import type { Needles } from "./needles.ts"
import type { Plantings } from "./plantings.ts"

export interface SinkRow {
  readonly sink: string
  readonly texts: number
  readonly characters: number
}

/** Over all homes of a proof. */
export class SinkTally {
  readonly #rows = new Map<string, { texts: number; characters: number }>()

  add(sink: string, characters: number): void {
    const row = this.#rows.get(sink) ?? { texts: 0, characters: 0 }
    this.#rows.set(sink, { texts: row.texts + 1, characters: row.characters + characters })
  }

  get rows(): readonly SinkRow[] {
    return [...this.#rows].map(([sink, row]) => ({ sink, ...row }))
  }
}

/** Files that docs/secrets.md says are kept; their mode is checked, except for the configuration. */
const kept =
  /^(config\.json|auth\.json|secret\.key|console\.key|mcp-logins\/.*\.json|sessions\/[^/]+\.token|snapshots\/.*)$/
const settings = "config.json"

export class Sinks {
  readonly #needles: Needles
  readonly #plantings: Plantings
  readonly #tally: SinkTally
  readonly #report: Report

  constructor(needles: Needles, plantings: Plantings, tally: SinkTally, report: Report) {
    this.#needles = needles
    this.#plantings = plantings
    this.#tally = tally
    this.#report = report
  }

  /** `event`: what the violation names; default: the sink. */
  look(sink: string, text: string, event = sink): void {
    this.#tally.add(sink, text.length)
    this.#plantings.see(text)
    const found = this.#needles.find(text)
    if (found !== undefined) this.#report("leaked", event, `${sink} has the ${found.kind}: …${found.text}…`)
  }

  /** All files below the folder, whatever they are. */
  lookInHome(home: string, folder = home): void {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) this.lookInHome(home, path)
      else if (entry.isFile()) this.#lookInFile(path, relative(home, path))
    }
  }

  #lookInFile(path: string, name: string): void {
    if (!kept.test(name)) return this.look("files of the home", `${name}\n${readFileSync(path, "utf8")}`, name)
    const isOpen = (lstatSync(path).mode & 0o077) !== 0
    if (isOpen && name !== settings && !name.startsWith("snapshots/"))
      this.#report("leaked", name, `other users can read ${name}, which keeps a secret`)
  }
}

/** The texts of frames as a client puts them together: a secret may be split over several. */
export class JoinedFrames {
  readonly #parts = new Map<string, string[]>()

  /** `frame`: as it was received. */
  add(frame: string): void {
    const value = tryParseJson(frame)
    if (value !== undefined) this.#walk(value, "")
  }

  /** Each by its place in the frames. */
  get texts(): readonly string[] {
    return [...this.#parts.values()].map((parts) => parts.join(""))
  }

  #walk(value: JsonValue | undefined, place: string): void {
    if (typeof value === "string") this.#join(place, value)
    else if (Array.isArray(value)) for (const item of value) this.#walk(item, `${place}[]`)
    else if (isJsonObject(value)) {
      const type = typeof value["type"] === "string" ? value["type"] : ""
      for (const [key, item] of Object.entries(value)) this.#walk(item, `${place}/${type}.${key}`)
    }
  }

  #join(place: string, text: string): void {
    const parts = this.#parts.get(place)
    if (parts === undefined) this.#parts.set(place, [text])
    else parts.push(text)
  }
}
