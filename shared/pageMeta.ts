export const PAGE_META = {
  firebaseConfig: 'firebase-config',
  supportContact: 'support-contact',
  streamCors: 'stream-cors',
} as const;
