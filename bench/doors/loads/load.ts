// A load of the benchmark: what it needs, and what it hands back.
import type { Report } from "../report.ts"
import type { World } from "../world.ts"

export interface LoadContext {
  readonly world: World
  readonly report: Report
  /** What takes minutes as well. */
  readonly isLong: boolean
  /** A few repetitions only: shows that a load works, and measures nothing. */
  readonly isQuick: boolean
  /** Shown while the load runs. */
  readonly progress: (text: string) => void
}

export interface Load {
  readonly title: string
  readonly run: (context: LoadContext) => Promise<void>
}
