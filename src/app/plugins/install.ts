// Installs, replaces and removes plugins in the home. The pin is written before the files appear: what a crash leaves is a
// plugin without files or with files that do not match, never one without a pin.
import { existsSync } from "node:fs"
import { mkdir, rename } from "node:fs/promises"
import { join } from "node:path"
import { changePins, pluginsFolder, readPins, settingsFile, type Pin } from "../../plugins/pins.ts"
import { AppFault } from "../app-fault.ts"
import type { StagedPlugin } from "./staging.ts"

export function installedPins(home: string): ReadonlyMap<string, Pin> {
  const { pins, problem } = readPins(home)
  if (problem !== undefined) throw new AppFault(problem)
  return pins
}

/** Throws AppFault where the name is taken. */
export function checkFree(home: string, name: string): void {
  if (installedPins(home).has(name)) throw taken(name)
  const folder = join(pluginsFolder(home), name)
  if (existsSync(folder))
    throw new AppFault(`${folder} exists already. Remove it first; it was not made by 'plugin add'.`)
}

function taken(name: string): AppFault {
  return new AppFault(`plugin ${name} is installed already. Use 'turnhouse plugin update ${name}', or remove it first.`)
}

export async function installPlugin(home: string, { name, folder, pin }: StagedPlugin): Promise<void> {
  checkFree(home, name)
  await changePins(home, (pins) => {
    if (pins.has(name)) throw taken(name)
    pins.set(name, pin)
  })
  await mkdir(pluginsFolder(home), { recursive: true, mode: 0o700 })
  await rename(folder, join(pluginsFolder(home), name))
}

/** `aside`: where the old files go. Settings and what the plugin has written are kept. */
export async function replacePlugin(home: string, { name, folder, pin }: StagedPlugin, aside: string): Promise<void> {
  const place = join(pluginsFolder(home), name)
  await changePins(home, (pins) => pins.set(name, pin))
  await mkdir(pluginsFolder(home), { recursive: true, mode: 0o700 })
  const old = join(aside, `old-${name}`)
  const isThere = existsSync(place)
  if (isThere) await rename(place, old)
  await rename(folder, place)
  if (!isThere) return
  for (const kept of [settingsFile, ...pin.writes])
    if (existsSync(join(old, kept)) && !existsSync(join(place, kept))) await rename(join(old, kept), join(place, kept))
}

/** Throws AppFault for a plugin that was not installed by `plugin add`. */
export async function removePlugin(home: string, name: string, aside: string): Promise<void> {
  const place = join(pluginsFolder(home), name)
  if (!installedPins(home).has(name)) throw unknownPlugin(home, name)
  if (existsSync(place)) await rename(place, join(aside, `old-${name}`))
  await changePins(home, (pins) => pins.delete(name))
}

export function unknownPlugin(home: string, name: string): AppFault {
  const isByHand = /^[\w.-]+$/.test(name) && existsSync(join(pluginsFolder(home), name))
  if (isByHand)
    return new AppFault(
      `${join(pluginsFolder(home), name)} was put there by hand. Change or remove the folder yourself.`,
    )
  return new AppFault(`there is no installed plugin named ${JSON.stringify(name)}. 'turnhouse plugin ls' lists them.`)
}
