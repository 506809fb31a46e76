import { texts } from '../texts.ts';

export function Notes() {
  return (
    <section className="notes" aria-label={texts.dashboard.notesHeading}>
      <ul className="notes__list">
        {texts.dashboard.notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </section>
  );
}
