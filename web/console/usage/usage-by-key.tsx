import { nameOf, pageOf } from '../keys/api-key.ts';
import { useApiKeys } from '../keys/use-api-keys.ts';
import { useDailyUse } from '../keys/use-daily-use.ts';
import { useLanguage } from '../ui/host.ts';
import { inWords } from './usage-points.ts';

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

/** Which keys were used in the last days and why uses were refused, the busiest first. */
export function UsageByKey() {
  const keys = useApiKeys().data?.pages.flatMap(({ apiKeys }) => apiKeys.edges.map(({ node }) => node)) ?? [];
  const use = useDailyUse();
  const language = useLanguage();
  const { text, number } = language;
  const rows = keys
    .map((key) => {
      const { allowed = [], refused = [], reasons = [] } = use.get(key.id) ?? {};
      return { key, refused: sum(refused), allowed: sum(allowed), reasons };
    })
    .filter(({ allowed, refused }) => allowed + refused > 0)
    .toSorted((one, other) => other.allowed + other.refused - one.allowed - one.refused);
  if (rows.length === 0) return null;
  return (
    <section className="card by-key" aria-labelledby="by-key">
      <h2 id="by-key">{text('usage.by-key')}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">{text('usage.key')}</th>
            <th scope="col">{text('usage.valid')}</th>
            <th scope="col">{text('usage.refused')}</th>
            <th scope="col">{text('usage.why')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, allowed, refused, reasons }) => (
            <tr key={key.id}>
              <th scope="row">
                <a href={`${pageOf(key)}?range=30d`}>
                  <bdi>{nameOf(language, key)}</bdi>
                </a>
              </th>
              <td>{number(allowed)}</td>
              <td>{number(refused)}</td>
              <td>{reasons.map((reason) => inWords(language, reason)).join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
