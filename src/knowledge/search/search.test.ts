import { temporaryIndex } from "../fixtures/temporary-index.ts"
import { openForReading } from "../index/schema.ts"
import { IndexReader } from "./index-reader.ts"
import { searchContract } from "./search-contract.ts"
import { search } from "./search.ts"

searchContract("the local index", {
  hasVectors: true,
  open: async () => {
    let index = temporaryIndex()
    return {
      put: (...documents) => index.put(...documents),
      embed: (embedder) => index.embed(embedder),
      remove: (name, org) => index.remove(name, org),
      find: async (question, vector) => {
        const database = openForReading(index.path)
        if (database === undefined) return []
        try {
          return search(new IndexReader(database), question, vector)
        } finally {
          database.close()
        }
      },
      reset: async () => {
        index.delete()
        index = temporaryIndex()
      },
      close: async () => index.delete(),
    }
  },
})
