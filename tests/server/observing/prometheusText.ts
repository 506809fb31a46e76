/** The samples of a scrape, by their name and labels as they stand there. */
export function samplesOf(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

/** Returns the samples that grew or came between two scrapes, and by how much. */
export function growth(before: Map<string, number>, after: Map<string, number>): Record<string, number> {
  const grown = [...after].map(([name, value]) => [name, value - (before.get(name) ?? 0)] as const);
  return Object.fromEntries(grown.filter(([, by]) => by !== 0));
}
