// The identifiers by which the language server protocol names languages, where they differ from a file's extension.
import { basename, extname } from "node:path"

const byExtension: Readonly<Record<string, string>> = {
  bash: "shellscript",
  cc: "cpp",
  cjs: "javascript",
  cs: "csharp",
  cts: "typescript",
  cxx: "cpp",
  erl: "erlang",
  ex: "elixir",
  exs: "elixir",
  fs: "fsharp",
  h: "c",
  hpp: "cpp",
  hs: "haskell",
  htm: "html",
  js: "javascript",
  jsx: "javascriptreact",
  kt: "kotlin",
  kts: "kotlin",
  m: "objective-c",
  md: "markdown",
  mjs: "javascript",
  ml: "ocaml",
  mts: "typescript",
  pl: "perl",
  ps1: "powershell",
  py: "python",
  pyi: "python",
  rb: "ruby",
  rs: "rust",
  sh: "shellscript",
  tex: "latex",
  tf: "terraform",
  ts: "typescript",
  tsx: "typescriptreact",
  yml: "yaml",
  zsh: "shellscript",
}

/** `Dockerfile` is a dockerfile, `a.go` is go. */
export function languageIdOf(path: string): string {
  const extension = extname(path).slice(1).toLowerCase()
  return byExtension[extension] ?? (extension === "" ? basename(path).toLowerCase() : extension)
}
