/** A short word for a state. */
export function Badge({
  tone,
  children,
}: {
  tone: 'good' | 'accent' | 'warn' | 'danger' | 'muted';
  children: string;
}) {
  return <span className={`badge ${tone}`}>{children}</span>;
}
