// Which versions of the house wire a host speaks: its own and the one before. A client names the version it wants to
// speak; one that is refused may say hello again with an older one, on the same connection.
/** Newest first. A new version is put in front, and only the one before it stays. */
export const houseVersions: readonly number[] = [1]

export function isSpoken(version: number, versions: readonly number[] = houseVersions): boolean {
  return versions.includes(version)
}

export function notSpoken(version: number, versions: readonly number[] = houseVersions): string {
  const [newest, before] = versions
  const spoken = before === undefined ? `version ${newest}` : `versions ${newest} and ${before}`
  return `this host speaks ${spoken} of the house wire, not ${version}`
}
