// The layout of src/: which folders exist, what each may import of the others, and which are pure.
// A folder that is not listed here fails lint.

export interface Folder {
  /** Allowed imports besides its own files: paths below src/, or patterns of them. */
  readonly imports: readonly (string | RegExp)[]
  /** `browser`: no module of Node at all. `functions`: only those that compute (see `pureModules`). */
  readonly pure?: "browser" | "functions"
  /** Subfolders that all others of the folder may import; the others may not import each other. */
  readonly shared?: readonly string[]
  /** Further imports of its impure files (see `isImpureFile`). */
  readonly impureImports?: readonly string[]
}

/** Exports of Node that neither do I/O nor depend on the machine. */
export const pureModules: Readonly<Record<string, readonly string[]>> = {
  "node:crypto": ["createHash", "createHmac", "hash", "timingSafeEqual"],
  "node:path": ["join"],
}

/** Packages that pure folders may import; others could do I/O. Modules of Node need their prefix `node:`. */
export const purePackages: readonly string[] = ["zod"]

/** The schemas of a feature. */
const featureEvents = /^features\/.*\/events\.ts$/
/** The tools of a feature. */
const featureTools = /^features\/.*\/tools(\/|\.ts$)/
/** What of a feature does no I/O. */
const pureFeatures = /^features\/(?!.*\/(effects|tools|store)(\/|\.ts$))/

export const folders: Readonly<Record<string, Folder>> = {
  contract: { imports: [featureEvents], pure: "browser" },
  session: { imports: ["contract", "features"], pure: "functions" },
  features: {
    imports: ["contract", "session", "projection"],
    pure: "functions",
    shared: ["approvals"],
    impureImports: ["runner", "log", "models", "tools", "postgres"],
  },
  projection: { imports: ["contract", "features"], pure: "browser" },
  "slash-commands": { imports: ["contract", "projection", "features"], pure: "browser" },
  protocols: { imports: ["contract", "projection", "features"], pure: "functions" },
  /** Lines of styled text for people, at any width: no I/O, but packages that compute. */
  display: { imports: ["contract", "projection", pureFeatures] },
  transports: { imports: [] },
  program: { imports: [] },
  /** The connection to PostgreSQL: nothing of what is stored there. */
  postgres: { imports: [] },
  log: { imports: ["contract", "program", "postgres"] },
  "log-writer": { imports: ["contract", "log", "program", "transports"] },
  models: { imports: ["contract", "program"] },
  knowledge: { imports: ["contract", "program", "postgres"] },
  identity: { imports: ["contract", "postgres"] },
  config: { imports: ["contract", "program"] },
  secrets: { imports: ["contract"] },
  processes: { imports: ["contract", "protocols/json-rpc.ts", "transports/framing"] },
  tools: { imports: ["contract", "features/locks", featureTools, "knowledge", "processes", "protocols/json-rpc.ts"] },
  hooks: { imports: ["contract", "processes", "program", "protocols", "transports"] },
  mcp: {
    imports: [
      "contract",
      "knowledge/fetch/address-guard.ts",
      "models/logins",
      "processes",
      "program",
      "tools",
      "transports/framing",
    ],
  },
  plugins: { imports: ["contract", "config", "hooks/discovery"] },
  runner: {
    imports: ["contract", "session", "projection", "features", "log", "models", "tools", "hooks", "mcp", "knowledge"],
  },
  host: {
    imports: [
      "contract",
      "session",
      "projection",
      "features",
      "runner",
      "log",
      "clients/base",
      "display/session-rows.ts", // the order of every list of sessions
    ],
  },
  doors: { imports: ["contract", "projection", "protocols", "slash-commands", "transports"] },
  clients: {
    imports: ["contract", "program", "projection", pureFeatures, "protocols", "transports"],
    shared: ["base"],
  },
  /** The screen of the terminal: a client of a host port. */
  tui: { imports: ["contract", "display", "projection", pureFeatures, "slash-commands", "clients"] },
  server: {
    imports: [
      "contract",
      "session",
      "features",
      "host",
      "runner",
      "models",
      "identity",
      "doors",
      "protocols",
      "transports",
      "secrets",
    ],
  },
  app: { imports: [/^(?!cli\/|testing\/)/] },
  /** Commands only: they reach the engine through app. */
  cli: {
    imports: [
      "app",
      "contract",
      "display",
      "projection",
      pureFeatures,
      "slash-commands",
      "protocols",
      "clients",
      "program",
      "tui",
    ],
  },
  testing: { imports: [""] },
}

/** Files of `features` that do I/O; all others there are pure. */
export function isImpureFile(path: string): boolean {
  return /^features\/.*\/(effects|tools|store)(\/|\.ts$)/.test(path)
}
