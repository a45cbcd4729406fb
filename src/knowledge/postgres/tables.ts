// Tables of the documents that all nodes search. A word in `passages.words` begins with the number of its class of access
// rights, so that the index has one list for each class and word, and a search reads no list of a class it may not see.
import { Database } from "../../postgres/database.ts"
import { migrate, type Step } from "../../postgres/migrate.ts"

export interface DocumentTablesOptions {
  /** How long a call may take. */
  readonly timeoutMs?: number
}

/** Creates the tables where they are missing. Throws DatabaseFault. */
export async function openDocuments(url: string, options: DocumentTablesOptions = {}): Promise<Database> {
  const database = new Database({ url, ...options })
  try {
    await migrate(database, "documents", steps)
    return database
  } catch (fault) {
    await database.close()
    throw fault
  }
}

const steps: readonly Step[] = [
  {
    keepsOlder: false,
    sql: `
      create table turnhouse.document_classes (
        id integer generated always as identity primary key,
        org text not null,
        audience text not null,
        groups text[], -- null: the whole organisation
        passages bigint not null default 0,
        terms bigint not null default 0,
        changes bigint not null default 0,
        unique (org, audience)
      );
      create table turnhouse.documents (
        id bigint generated always as identity primary key,
        org text not null,
        name text not null,
        class integer not null references turnhouse.document_classes (id),
        publisher text not null, -- the index it comes from
        node text not null,
        source text not null,
        root text not null,
        url text,
        hash text not null,
        bytes bigint not null,
        added_at bigint not null,
        language text not null,
        title text not null,
        sets text[] not null,
        first_passage bigint not null,
        passages integer not null,
        terms bigint not null,
        unique (org, name)
      );
      create index documents_of_class on turnhouse.documents (class, first_passage);
      create table turnhouse.passages ( -- not compressed: a search reads the words of many passages
        id bigint primary key,
        document bigint not null references turnhouse.documents (id) on delete cascade,
        class integer not null,
        ordinal integer not null,
        heading text not null,
        text text not null,
        terms integer not null,
        words tsvector not null
      ) with (toast_tuple_target = 8160);
      create index passages_of_document on turnhouse.passages (document, ordinal);
      create index passages_by_word on turnhouse.passages using gin (words) with (fastupdate = off);
      create table turnhouse.publications ( -- what each index has written, also if another one has replaced it
        publisher text not null,
        org text not null,
        name text not null,
        digest text not null,
        is_removed boolean not null default false, -- the document was removed on some node
        primary key (publisher, org, name)
      );
      create index publications_of_document on turnhouse.publications (org, name);
    `,
  },
]
