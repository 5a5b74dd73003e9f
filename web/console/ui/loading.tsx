import { useLanguage } from './host.ts';

/** A placeholder for what is being fetched. */
export function Loading({ what }: { readonly what: string }) {
  const { text } = useLanguage();
  return (
    <div className="loading" role="status">
      <span className="visually-hidden">{text('common.loading', { what })}</span>
      <Bars />
    </div>
  );
}

/** Bars in place of what is not there yet. */
export const Bars = () => (
  <>
    <span className="bar" />
    <span className="bar" />
    <span className="bar" />
  </>
);
