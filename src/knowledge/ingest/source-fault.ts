/** What was added cannot be read as a whole, such as a folder that does not exist. The message is a sentence for the user. */
export class SourceFault extends Error {
  override readonly name = "SourceFault"
}
