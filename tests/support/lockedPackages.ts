import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { PROJECT_ROOT } from '../../server/config/paths.ts';

const versions = z.record(z.string(), z.string());

/** The packages of `package-lock.json`, by the place where npm puts them. */
export const locked = z
  .object({
    packages: z.record(
      z.string(),
      z.looseObject({
        integrity: z.string().optional(),
        license: z.string().optional(),
        hasInstallScript: z.boolean().optional(),
        dependencies: versions.default({}),
        optionalDependencies: versions.default({}),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(path.join(PROJECT_ROOT, 'package-lock.json'), 'utf8'))).packages;

/** The places of these packages and of all that they need, over all levels; a peer is somebody else's to bring. */
export function broughtBy(names: string[]): Set<string> {
  const places = new Set<string>();
  const pending = names.map((name) => placeOf(name, ''));
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    if (places.has(place)) continue;
    places.add(place);
    for (const name of Object.keys(locked[place]?.dependencies ?? {})) pending.push(placeOf(name, place));
  }
  return places;
}

/** Where a package that lies at `from` finds another: beside or above itself, as Node looks for it. */
export function placeOf(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (place in locked) return place;
    if (folder === '') return undefined;
  }
}

/** The name of the package that lies there. */
export function nameAt(place: string): string {
  return place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
}
