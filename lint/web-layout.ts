// The layout of web/, the programs that run in browsers: which folders exist, and what each may import. Packages that are
// listed here are bundled; a page loads nothing from elsewhere.
import { posix } from "node:path"

export interface WebFolder {
  /** Allowed imports besides its own files: paths below the root of the project. */
  readonly imports: readonly (string | RegExp)[]
  readonly packages: readonly string[]
}

/** What of a feature does no I/O. */
const pureFeatures = /^src\/features\/(?!.*\/(effects|tools|store)(\/|\.ts$))/

/** Modules that also run in browsers; src/clients/browser-safe.test.ts checks it. */
const views = ["src/contract", "src/projection", pureFeatures, "src/display"]
const packages = ["preact", "preact/hooks", "@preact/signals", "marked"]

export const webFolders: Readonly<Record<string, WebFolder>> = {
  /** What both programs use: the text of models as DOM, formats, styles. */
  shared: { imports: views, packages },
  /** The page that `serve` shows: a client of the native API. */
  console: {
    imports: [
      ...views,
      "web/shared",
      "src/slash-commands",
      "src/clients/base",
      "src/clients/house/address.ts",
      "src/clients/house/line-client.ts",
      "src/clients/house/remote-port.ts",
      "src/clients/session",
      "src/transports/websocket-lines.ts",
    ],
    packages,
  },
  /** The chat in the pages of other sites: a client of the WebSocket API. */
  widget: {
    imports: [...views, "web/shared", "src/clients/base", "src/clients/ws"],
    packages: [...packages, "react", "turnhouse/client"],
  },
}

/** Why a file of web/ may not import a module; undefined if it may. */
export function webImportFault(filename: string, source: string): string | undefined {
  const path = filename.slice(filename.lastIndexOf("/web/") + 1)
  const folder = path.split("/")[1] ?? ""
  const rules = webFolders[folder]
  if (rules === undefined) return `web/${folder} is not listed in lint/web-layout.ts.`
  const target = source.startsWith(".") ? posix.join(posix.dirname(path), source) : undefined
  const isAllowed =
    target === undefined
      ? rules.packages.includes(source)
      : [`web/${folder}`, ...rules.imports].some((allowed) => covers(allowed, target))
  return isAllowed ? undefined : `${path} may not import ${target ?? source} (lint/web-layout.ts).`
}

function covers(allowed: string | RegExp, target: string): boolean {
  if (allowed instanceof RegExp) return allowed.test(target)
  return target === allowed || target.startsWith(`${allowed}/`)
}
