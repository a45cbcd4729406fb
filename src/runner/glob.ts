// Globs of the configuration and of permissions: `*` stands for any text, everything else for itself.
export function fitsGlob(glob: string, text: string): boolean {
  const literals = glob.split("*").map((literal) => RegExp.escape(literal))
  return new RegExp(`^${literals.join(".*")}$`, "s").test(text)
}
