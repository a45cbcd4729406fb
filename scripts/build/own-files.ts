// Rewrites `new URL("FILE", import.meta.url)` for dist/, where modules are in other places than in src/. A file that
// dist/ does not have fails the build.
import { dirname, join, relative } from "node:path"
import type { Plugin } from "rolldown"
import { root, type Programs } from "./programs.ts"

/** Files of the checkout that the program reads, by their path in the package. */
export const copied: Readonly<Record<string, string>> = {
  "spec/schemas/config.json": "dist/schemas/config.json",
}

/** Parts of the package that are not built. */
const shipped = new Set(["", "package.json", "bin/turnhouse", "bin/turnhouse.mjs", "node_modules"])

const ownFile = /new URL\(\s*"([^"]+)",\s*import\.meta\.url\s*\)/g

export function ownFiles(programs: Programs): Plugin {
  const built = new Map(Object.entries(programs).map(([file, source]) => [source, `dist/${file}.js`]))
  return {
    name: "own-files",
    transform: {
      filter: { id: /\/src\/.*\.ts$/, code: "import.meta.url" },
      handler(code, id) {
        const rewritten = code.replace(ownFile, (_match, named: string) => {
          const source = relative(root, join(dirname(id), named)).replace(/\/$/, "")
          const file = built.get(source) ?? copied[source] ?? (shipped.has(source) ? source : undefined)
          if (file === undefined) return this.error(`${relative(root, id)} names ${source}, which dist/ does not have`)
          const slash = named.endsWith("/") ? "/" : ""
          return `new URL("${relative("dist/FOLDER", file)}${slash}", import.meta.url)`
        })
        return { code: rewritten, map: null } // lines stay where they are
      },
    },
  }
}
