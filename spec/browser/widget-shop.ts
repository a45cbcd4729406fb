// A server with agents that each lead to one thing that the widget shows, and host pages that embed it.
import { writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { isObject } from "../../src/contract/json-object.ts"
import type { Step } from "../../src/models/offline/index.ts"
import type { Json } from "../e2e/printed.ts"
import type { Place } from "../e2e/turnhouse.ts"

const description = "For tests."
const order = { properties: { order: { type: "string" } }, required: ["order"] }

export const embedKey = "a-key-of-the-site-with-enough-characters"

/** Agents that are not for every page. */
const embeds: Readonly<Record<string, Json>> = {
  signed: { embed: { origins: ["http://site.example"], key: embedKey, org: "shop" } },
  elsewhere: { embed: { origins: ["https://elsewhere.example"] } },
}

/** An agent for each script; its model says what the script tells it. */
export function shopConfig(place: Place, scripts: Readonly<Record<string, readonly Step[]>>): Json {
  const refund = place.write("refund.sh", `echo refunded >> ${place.path("refunds")}; echo done`)
  const pay = place.write("pay.sh", `echo "$TURNHOUSE_VERIFIED_EMAIL" >> ${place.path("paid")}; echo paid`)
  const tools = ["refund_order", "pay_invoice", "request_*", "submit_interaction", "escalate", "knowledge_search"]
  const agents = Object.entries(scripts).map(([id, steps]) => {
    const model = place.script(steps, {}, `${id}.json`)
    return [id, { name: "The shop's helper", instructions: "Help.", tools, model, ...embeds[id] }]
  })
  return {
    model: "offline/demo",
    tools: {
      confirm: ["refund_order"],
      endUser: ["pay_invoice"],
      sandbox: "off",
      define: {
        refund_order: { description, input: order, class: "unsafe", run: ["sh", refund] },
        pay_invoice: { description, input: {}, class: "unsafe", run: ["sh", pay] },
      },
    },
    knowledge: { embeddings: "off" },
    otp: { transport: { type: "log" } },
    agents: Object.fromEntries(agents),
  }
}

export interface HostSite {
  readonly origin: string
  /** Texts by path. */
  readonly pages: Map<string, string>
  close(): Promise<void>
}

/** A web site that embeds the widget: another origin than the server, with a policy that allows nothing else. */
export async function openHostSite(server: string): Promise<HostSite> {
  const pages = new Map<string, string>()
  const socket = server.replace("http", "ws")
  const policy = `default-src 'none'; script-src ${server}; style-src 'self'; connect-src ${socket} 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'`
  const site: Server = createServer((request, response) => {
    const path = request.url ?? "/"
    const text = pages.get(path)
    const type = path.endsWith(".css") ? "text/css" : "text/html; charset=utf-8"
    response.writeHead(text === undefined ? 204 : 200, { "content-type": type, "content-security-policy": policy })
    response.end(text ?? "")
  })
  await new Promise<void>((resolve) => {
    site.listen(0, "127.0.0.1", resolve)
  })
  const address: unknown = site.address()
  const origin = `http://127.0.0.1:${isObject(address) ? String(address["port"]) : ""}`
  const close = () =>
    new Promise<void>((resolve) => {
      site.close(() => resolve())
      site.closeAllConnections()
    })
  return { origin, pages, close }
}

/** A page with the script tag; `attributes` are those of the tag. */
export function hostPage(server: string, attributes: string, head = ""): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
    <title>A site</title>${head}</head><body><main><h1>A site</h1><p>Some text.</p></main>
    <script src="${server}/widget.js" ${attributes} async></script></body></html>`
}

/** A site of this name, which exists for the page only. */
export async function serveSite(page: Page, address: string, body: string): Promise<void> {
  await page.route(address, (route) => route.fulfill({ contentType: "text/html", body }))
}

/** A script of the page: the element with a signature from a program. */
export function embedWith(context: Json): string {
  return `(async () => {
    await customElements.whenDefined("turnhouse-chat")
    const chat = document.createElement("turnhouse-chat")
    chat.setAttribute("agent", "signed")
    chat.options = { authContext: () => (${JSON.stringify(context)}) }
    document.body.append(chat)
  })()`
}

export async function openChat(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Open chat" }).click()
  await page.getByRole("dialog").waitFor()
}

export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Your message" }).fill(text)
  await page.keyboard.press("Enter")
}

/** The newest message of the agent, once it has this text. */
export async function answer(page: Page, text: string | RegExp): Promise<void> {
  await page.locator(".bubble.agent").filter({ hasText: text }).last().waitFor()
}

/** For a person to look at, if a folder is named. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env["WIDGET_PICTURES"]
  if (folder !== undefined) writeFileSync(join(folder, `${name}.png`), await page.screenshot())
}
