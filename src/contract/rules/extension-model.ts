// Names of models of extensions: `extension:provider:model`. No other model has a name of this form.
export interface ExtensionModel {
  /** The name of its folder. */
  readonly extension: string
  readonly provider: string
  readonly model: string
}

/** Undefined for the name of another model. */
export function readExtensionModel(name: string): ExtensionModel | undefined {
  const [, extension, provider, model] = /^([^:/]+):([a-z0-9_-]+):([^:\s]+)$/.exec(name) ?? []
  if (extension === undefined || provider === undefined || model === undefined) return undefined
  return { extension, provider, model }
}

export function extensionModelName({ extension, provider, model }: ExtensionModel): string {
  return `${extension}:${provider}:${model}`
}
