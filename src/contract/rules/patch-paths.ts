// The files that a patch in the format of apply_patch names, for permissions and for what is shown of a call. Pure.

const HEADER = /^\*\*\* (?:Add File|Delete File|Update File|Move to): (.+)$/

export function patchPaths(patch: string): string[] {
  return patch.split("\n").flatMap((line) => HEADER.exec(line.trimEnd())?.[1] ?? [])
}
