import { z } from 'zod';

const given = z.string().trim().min(1);

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

export function parseFirebaseConfig(json: string): FirebaseConfig | null {
  try {
    return webConfig.parse(JSON.parse(json));
  } catch {
    return null;
  }
}
