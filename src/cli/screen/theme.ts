// The theme of the terminal: TURNHOUSE_THEME or `theme` in the configuration names one of the built-in ones, `auto`, or a
// file in `themes` of the home.
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { messageOf, usageFault } from "../../app/app-fault.ts"
import type { AppContext } from "../../app/context.ts"
import { tryParseJson } from "../../contract/json-object.ts"
import { defaultTheme, readTheme, themes, type Theme } from "../../tui/terminal/theme.ts"
import { backgroundOf } from "./background.ts"

/** Bits per colour of a terminal with 256 colours. */
const MANY_COLOURS = 8

/** `NO_COLOR`, and a terminal without colours, win. A terminal with 16 colours gets its own. */
export async function chosenTheme(
  { home, config }: Pick<AppContext, "home" | "config">,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Theme> {
  const depth = process.stdout.getColorDepth(env)
  const hasColour = depth > 1 && !env["NO_COLOR"]
  const name = env["TURNHOUSE_THEME"] || config.theme || "terminal"
  const theme = name === "auto" ? undefined : (themes.get(name) ?? (await themeFile(home, name)))
  if (!hasColour || depth < MANY_COLOURS) return theme?.hasColour === false ? theme : defaultTheme(hasColour)
  return theme ?? themes.get((await backgroundOf(env)) ?? "terminal") ?? defaultTheme(hasColour)
}

async function themeFile(home: string, name: string): Promise<Theme> {
  const file = join(home, "themes", `${name}.json`)
  if (!/^[\w.-]+$/.test(name)) throw usageFault(`theme: '${name}' is not the name of a theme.`)
  const text = await readFile(file, "utf8").catch((fault: unknown) => {
    const known = ["auto", ...themes.keys()].join(", ")
    throw usageFault(`theme: no theme '${name}' (${messageOf(fault)}). Use ${known}, or create ${file}.`)
  })
  const value = tryParseJson(text)
  const read = value === undefined ? ({ kind: "wrong", what: "it is not valid JSON" } as const) : readTheme(name, value)
  if (read.kind === "wrong") throw usageFault(`${file}: ${read.what}.`)
  return read.theme
}
