import { dashboardTexts } from './dashboardTexts.ts';

export function Notes() {
  return (
    <section className="notes" aria-label={dashboardTexts.notesHeading}>
      <ul className="notes__list">
        {dashboardTexts.notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </section>
  );
}
