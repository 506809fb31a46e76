import { dashboardTexts } from './dashboardTexts.ts';
import './Notes.css';

export function Notes() {
  return (
    <section aria-label={dashboardTexts.notesHeading}>
      <ul className="notes__list">
        {dashboardTexts.notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </section>
  );
}
