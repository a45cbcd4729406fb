// What a page of a site says about others: its links, the address it prefers for itself, and what robots may do.
import { Parser } from "htmlparser2"
import { siteLimits } from "./site-limits.ts"

export interface RobotsDirectives {
  /** It must not be in the index. */
  readonly noIndex: boolean
  readonly noFollow: boolean
}

export interface PageLinks extends RobotsDirectives {
  readonly links: readonly string[]
  readonly canonical: string | undefined
  readonly base: string | undefined
}

/** Linear in the page: nothing is searched backwards. */
export function pageLinks(html: string): PageLinks {
  const links = new Set<string>()
  let canonical: string | undefined
  let base: string | undefined
  let robots = ""
  const parser = new Parser({
    onopentag: (name, attributes) => {
      const { href = "", rel = "" } = attributes
      if (name === "a" || name === "area") {
        const isFollowed = !/\bnofollow\b/i.test(rel)
        if (href !== "" && isFollowed && links.size < siteLimits.linksOfPage) links.add(href.trim())
      } else if (name === "link" && /\bcanonical\b/i.test(rel)) canonical ??= href.trim()
      else if (name === "base" && href !== "") base ??= href.trim()
      else if (name === "meta" && /^(robots|turnhouse)$/i.test(attributes["name"] ?? ""))
        robots += ` ${attributes["content"] ?? ""}`
    },
  })
  parser.end(html)
  return {
    links: [...links],
    canonical,
    base,
    ...directivesOf(robots.split(/[\s,]+/)),
  }
}

/** Of a header X-Robots-Tag; values for other robots do not count. */
export function robotsHeader(value: string): RobotsDirectives {
  return directivesOf(value.split(",").map((part) => part.trim().replace(/^turnhouse:\s*/i, "")))
}

function directivesOf(words: readonly string[]): RobotsDirectives {
  const said = new Set(words.map((word) => word.toLowerCase()))
  return {
    noIndex: said.has("noindex") || said.has("none"),
    noFollow: said.has("nofollow") || said.has("none"),
  }
}
