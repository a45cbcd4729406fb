// Writes the types of `turnhouse/widget` and `turnhouse/widget-react`. Their public modules import types of
// `turnhouse/client` and react only, so the compiler's files are shipped as they are.
import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { root } from "./programs.ts"

/** File of dist/widget by what the compiler writes for web/widget. */
const shipped = {
  "api.d.ts": "api.d.ts",
  "element.d.ts": "element.d.ts",
  "index.d.ts": "index.d.ts",
  "react/index.d.ts": "react.d.ts",
}

/** Into `folder`/widget. */
export function writeWidgetTypes(folder: string): void {
  const emitted = join(folder, "emitted-widget")
  const config = {
    extends: join(root, "web/tsconfig.json"),
    compilerOptions: { noEmit: false, declaration: true, emitDeclarationOnly: true, rootDir: root, outDir: emitted },
    include: [],
    files: [join(root, "web/widget/index.ts"), join(root, "web/widget/react/index.ts")],
  }
  mkdirSync(emitted, { recursive: true })
  writeFileSync(join(emitted, "tsconfig.json"), JSON.stringify(config))
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc")
  execFileSync(process.execPath, [tsc, "-p", join(emitted, "tsconfig.json")], { stdio: "inherit" })
  for (const [from, to] of Object.entries(shipped)) {
    const text = readFileSync(join(emitted, "web/widget", from), "utf8")
    writeFileSync(join(folder, "widget", to), withShippedPaths(text))
  }
  rmSync(emitted, { recursive: true, force: true })
}

function withShippedPaths(text: string): string {
  return text.replaceAll(/"\.\.?\/([\w-]+)\.tsx?"/g, '"./$1.js"')
}
