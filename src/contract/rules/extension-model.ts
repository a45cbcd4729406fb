// The names of models that extensions bring: `extension:provider:model`. No name of another provider's model has this
// form, so a name says by itself who must be asked.
export interface ExtensionModel {
  /** The name of its folder. */
  readonly extension: string
  readonly provider: string
  readonly model: string
}

/** Nothing where it is the name of another model. */
export function readExtensionModel(name: string): ExtensionModel | undefined {
  const [, extension, provider, model] = /^([^:/]+):([a-z0-9_-]+):([^:\s]+)$/.exec(name) ?? []
  if (extension === undefined || provider === undefined || model === undefined) return undefined
  return { extension, provider, model }
}

export function extensionModelName({ extension, provider, model }: ExtensionModel): string {
  return `${extension}:${provider}:${model}`
}
