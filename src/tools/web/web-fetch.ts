// Defines web_fetch. What it does when it runs is in fetch-for-model.ts, which is loaded with the first call.
import { messageOf } from "../../contract/faults.ts"
import { checks, toolInputSchemas } from "../../contract/generated/tool-inputs.js"
import { shortened } from "../../contract/text/text.ts"
import type { WebFetchInput } from "../../contract/tool-inputs.ts"
import { checkedUrl } from "../../knowledge/fetch/checked-url.ts"
import { defineTool, withoutPreparation } from "../define-tool.ts"
import type { Tool } from "../tool.ts"
import type { FetchForModel, WebFetchOptions } from "./fetch-for-model.ts"

export function webFetchTool(options: WebFetchOptions): Tool {
  let loaded: Promise<FetchForModel> | undefined
  const load = async () => (await import("./fetch-for-model.ts")).fetchForModel(options)
  return defineTool<WebFetchInput>({
    name: "web_fetch",
    description:
      "Fetches a page from the web and returns it as text: HTML as Markdown with links, plain text, JSON, PDF files; images as images. A long page is returned in parts. A redirect to another host is reported, not followed.",
    class: "read",
    isReadOnly: true,
    check: checks.web_fetch,
    inputSchema: toolInputSchemas.web_fetch,
    refine: ({ url }) => addressProblem(url),
    prepare: async (input, context) =>
      withoutPreparation(context, async () => (await (loaded ??= load()))(input, context)),
  })
}

const MAX_SHOWN_LENGTH = 300

function addressProblem(address: string): string | undefined {
  try {
    checkedUrl(address)
    return undefined
  } catch (fault) {
    const isWithoutScheme = !address.includes(":") && URL.canParse(`https://${address}`)
    const advice = isWithoutScheme ? ` Did you mean https://${address}?` : ""
    return `web_fetch cannot fetch ${JSON.stringify(shortened(address, MAX_SHOWN_LENGTH))}: ${messageOf(fault)}.${advice}`
  }
}
