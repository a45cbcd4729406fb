// Builds the programs of web/ for browsers. Everything that they use is in their files: a page loads nothing from elsewhere.
import { join } from "node:path"
import { build, type InlineConfig } from "vite"
import { root } from "./programs.ts"

/** Folders of web/ with a page, which become folders of dist/web. */
const pages = ["console"]

const widget = join(root, "web/widget")

/** The theme of a widget is a `color-scheme`, which `light-dark()` follows only where it is not replaced for older browsers. */
const cssTarget = ["chrome123", "firefox120", "safari17.5"]

/** Writes into `folder`; returns the modules that the files contain. */
export async function buildWeb(folder: string): Promise<readonly string[]> {
  const modules: string[] = []
  for (const page of pages) modules.push(...(await buildPage(page, join(folder, "web", page))))
  modules.push(...(await buildWidgetScript(join(folder, "web/widget"))))
  modules.push(...(await buildWidgetPackage(join(folder, "widget"))))
  return modules
}

function buildPage(page: string, outDir: string): Promise<readonly string[]> {
  return run({
    root: join(root, "web", page),
    base: "./", // a proxy may serve it below a path
    build: {
      outDir,
      assetsInlineLimit: 0, // the Content-Security-Policy allows no data: in styles
      modulePreload: { polyfill: false },
    },
  })
}

/** One script for `<script src="…/widget.js">`, and the files of the demo page. */
function buildWidgetScript(outDir: string): Promise<readonly string[]> {
  return run({
    root: widget,
    publicDir: join(widget, "public"),
    build: {
      outDir,
      cssTarget,
      lib: {
        entry: join(widget, "script.ts"),
        formats: ["iife"],
        name: "TurnhouseChatScript",
        fileName: () => "widget.js",
      },
    },
  })
}

/** `turnhouse/widget` and `turnhouse/widget-react`, for the bundlers of other sites. */
function buildWidgetPackage(outDir: string): Promise<readonly string[]> {
  return run({
    root: widget,
    publicDir: false,
    build: {
      outDir,
      cssTarget,
      lib: {
        entry: { index: join(widget, "index.ts"), react: join(widget, "react/index.ts") },
        formats: ["es"],
        fileName: (_format, name) => `${name}.js`,
      },
      rolldownOptions: { external: ["react"], output: { chunkFileNames: "[name]-[hash].js", minify: true } },
    },
  })
}

async function run(config: InlineConfig): Promise<readonly string[]> {
  const modules: string[] = []
  await build({
    ...config,
    configFile: false,
    envDir: false,
    logLevel: "warn",
    define: { "process.env.NODE_ENV": JSON.stringify("production") },
    plugins: [
      {
        name: "list-modules",
        generateBundle(_options, output) {
          for (const file of Object.values(output)) if (file.type === "chunk") modules.push(...file.moduleIds)
        },
      },
    ],
    build: { emptyOutDir: true, target: "es2024", reportCompressedSize: false, ...config.build },
  })
  return modules
}
