// Folders of skills, commands and agents that belong to a plugin, and the names of what is in them: `plugin:name` always,
// and the plain name where neither the user, the project nor another plugin has it.

export interface PluginOwner {
  readonly id: string
  readonly folder: string
}

/** A folder of files that sessions use. */
export interface FilePlace {
  readonly folder: string
  /** Only these names in it. Default: all. */
  readonly only?: ReadonlySet<string>
  /** Whether they may be used now. */
  readonly isOpen: () => Promise<boolean>
  /** Absent for files of the user and of the project. */
  readonly plugin?: PluginOwner
}

export interface NamedItem {
  readonly name: string
  /** The id of its plugin. */
  readonly plugin: string | undefined
}

export interface CallNames<Item> {
  /** Each item once, by the name that is shown for it. */
  readonly shown: ReadonlyMap<string, Item>
  /** By any of its names. */
  find(name: string): Item | undefined
}

/** Of two items with the same names the first counts. `isTaken`: names that plugins cannot have. */
export function callNames<Item extends NamedItem>(
  items: readonly Item[],
  isTaken: (name: string) => boolean = () => false,
): CallNames<Item> {
  const own = firstOfEach(items.filter(({ plugin }) => plugin === undefined).map((item) => [item.name, item]))
  const ofPlugins = firstOfEach(
    items.filter(({ plugin }) => plugin !== undefined).map((item) => [fullName(item), item]),
  )
  const isFree = (name: string) => !own.has(name) && !isTaken(name)
  const shared = twice([...ofPlugins.values()].map(({ name }) => name))
  const shown = new Map(own)
  const byFullName = new Map([...ofPlugins].filter(([name]) => isFree(name)))
  for (const [full, item] of ofPlugins) {
    const name = [...(shared.has(item.name) ? [] : [item.name]), full].find(isFree)
    if (name !== undefined) shown.set(name, item)
  }
  return { shown, find: (name) => shown.get(name) ?? byFullName.get(name) }
}

export function fullName({ name, plugin }: NamedItem): string {
  return plugin === undefined ? name : `${plugin}:${name}`
}

/** Texts of plugins refer to files in their folder. */
export function withPluginFolder(text: string, plugin: PluginOwner | undefined): string {
  return plugin === undefined ? text : text.replaceAll(/\$\{(?:CLAUDE_PLUGIN_ROOT|PLUGIN_DIR)\}/g, () => plugin.folder)
}

function firstOfEach<Item>(entries: readonly (readonly [string, Item])[]): Map<string, Item> {
  return new Map(entries.toReversed()) // the order does not matter, the last entry of a name counts
}

function twice(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.filter((name, at) => names.indexOf(name) !== at))
}
