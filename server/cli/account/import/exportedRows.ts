type Fields = Record<string, unknown>;

const OWN_FIELDS = ['username', 'password', 'company'];
const COLLECTIONS = '__collections__';

export function isRow(value: unknown): boolean {
  return isObject(value) && OWN_FIELDS.some((field) => field in value && !isObject(value[field]));
}

/**
 * Returns the rows in a value of an export, each as `{id, username, password, company}` where it is right. Knows, beside
 * a row and arrays of rows, what Firestore's tools write: documents by id, within `__collections__` or the collection's
 * name or not, and the documents of its REST API. Of several collections those without an account are left out.
 */
export function rowsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap((each) => (isObject(each) ? rowsIn(each) : [each]));
  if (!isObject(value) || isRow(value)) return [value];
  if (isObject(value.fields) && typeof value.name === 'string') return [restRow(value.name, value.fields)];
  if (isObject(value.document)) return rowsIn(value.document);
  // The REST API ends a query with it.
  if ('readTime' in value) return [];
  if (Array.isArray(value.documents)) return rowsIn(value.documents);
  if (isObject(value[COLLECTIONS])) return rowsInCollections(value[COLLECTIONS]);
  if (Object.values(value).some(isRow)) return rowsById(value);
  const rows = rowsInCollections(value);
  return rows.length > 0 ? rows : [value];
}

function rowsInCollections(collections: Fields): unknown[] {
  return Object.values(collections)
    .filter((collection) => isObject(collection) || Array.isArray(collection))
    .map(rowsIn)
    .filter((rows) => rows.some(isRow))
    .flat();
}

function rowsById(documents: Fields): unknown[] {
  return Object.entries(documents).map(([id, document]) => {
    if (!isObject(document)) return document;
    const { [COLLECTIONS]: _, ...fields } = document;
    return { ...fields, id };
  });
}

function restRow(name: string, fields: Fields): Fields {
  const texts = Object.entries(fields).map(([field, typed]) => [
    field,
    isObject(typed) && typeof typed.stringValue === 'string' ? typed.stringValue : null,
  ]);
  return { ...Object.fromEntries(texts), id: name.slice(name.lastIndexOf('/') + 1) };
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
