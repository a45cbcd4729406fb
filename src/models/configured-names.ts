// The names of models in a configuration, with the keys that have them.
import type { Config } from "../contract/config.ts"

export interface ConfiguredName {
  /** `agents.shop.fallback.0`. */
  readonly where: string
  readonly name: string
}

export function configuredNames({ model, fallback, agents = {} }: Config): readonly ConfiguredName[] {
  return [
    ...single("model", model),
    ...many("fallback", fallback),
    ...Object.entries(agents).flatMap(([id, agent]) => [
      ...single(`agents.${id}.model`, agent.model),
      ...many(`agents.${id}.models`, agent.models),
      ...many(`agents.${id}.fallback`, agent.fallback),
    ]),
  ]
}

function single(where: string, name: string | undefined): readonly ConfiguredName[] {
  return name === undefined ? [] : [{ where, name }]
}

function many(where: string, names: readonly string[] = []): readonly ConfiguredName[] {
  return names.map((name, at) => ({ where: `${where}.${at}`, name }))
}
