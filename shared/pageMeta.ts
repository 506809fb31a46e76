/** The names of the `<meta>` elements in which the server writes its configuration into the page. */
export const PAGE_META = {
  firebaseConfig: 'firebase-config',
  supportContact: 'support-contact',
  streamCors: 'stream-cors',
} as const;
