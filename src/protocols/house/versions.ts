// Versions of the house wire that a host speaks: its own and the previous one. A client that is refused may send hello
// again with an older version, on the same connection.
/** Newest first: a new version and the one before it. */
export const houseVersions: readonly number[] = [1]

export function isSpoken(version: number, versions: readonly number[] = houseVersions): boolean {
  return versions.includes(version)
}

export function notSpoken(version: number, versions: readonly number[] = houseVersions): string {
  const [newest, before] = versions
  const spoken = before === undefined ? `version ${newest}` : `versions ${newest} and ${before}`
  return `this host speaks ${spoken} of the house wire, not ${version}`
}
