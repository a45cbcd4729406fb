// A part of the benchmark of a cluster: what it needs, and what it hands back.
import type { Report } from "../doors/report.ts"
import type { World } from "../doors/world.ts"
import type { Servers } from "./servers.ts"

export interface PartContext {
  readonly world: World
  readonly servers: Servers
  readonly report: Report
  /** A few repetitions only: shows that a part works, and measures nothing. */
  readonly isQuick: boolean
  /** Shown while the part runs. */
  readonly progress: (text: string) => void
}

export interface Part {
  readonly title: string
  /** What "ours" and "bare" are in its table. */
  readonly legend: string
  readonly run: (context: PartContext) => Promise<void>
}
