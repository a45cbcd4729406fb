// Web pages as sources, fetched once, on first use. A page's name is its address.
import { ExtractFault } from "../extract/extract-limits.ts"
import type { Extractor } from "../extract/extractor.ts"
import { kindOfMediaType, kindOfName } from "../extract/kinds.ts"
import { charsetOf, pageLetters } from "../extract/page-encoding.ts"
import { checkedUrl, fetchPage, type FetchedPage, type FetchOptions } from "../fetch/fetch-page.ts"
import { markOf, plainWords } from "./file-source.ts"
import type { Source } from "./source.ts"

export function pageSource(address: string, root: string, extractor: Extractor, options: FetchOptions = {}): Source {
  let page: Promise<FetchedPage> | undefined
  const fetched = () => (page ??= fetchPage(address, options))
  return {
    name: address,
    place: address,
    root,
    url: address,
    mark: async () => markOf(only((await fetched()).body)),
    async *words() {
      const { mediaType, body } = await fetched()
      const kind = kindOfMediaType(mediaType) ?? kindOfName(checkedUrl(address).pathname)
      if (kind === undefined) throw new ExtractFault(`a page of type '${mediaType}' cannot be read`)
      const charset = charsetOf(mediaType)
      if (kind !== "text") yield await extractor.text({ kind, file: body, charset })
      else if (charset === undefined) yield* plainWords(only(body))
      else yield pageLetters(body, charset)
    },
  }
}

async function* only(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body
}
