// The corpora of the measurement: documentation that Debian distributes. None of it is part of this repository;
// install.ts fetches it.
import { fileURLToPath } from "node:url"

export interface Corpus {
  readonly name: string
  /** The Debian package, and the folder in it that is indexed. */
  readonly package: string
  readonly folder: string
  /** As in the package's copyright file. */
  readonly licence: string
  readonly language: string
}

/** Below build/, which is not committed. */
export const corporaFolder = fileURLToPath(new URL("../../build/bench-knowledge/", import.meta.url))

export const corpora: readonly Corpus[] = [
  {
    name: "postgres",
    package: "postgresql-doc-15",
    folder: "usr/share/doc/postgresql-doc-15/html",
    licence: "PostgreSQL licence",
    language: "English",
  },
  {
    name: "python",
    package: "python3.11-doc",
    folder: "usr/share/doc/python3.11/html",
    licence: "PSF-2.0",
    language: "English",
  },
  {
    name: "git",
    package: "git-doc",
    folder: "usr/share/doc/git-doc",
    licence: "GPL-2.0",
    language: "English",
  },
  {
    name: "sqlite",
    package: "sqlite3-doc",
    folder: "usr/share/doc/sqlite3",
    licence: "public domain",
    language: "English",
  },
  office("de", "de", "German"),
  office("fr", "fr", "French"),
  office("es", "es", "Spanish"),
  office("zh", "zh-CN", "Chinese"),
]

/** The help of LibreOffice has the same pages in every language. */
function office(code: string, locale: string, language: string): Corpus {
  return {
    name: `office-${code}`,
    package: `libreoffice-help-${locale.toLowerCase()}`,
    folder: `usr/share/libreoffice/help/${locale}/text`,
    licence: "MPL-2.0",
    language,
  }
}
