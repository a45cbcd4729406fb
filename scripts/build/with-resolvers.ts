// `Promise.withResolvers` for the client libraries, which run on Node 20.
export function withResolvers<Value>(): PromiseWithResolvers<Value> {
  let resolve: PromiseWithResolvers<Value>["resolve"] = unset
  let reject: PromiseWithResolvers<Value>["reject"] = unset
  const promise = new Promise<Value>((resolveIt, rejectIt) => {
    resolve = resolveIt
    reject = rejectIt
  })
  return { promise, resolve, reject }
}

function unset(): void {}
