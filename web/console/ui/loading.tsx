/** A placeholder for what is being fetched. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <div className="loading" role="status">
      <span className="visually-hidden">Loading {what}</span>
      <span className="bar" />
      <span className="bar" />
      <span className="bar" />
    </div>
  );
}
