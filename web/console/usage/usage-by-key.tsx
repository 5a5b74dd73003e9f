import { nameOf, pageOf } from '../keys/api-key.ts';
import { useApiKeys } from '../keys/use-api-keys.ts';
import { useDailyUse } from '../keys/use-daily-use.ts';
import { inDigits, inWords } from './usage-points.ts';

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

/** Which keys were used in the last days and why uses were refused, the busiest first. */
export function UsageByKey() {
  const keys = useApiKeys().data?.pages.flatMap(({ apiKeys }) => apiKeys.edges.map(({ node }) => node)) ?? [];
  const use = useDailyUse();
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
      <h2 id="by-key">By key, in 14 days</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">Valid</th>
            <th scope="col">Refused</th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, allowed, refused, reasons }) => (
            <tr key={key.id}>
              <th scope="row">
                <a href={`${pageOf(key)}?range=30d`}>
                  <bdi>{nameOf(key)}</bdi>
                </a>
              </th>
              <td>{inDigits(allowed)}</td>
              <td>{inDigits(refused)}</td>
              <td>{reasons.map(inWords).join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
