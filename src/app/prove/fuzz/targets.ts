// The targets of `turnhouse prove fuzz`. Their code is loaded when they run.
import type { ProofFolder } from "../run-proof.ts"
import type { FuzzTarget, OpenTarget } from "./fuzz-target.ts"

export interface TargetEntry {
  readonly name: string
  /** What is fed, in a few words. */
  readonly title: string
  /** Of the frames of all targets, in proportion; slow targets get fewer. */
  readonly share: number
  readonly load: () => Promise<{ readonly openTarget: OpenTarget }>
  /** The same in real processes. */
  readonly loadReal?: () => Promise<{ readonly openReal: OpenReal }>
  /** Inputs that are run first. Absent: the seeds of the target only. */
  readonly loadCorpus?: () => Promise<{ readonly default: Corpus }>
}

/** A file of `corpus/`. Inputs are text, see engine/readable.ts. */
export interface Corpus {
  /** Inputs that once showed a defect, each case in its order. */
  readonly cases: readonly Case[]
  /** Inputs that reach code which the seeds of the target do not reach. */
  readonly inputs: readonly string[]
}

export interface Case {
  readonly name: string
  readonly inputs: readonly string[]
}

/** It must leave no process behind when it is closed. */
export type OpenReal = (folder: ProofFolder) => Promise<FuzzTarget>

export const targets: readonly TargetEntry[] = [
  {
    name: "rpc",
    title: "stdio (synaps RPC)",
    share: 3,
    load: () => import("./doors/rpc.ts"),
    loadReal: () => import("./real/rpc.ts"),
    loadCorpus: () => import("./corpus/rpc.json", { with: { type: "json" } }),
  },
  {
    name: "house",
    title: "native API (house wire)",
    share: 0.7,
    load: () => import("./doors/house.ts"),
    loadReal: () => import("./real/house.ts"),
    loadCorpus: () => import("./corpus/house.json", { with: { type: "json" } }),
  },
  {
    name: "ws",
    title: "WebSocket API (smooth-operator)",
    share: 1.6,
    load: () => import("./doors/ws.ts"),
    loadReal: () => import("./real/ws.ts"),
    loadCorpus: () => import("./corpus/ws.json", { with: { type: "json" } }),
  },
  {
    name: "ipc",
    title: "session socket (brainwires IPC)",
    share: 0.25,
    load: () => import("./doors/ipc.ts"),
    loadReal: () => import("./real/ipc.ts"),
    loadCorpus: () => import("./corpus/ipc.json", { with: { type: "json" } }),
  },
  {
    name: "streams",
    title: "streamed answers of providers",
    share: 0.15,
    load: () => import("./decoders/streams.ts"),
    loadCorpus: () => import("./corpus/streams.json", { with: { type: "json" } }),
  },
  {
    name: "events",
    title: "stored events",
    share: 0.2,
    load: () => import("./decoders/events.ts"),
    loadCorpus: () => import("./corpus/events.json", { with: { type: "json" } }),
  },
  {
    name: "documents",
    title: "files of documents",
    share: 0.2,
    load: () => import("./decoders/documents.ts"),
    loadCorpus: () => import("./corpus/documents.json", { with: { type: "json" } }),
  },
  {
    name: "mcp",
    title: "messages of MCP servers",
    share: 0.1,
    load: () => import("./decoders/mcp.ts"),
    loadCorpus: () => import("./corpus/mcp.json", { with: { type: "json" } }),
  },
  {
    name: "extension",
    title: "messages of extensions",
    share: 0.25,
    load: () => import("./decoders/extension.ts"),
  },
]
