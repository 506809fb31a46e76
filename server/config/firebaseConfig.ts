import { z } from 'zod';

const given = z.string().trim().min(1);

/** Firebase's web config, as far as it is text and the SDK knows it; it is public by nature. */
const webConfig = z.object({
  apiKey: given,
  projectId: given,
  appId: given,
  measurementId: given,
  authDomain: z.string().optional(),
  databaseURL: z.string().optional(),
  storageBucket: z.string().optional(),
  messagingSenderId: z.string().optional(),
});

export type FirebaseConfig = z.infer<typeof webConfig>;

/** The web config that the text holds, without the fields that nobody knows; null when it is none. */
export function parseFirebaseConfig(json: string): FirebaseConfig | null {
  try {
    return webConfig.parse(JSON.parse(json));
  } catch {
    return null;
  }
}
