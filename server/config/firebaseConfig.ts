import { z } from 'zod';

const given = z.string().trim().min(1);

/** The text fields of Firebase's web config that the SDK knows. They are public by nature. */
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

/** Parses the web config and drops unknown fields; returns null for anything else. */
export function parseFirebaseConfig(json: string): FirebaseConfig | null {
  try {
    return webConfig.parse(JSON.parse(json));
  } catch {
    return null;
  }
}
