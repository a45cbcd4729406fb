// What is planted where. Each planted text has a mark beside the secret, by which the proof sees that it has arrived.
import { Counts } from "../counts.ts"
import { pick } from "../seeded.ts"
import type { PlantedSecret } from "./random-secrets.ts"
import { spellingNames, spellings, type Spelling } from "./spellings.ts"

type Below = (below: number) => number

export const sources = [
  "prompt",
  "prompt through the door",
  "reasoning",
  "text of the model",
  "input of a tool",
  "input that waits for approval",
  "name of a tool",
  "output of bash",
  "stderr of bash",
  "variable in bash",
  "output of read",
  "file name",
  "result of MCP",
  "error of MCP",
  "stderr of MCP",
  "reason of an extension",
  "output by an extension",
  "stderr of an extension",
  "error of the provider",
  "summary of a compaction",
  "name of the session",
  "request to the server",
  "document",
  "name of a document",
  "command line",
  "wrong setting",
] as const
/** Characters at which texts are cut. */
const usualLimits = [64, 80, 100, 120, 200, 256, 300, 400, 500, 1000, 2000, 4000, 4096, 10_000]
const MAX_BEFORE_LIMIT = 64
const LEAD_EVERY = 3
export type Source = (typeof sources)[number]

/** Default: any. */
interface Chosen {
  readonly spellings?: readonly Spelling[]
  /** Of the secret. */
  readonly kind?: string
}

interface Planting {
  readonly source: Source
  readonly mark: string
}

/** Counts over all homes of a proof. */
export class PlantTally {
  readonly bySource = new Counts<Spelling>()
  readonly byKind = new Counts<"planted">()
  readonly #onPlanted: (planted: number) => void

  constructor(onPlanted: (planted: number) => void) {
    this.#onPlanted = onPlanted
  }

  get planted(): number {
    return this.bySource.total
  }

  add(source: Source, spelling: Spelling, kind: string): void {
    this.bySource.add([source], spelling)
    this.byKind.add([kind], "planted")
    this.#onPlanted(this.planted)
  }
}

export class Plantings {
  readonly #tally: PlantTally
  readonly #below: Below
  readonly #planted: Planting[] = []
  readonly #arrived = new Set<string>()
  #secrets: readonly PlantedSecret[] = []

  constructor(tally: PlantTally, below: Below) {
    this.#tally = tally
    this.#below = below
  }

  add(secrets: readonly PlantedSecret[]): void {
    this.#secrets = [...this.#secrets, ...secrets]
  }

  /** May be long. */
  text(source: Source, chosen: Chosen = {}): string {
    return this.#plant(source, chosen, this.#lead())
  }

  /** A part of a line. */
  shortText(source: Source, chosen: Chosen = {}): string {
    return this.#plant(source, chosen, "")
  }

  /** A part of a file name or an address. */
  word(source: Source): string {
    const names = this.#secrets.filter(({ value }) => /^[\w-]+$/.test(value))
    const { kind } = pick(names, this.#below)
    return this.shortText(source, { spellings: ["plain"], kind }).replaceAll(" ", "-")
  }

  #plant(source: Source, { spellings: allowed = spellingNames, kind }: Chosen, lead: string): string {
    const spelling = pick(allowed, this.#below)
    const known = kind === undefined ? this.#secrets : this.#secrets.filter((secret) => secret.kind === kind)
    const secret = pick(known, this.#below)
    const mark = `mark${this.#planted.length}x`
    this.#planted.push({ source, mark })
    this.#tally.add(source, spelling, secret.kind)
    return `${mark} ${lead}${spellings[spelling](secret.value, this.#below)} ${mark}`
  }

  /** So much text that the secret is where a limit may cut it. */
  #lead(): string {
    if (this.#below(LEAD_EVERY) > 0) return ""
    return ".".repeat(Math.max(0, pick(usualLimits, this.#below) - this.#below(MAX_BEFORE_LIMIT)))
  }

  /** Called with each text that the proof looks at. */
  see(text: string): void {
    for (const [mark] of text.matchAll(/mark\d+x/g)) this.#arrived.add(mark)
  }

  /** What was planted and is nowhere: then the proof shows nothing. */
  get missing(): readonly Planting[] {
    return this.#planted.filter(({ mark }) => !this.#arrived.has(mark))
  }
}
