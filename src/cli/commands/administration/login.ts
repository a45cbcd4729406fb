// `turnhouse login`: stores a key or logs in with a browser, for all sessions of the home.
import { AppFault, exitCodes, usageFault } from "../../../app/app-fault.ts"
import type { AppContext } from "../../../app/context.ts"
import {
  checkedKeyText,
  loginByFlow,
  loginFlow,
  loginProviders,
  noticeOtherKey,
  providerNamed,
  storedLogins,
  storeKey,
} from "../../../app/settings/logins.ts"
import { printNotice } from "../../../app/terminal.ts"
import type { Args } from "../../command.ts"
import { canAsk } from "../../confirm.ts"
import { contextWithWarnings } from "../../context-options.ts"
import { readAnswer, readHidden } from "../../hidden-input.ts"
import { printResult, table } from "../../output.ts"

const MAX_STDIN_BYTES = 64 * 1024

export async function run(args: Args): Promise<number> {
  const context = await contextWithWarnings(args)
  if (args.flag("list")) return list(args, context)
  if (args.flag("json")) throw usageFault("--json needs --list")
  const name = args.positionals[0] ?? (await askProvider(context))
  await login(name, context, args)
  noticeOtherKey(name, context)
  printNotice(`Stored for all sessions of ${context.home}. 'turnhouse models' lists what can be used now.`)
  return exitCodes.done
}

/** Also a step of `setup`. */
export async function login(name: string, context: AppContext, args: Pick<Args, "flag">): Promise<void> {
  const provider = providerNamed(name, context)
  const flow = args.flag("key") || args.flag("key-stdin") ? undefined : loginFlow(name, context)
  if (flow !== undefined) return loginInBrowser(name, flow, context)
  const key = checkedKeyText(args.flag("key-stdin") ? await readStdin() : await askKey(name))
  const check = await storeKey(provider, key, context, !args.flag("no-check"))
  if (check.verdict === "accepted") printNotice(`${name} accepts the key.`)
  else if (check.verdict === "unknown" && !args.flag("no-check"))
    printNotice(`The key could not be checked: ${check.reason}.`)
}

async function loginInBrowser(
  name: string,
  flow: NonNullable<ReturnType<typeof loginFlow>>,
  context: AppContext,
): Promise<void> {
  const stop = new AbortController()
  const interrupt = () => stop.abort(new AppFault("interrupted; nothing was changed", exitCodes.interrupted))
  process.once("SIGINT", interrupt)
  try {
    const show = (address: string, code?: string) => {
      printNotice(
        `Open this address to log in at ${name}${code === undefined ? "" : ` and enter the code ${code}`}:\n\n  ${address}\n`,
      )
      printNotice("Waiting for the login. Ctrl-C cancels it.")
    }
    await loginByFlow(name, flow, { fetch: globalThis.fetch, signal: stop.signal, show }, context)
  } finally {
    process.off("SIGINT", interrupt)
  }
}

async function askProvider(context: AppContext): Promise<string> {
  if (!canAsk()) throw usageFault("name a provider: turnhouse login PROVIDER")
  const names = loginProviders(context).map(({ name }) => name)
  printNotice(`Providers: ${names.join(", ")}`)
  const answer = (await readAnswer("Provider: "))?.trim()
  if (answer === undefined || answer === "") throw usageFault("no provider was named. Nothing was stored.")
  return answer
}

/** Where a key is made. */
const keyPages: Readonly<Record<string, string>> = {
  anthropic: "https://console.anthropic.com/settings/keys",
  openai: "https://platform.openai.com/api-keys",
  google: "https://aistudio.google.com/apikey",
  openrouter: "https://openrouter.ai/settings/keys",
}

async function askKey(name: string): Promise<string> {
  if (!canAsk())
    throw usageFault("there is no terminal to paste the key into. Send it on standard input with --key-stdin.")
  const page = Object.hasOwn(keyPages, name) ? ` (${keyPages[name]})` : ""
  const key = await readHidden(`Paste the API key of ${name}${page}. It is not shown: `)
  if (key === undefined) throw usageFault("no key was given. Nothing was stored.")
  return key
}

async function readStdin(): Promise<string> {
  let text = ""
  for await (const chunk of process.stdin.setEncoding("utf8")) {
    text += String(chunk)
    if (text.length > MAX_STDIN_BYTES)
      throw usageFault(`standard input has more than ${MAX_STDIN_BYTES} characters. Nothing was stored.`)
  }
  return text
}

function list(args: Args, { home }: AppContext): number {
  const logins = storedLogins(home)
  return printResult(args, { logins }, () => {
    if (logins.length === 0) return "Nothing is stored.\n"
    return table(logins, {
      PROVIDER: ({ provider }) => provider,
      KIND: ({ kind }) => (kind === "key" ? "key" : "login"),
      STORED: ({ savedAt }) => savedAt.slice(0, 16).replace("T", " "),
      EXPIRES: ({ expiresAt }) => expiresAt?.slice(0, 16).replace("T", " ") ?? "",
    })
  })
}
