// How sessions differ by their preset and origin. Kernel, runner and projections read these settings; nothing else
// compares presets or origins.
import { limits } from "../limits.ts"
import type { Preset } from "../values.ts"

export interface SessionSettings {
  /** Calls of one step that run at the same time. */
  readonly parallelCalls: number
  /** Calls that change something, or reach outside the working folder, need an approval. */
  readonly asksBeforeChanges: boolean
  /** Unsafe calls need an approval while untrusted text is in the context, unless the configuration says otherwise. */
  readonly asksAfterUntrustedText: boolean
  readonly hasPlanMode: boolean
  readonly hasAgents: boolean
  /** Visitors use the session: they confirm its calls, see documents of their groups and verify their contact. */
  readonly hasVisitors: boolean
  /** The context is compacted when it is full; otherwise only the newest texts of earlier turns are kept. */
  readonly compacts: boolean
  /** Tokens of one answer, where they are capped below the model's own limit. */
  readonly maxOutput: number
}

type PresetSettings = Omit<SessionSettings, "asksAfterUntrustedText">

const local: PresetSettings = {
  parallelCalls: Infinity,
  asksBeforeChanges: true,
  hasPlanMode: true,
  hasAgents: true,
  hasVisitors: false,
  compacts: true,
  maxOutput: Infinity,
}

const presets: Readonly<Record<Preset, PresetSettings>> = {
  careful: local,
  trusting: { ...local, asksBeforeChanges: false },
  service: {
    parallelCalls: 1,
    asksBeforeChanges: false,
    hasPlanMode: false,
    hasAgents: false,
    hasVisitors: true,
    compacts: false,
    maxOutput: limits.serviceOutputTokens,
  },
}

/** The door of commands that a parent session sends to its child. */
export const treeDoor = "tree"

/** The parent process of a stdio child decides about untrusted text itself. */
const trustedOrigin = "rpc"

export function settingsOf(created: { readonly preset: Preset; readonly origin: string } | undefined): SessionSettings {
  const { preset, origin } = created ?? { preset: "careful", origin: "" }
  return { ...presets[preset], asksAfterUntrustedText: origin !== trustedOrigin }
}
