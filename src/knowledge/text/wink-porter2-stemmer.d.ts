declare module "wink-porter2-stemmer" {
  /** Porter's second algorithm for English. */
  export default function stem(word: string): string
}
