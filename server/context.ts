export type RequestContext = { a: 1 };
