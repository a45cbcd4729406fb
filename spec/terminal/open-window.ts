// A window on the real program, in the folder and with the home of a place.
import { program, type Place } from "../e2e/place.ts"
import { Window, type WindowOptions } from "./window.ts"

export interface OpenOptions extends Partial<Omit<WindowOptions, "cwd" | "env">> {
  readonly env?: Readonly<Record<string, string>>
}

export function openWindow(place: Place, args: readonly string[], { env, ...options }: OpenOptions = {}): Window {
  const all = { ...place.env, TERM: "xterm-256color", COLORTERM: "truecolor", LANG: "C.UTF-8", ...env }
  return new Window(program, args, { ...options, cwd: place.folder, env: all })
}
