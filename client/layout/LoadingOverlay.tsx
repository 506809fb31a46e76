/** Covers the card that it stands in while something is under way. */
export function LoadingOverlay({ text }: { text: string }) {
  return (
    <div className="overlay" role="status">
      <div className="overlay__content">
        <span className="spinner" aria-hidden="true" />
        <p>{text}</p>
      </div>
    </div>
  );
}
