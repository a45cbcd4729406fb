// The database with the documents cannot be used now; a command that runs on may try again.
import { AppFault } from "../app-fault.ts"

export class DocumentsUnavailable extends AppFault {}
