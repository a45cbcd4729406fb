// Which file each setting comes from, for people who ask why something is as it is.
import { isObject } from "../contract/json-object.ts"
import { type ConfigLayer, readLayer } from "./config-layer.ts"
import { combineFiles } from "./combine-files.ts"
import { type ConfigRequest, layerFiles, type LayerText } from "./layer-files.ts"
import { dotted, type Path, valueAt } from "./plain.ts"
import { readConfigFile } from "./read-config-file.ts"

export interface SettingSource {
  readonly path: Path
  /** `tools.confirm`. */
  readonly key: string
  readonly value: unknown
  /** The files that set it, in the order in which they are read. */
  readonly files: readonly string[]
}

/** By name. Throws ConfigFault. */
export async function settingSources(request: ConfigRequest): Promise<readonly SettingSource[]> {
  const files = layerFiles(request).read.flatMap((file): readonly LayerText[] => {
    const content = readConfigFile(file.path)
    return content.kind === "absent" ? [] : [{ ...file, content }]
  })
  const { config } = await combineFiles(files, request.env)
  const layers = await Promise.all(files.map((file) => readLayer(file, request.env)))
  return leaves(config, [])
    .map(({ path, value }) => ({ path, key: dotted(path), value, files: filesWith(path, layers) }))
    .toSorted((one, other) => one.key.localeCompare(other.key))
}

/** A list is one setting; so is an empty object. */
function leaves(value: unknown, path: Path): readonly { readonly path: Path; readonly value: unknown }[] {
  if (!isObject(value) || Object.keys(value).length === 0) return path.length === 0 ? [] : [{ path, value }]
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]))
}

function filesWith(path: Path, layers: readonly ConfigLayer[]): readonly string[] {
  return layers.flatMap((layer) => (valueAt(layer.value, path) === undefined ? [] : [layer.path]))
}
