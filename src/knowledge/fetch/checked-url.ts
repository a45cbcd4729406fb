// Which URLs may be fetched, before their host is looked up. Loads no network module.

/** The page cannot be fetched. The message continues a sentence about it. */
export class FetchFault extends Error {
  override readonly name = "FetchFault"
}

export function checkedUrl(address: string, base?: URL): URL {
  if (!URL.canParse(address, base?.href)) throw new FetchFault("it is not a valid address")
  const url = new URL(address, base)
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new FetchFault("only http and https are fetched")
  if (url.username !== "" || url.password !== "") throw new FetchFault("addresses with a password are not fetched")
  return url
}
